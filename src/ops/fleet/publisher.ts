import type { Minutes } from './minute-counts.ts'
import { type Length, pack, type Packet, REMEMBERED } from './packet.ts'
import type { FleetStore } from './fleet-store.ts'

/** Milliseconds between two packets. */
export const TICK_MS = 5000

export interface PublisherParts {
  readonly id: string
  readonly minutes: Minutes
  /** Undefined: there is no fleet to tell. */
  readonly store: FleetStore | undefined
}

/** Tells the fleet what this process counts, every few seconds, in the background; nobody waits for it. */
export interface OwnPackets {
  /**
   * Adds what was counted, and publishes it.
   * @param at Unix milliseconds: when most of it happened.
   */
  tick(at: number): Promise<void>
  /** The packets of this process, packed, newest last. */
  own(length: Length): readonly string[]
}

/** Packets of one length, packed, by the minute in which they begin; and those that the store has not received. */
interface Shelf {
  readonly packed: Map<number, string>
  readonly unpublished: Set<number>
}

const emptyShelf = (): Shelf => ({ packed: new Map(), unpublished: new Set() })

/**
 * A packet that could not be published is kept and published later, one old one each time. When the store has forgotten
 * this process (it was restarted empty), the process publishes everything again. The running hour is published once a minute.
 */
export function ownPackets({ id, minutes, store }: PublisherParts): OwnPackets {
  const shelves: Readonly<Record<Length, Shelf>> = { minute: emptyShelf(), hour: emptyShelf() }
  let hoursTakenAt: number | undefined
  let late = 0
  let ticking: Promise<void> | undefined

  async function put(length: Length, packet: Packet, newest: number): Promise<void> {
    const { packed, unpublished } = shelves[length]
    packed.set(packet.minute, await pack(packet))
    unpublished.add(packet.minute)
    for (const old of packed.keys()) {
      // A clock that was ahead, and is set back, leaves minutes that are yet to come.
      if (old > newest - REMEMBERED[length] && old <= newest) continue
      packed.delete(old)
      unpublished.delete(old)
    }
  }

  /** Publishes one packet that the store lacks, the running one first. */
  async function publishOne(length: Length, running: number): Promise<void> {
    const { packed, unpublished } = shelves[length]
    const [oldest] = unpublished
    const minute = unpublished.has(running) ? running : oldest
    if (minute === undefined) return
    const text = packed.get(minute)
    if (minute !== running) late++
    if (text !== undefined) await publish(length, minute, text)
    unpublished.delete(minute)
  }

  async function publish(length: Length, minute: number, text: string): Promise<void> {
    if (length === 'hour') return store!.publishHour(id, minute, text)
    const isKnown = await store!.publish(id, late, minute, text)
    if (isKnown) return
    for (const each of Object.values(shelves)) for (const old of each.packed.keys()) each.unpublished.add(old)
  }

  async function takeAndTell(at: number): Promise<void> {
    const packet = minutes.take(at)
    const { minute } = packet
    await put('minute', packet, minute)
    if (minute !== hoursTakenAt || packet.instance.stopped) {
      hoursTakenAt = minute
      for (const each of minutes.hours()) await put('hour', each, minute)
    }
    if (!store) return
    try {
      await publishOne('minute', minute)
      if (shelves.minute.unpublished.size > 0) await publishOne('minute', minute)
      await publishOne('hour', minute - (minute % 60))
    } catch {
      // Said where it matters: the page shows this process alone, and why; the link has logged that Redis is gone.
    }
  }

  return {
    tick(at) {
      ticking ??= takeAndTell(at).finally(() => {
        ticking = undefined
      })
      return ticking
    },
    own: (length) => [...shelves[length].packed.values()],
  }
}
