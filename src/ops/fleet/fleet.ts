import type { FleetAnswer, InstanceView } from './fleet-answer.ts'
import type { FleetStore, Publisher } from './fleet-store.ts'
import { emptySteps, type MergedMinute, type SiteFacts, viewOf } from './fleet-view.ts'
import { type InstanceStatus, type Packet, unpack } from './packet.ts'
import { REMEMBERED } from './publisher.ts'
import { addAll } from '../metrics/tally.ts'

export interface FleetParts {
  /** The packets of this process, packed. */
  readonly own: () => readonly string[]
  /** Left out: this process is alone. */
  readonly store: FleetStore | undefined
  readonly factsOf: (sitekey: string) => SiteFacts | undefined
  /** Unix milliseconds. */
  readonly clock: () => number
}

/** Seconds after which a process that did not say goodbye is called gone: three packets that did not come. */
const GONE_AFTER = 20
/** Seconds after its end in which a minute may still grow: the last packet, and clocks that differ. */
const GROWS = 30
/** Milliseconds for which an answer is good: ten people who look cost as much as one. */
const GOOD_MS = 2000

/** A minute that was read, and who said something in it. */
interface Read {
  readonly merged: MergedMinute
  readonly statuses: readonly InstanceStatus[]
}

/**
 * Adds up what all processes have published. Counts are of one minute each and never change afterwards, so nothing
 * has to be subtracted, a process that was started again is simply another one, and one that is gone stays in the
 * sums until its minutes leave the window. Costs something only while somebody looks.
 */
export function fleet({ own, store, factsOf, clock }: FleetParts): (minutes: number) => Promise<FleetAnswer> {
  /** Minutes that grow no more. */
  const finished = new Map<number, Read>()
  let publishedLate = ''
  /** By how many minutes they are of. */
  const good = new Map<number, { readonly until: number; readonly answer: Promise<FleetAnswer> }>()

  /** @throws {Error} when the store does not answer. */
  async function readFleet(wanted: readonly number[], now: number): Promise<{ reads: Read[]; known: Publisher[] }> {
    const { publishers } = await store!.publishers()
    const late = publishers.map(({ id, late: times }) => `${id} ${times}`).join()
    if (late !== publishedLate) finished.clear()
    publishedLate = late
    for (const minute of finished.keys()) if (minute < now / 60 - REMEMBERED) finished.delete(minute)
    const missing = wanted.filter((minute) => !finished.has(minute))
    const packets = await unpackAll(
      await store!.packets(
        publishers.map(({ id }) => id),
        missing,
      ),
    )
    const reads = wanted.map((minute) => finished.get(minute) ?? mergeOf(minute, packets))
    for (const read of reads) if (read.merged.minute * 60 + 60 + GROWS < now) finished.set(read.merged.minute, read)
    return { reads, known: [...publishers] }
  }

  async function answer(minutes: number): Promise<FleetAnswer> {
    const now = clock() / 1000
    const newest = Math.floor(now / 60)
    const wanted = Array.from({ length: minutes }, (_, i) => newest - minutes + 1 + i)
    let problem: string | undefined
    let reads: Read[] | undefined
    let heard = new Map<string, number>()
    if (store) {
      try {
        const found = await readFleet(wanted, now)
        reads = found.reads
        heard = new Map(found.known.map(({ id, heardAt }) => [id, heardAt]))
      } catch {
        problem = 'Redis does not answer: this is one process, not the fleet.'
      }
    }
    if (reads === undefined) {
      const packets = await unpackAll(own())
      reads = wanted.map((minute) => mergeOf(minute, packets))
    }
    const statuses = reads.flatMap((read) => read.statuses)
    return {
      at: Math.floor(now),
      minutes,
      scope: store && problem === undefined ? 'fleet' : 'process',
      ...(problem !== undefined && { problem }),
      instances: instancesOf(statuses, heard, now),
      ...viewOf(
        reads.map(({ merged }) => merged),
        factsOf,
      ),
    }
  }

  return (minutes) => {
    const now = clock()
    let known = good.get(minutes)
    if (known === undefined || known.until < now) {
      known = { until: now + GOOD_MS, answer: answer(minutes) }
      good.set(minutes, known)
    }
    return known.answer
  }
}

async function unpackAll(texts: readonly string[]): Promise<readonly Packet[]> {
  const packets = await Promise.all(texts.map(unpack))
  return packets.filter((packet) => packet !== undefined)
}

function mergeOf(minute: number, all: readonly Packet[]): Read {
  const packets = all.filter((packet) => packet.minute === minute)
  const steps = emptySteps()
  const sites = new Map<string, number>()
  const limited = new Map<string, number>()
  for (const packet of packets) {
    for (const [i, step] of packet.steps.entries()) addAll(steps[i]!, new Map(Object.entries(step)))
    addAll(sites, new Map(Object.entries(packet.sites)))
    addAll(limited, new Map(Object.entries(packet.limited)))
  }
  // Every process saw the same move of the ledger's generation.
  for (const [i, step] of steps.entries()) {
    const seen = packets.map((packet) => packet.steps[i]?.['generation_moves'] ?? 0)
    if (step.has('generation_moves')) step.set('generation_moves', Math.max(...seen))
  }
  return { merged: { minute, steps, sites, limited }, statuses: packets.map(({ instance }) => instance) }
}

/** Each process once, by the last that was heard of it. */
function instancesOf(
  statuses: readonly InstanceStatus[],
  heard: ReadonlyMap<string, number>,
  now: number,
): InstanceView[] {
  const latest = new Map<string, InstanceStatus>()
  for (const status of statuses)
    if ((latest.get(status.id)?.at ?? -Infinity) <= status.at) latest.set(status.id, status)
  return [...latest.values()]
    .map((status) => instanceOf(status, heard.get(status.id) ?? status.at, now))
    .sort((a, b) => a.name.localeCompare(b.name) || a.startedAt - b.startedAt)
}

function instanceOf({ at: _at, stopped, ...status }: InstanceStatus, heardAt: number, now: number): InstanceView {
  if (stopped) return { ...status, heardAt, state: 'stopped' }
  return { ...status, heardAt, state: now - heardAt > GONE_AFTER ? 'gone' : 'running' }
}
