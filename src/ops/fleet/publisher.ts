import type { Minutes } from './minute-counts.ts'
import { pack } from './packet.ts'
import type { FleetStore } from './fleet-store.ts'

/** Milliseconds between two packets. */
export const TICK_MS = 5000
/** Minutes that a process remembers of itself: the hour that is shown, and the one that has just begun. */
export const REMEMBERED = 61

export interface PublisherParts {
  readonly id: string
  readonly minutes: Minutes
  /** Left out: nobody to tell. */
  readonly store: FleetStore | undefined
}

/** Tells the fleet what this process counts, every few seconds, in the background; nobody waits for it. */
export interface OwnPackets {
  /**
   * Takes over what was counted, and publishes it.
   * @param at Unix milliseconds: when most of it happened.
   */
  tick(at: number): Promise<void>
  /** The packets of this process, packed, newest last. */
  own(): readonly string[]
}

/**
 * A packet that could not be published is kept and published later, one old one each time. When the store has forgotten
 * us (it was restarted empty), it is told everything again.
 */
export function ownPackets({ id, minutes, store }: PublisherParts): OwnPackets {
  const packed = new Map<number, string>()
  const unpublished = new Set<number>()
  let late = 0
  let ticking: Promise<void> | undefined

  async function publishOld(current: number): Promise<void> {
    const [oldest] = unpublished
    if (oldest === undefined || oldest === current) return
    const text = packed.get(oldest)
    if (text !== undefined) await store!.publish(id, ++late, oldest, text)
    unpublished.delete(oldest)
  }

  async function takeAndTell(at: number): Promise<void> {
    const packet = minutes.take(at)
    const { minute } = packet
    const text = await pack(packet)
    packed.set(minute, text)
    for (const old of packed.keys()) {
      // A clock that was ahead, and is set back, leaves minutes that are yet to come.
      if (old > minute - REMEMBERED && old <= minute) continue
      packed.delete(old)
      unpublished.delete(old)
    }
    if (!store) return
    unpublished.add(minute)
    try {
      const known = await store.publish(id, late, minute, text)
      if (!known) for (const each of packed.keys()) unpublished.add(each)
      unpublished.delete(minute)
      await publishOld(minute)
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
    own: () => [...packed.values()],
  }
}
