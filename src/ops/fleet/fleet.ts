import type { FleetAnswer, InstanceView } from './fleet-answer.ts'
import type { FleetStore, Publisher } from './fleet-store.ts'
import { emptySteps, type Merged, type SiteFacts, viewOf } from './fleet-view.ts'
import { type InstanceStatus, type Length, LENGTHS, type Packet, REMEMBERED, unpack } from './packet.ts'
import { addAll } from '../metrics/tally.ts'

export interface FleetParts {
  /** The packets of this process, packed. */
  readonly own: (length: Length) => readonly string[]
  /** Undefined: this process is alone. */
  readonly store: FleetStore | undefined
  readonly factsOf: (sitekey: string) => SiteFacts | undefined
  /** Unix milliseconds. */
  readonly clock: () => number
}

/** Seconds after which a process that did not say goodbye is called gone: three packets that did not come. */
const GONE_AFTER = 20
/** Seconds after its end in which a minute or an hour may still grow: the last packet, and clocks that differ. */
const GROWS = 30
/** Milliseconds for which an answer is good: ten people who look cost as much as one. */
const GOOD_MS = 2000
/** The same for a day and a week, which grow once a minute. */
const GOOD_LONG_MS = 15_000
/** Minutes up to which a look is answered from packets of a minute. */
const SHORT = 60
/** Hours that are unpacked together: a week of eight processes would take 100 MB at once. */
const HOURS_AT_ONCE = 6
/** Packets that are shown at least, so that a young service has a time axis. */
const LEAST: Readonly<Record<Length, number>> = { minute: 5, hour: 2 }

/** A minute or an hour that was read, and what the processes said of themselves in it. */
interface Read {
  readonly merged: Merged
  readonly statuses: readonly InstanceStatus[]
}

/**
 * Adds up what all processes have published. Counts are of one minute or hour each and never change afterwards, so
 * nothing has to be subtracted, a process that was started again is simply another one, and one that is gone stays in the
 * sums until its minutes leave the window. Costs something only while somebody looks.
 */
export function fleet({ own, store, factsOf, clock }: FleetParts): (minutes: number) => Promise<FleetAnswer> {
  /** Minutes and hours that grow no more. */
  const finished: Readonly<Record<Length, Map<number, Read>>> = { minute: new Map(), hour: new Map() }
  let publishedLate = ''
  /** By how many minutes they are of. */
  const good = new Map<number, { readonly until: number; readonly answer: Promise<FleetAnswer> }>()

  /** @throws {Error} when the store does not answer. */
  async function readPublishers(): Promise<readonly Publisher[]> {
    const { publishers } = await store!.publishers()
    const late = publishers.map(({ id, late: times }) => `${id} ${times}`).join()
    if (late !== publishedLate) for (const each of Object.values(finished)) each.clear()
    publishedLate = late
    return publishers
  }

  /** Reads all that is not known to be finished. @throws {Error} when the store does not answer. */
  async function readFleet(length: Length, starts: readonly number[], ids: readonly string[], now: number) {
    const done = finished[length]
    for (const minute of done.keys()) if (minute < now / 60 - REMEMBERED[length]) done.delete(minute)
    const atOnce = length === 'hour' ? HOURS_AT_ONCE : starts.length
    const fresh = new Map<number, Read>()
    const missing = starts.filter((minute) => !done.has(minute))
    for (let i = 0; i < missing.length; i += atOnce) {
      const some = missing.slice(i, i + atOnce)
      const packets = await unpackAll(await (length === 'hour' ? store!.hours(some) : store!.packets(ids, some)))
      for (const minute of some) fresh.set(minute, mergeOf(minute, packets))
    }
    for (const [minute, read] of fresh) if ((minute + LENGTHS[length]) * 60 + GROWS < now) done.set(minute, read)
    return starts.map((minute) => fresh.get(minute) ?? done.get(minute)!)
  }

  async function readOwn(length: Length, starts: readonly number[]): Promise<readonly Read[]> {
    const packets = await unpackAll(own(length))
    return starts.map((minute) => mergeOf(minute, packets))
  }

  async function answer(minutes: number): Promise<FleetAnswer> {
    const now = clock() / 1000
    const length = minutes > SHORT ? 'hour' : 'minute'
    const starts = startsOf(length, minutes, now)
    const lately = length === 'hour' ? startsOf('minute', SHORT, now) : starts
    let problem: string | undefined
    let lastContact = new Map<string, number>()
    /** Of the time that is shown, and of the last hour, which says who is there. */
    let reads: readonly Read[] | undefined
    let recent: readonly Read[] = []
    if (store) {
      try {
        const publishers = await readPublishers()
        lastContact = new Map(publishers.map(({ id, heardAt }) => [id, heardAt]))
        recent = await readFleet('minute', lately, [...lastContact.keys()], now)
        reads = length === 'hour' ? await readFleet(length, starts, [], now) : recent
      } catch {
        problem = 'Redis does not answer: this is one process, not the fleet.'
      }
    }
    if (reads === undefined) {
      recent = await readOwn('minute', lately)
      reads = length === 'hour' ? await readOwn(length, starts) : recent
    }
    return {
      at: Math.floor(now),
      minutes,
      scope: store && problem === undefined ? 'fleet' : 'process',
      ...(problem !== undefined && { problem }),
      instances: instancesOf(
        recent.flatMap(({ statuses }) => statuses),
        lastContact,
        now,
      ),
      ...viewOf(length, withoutPrehistory(reads, LEAST[length]), factsOf),
    }
  }

  return (minutes) => {
    const now = clock()
    let entry = good.get(minutes)
    if (entry === undefined || entry.until < now) {
      entry = { until: now + (minutes > SHORT ? GOOD_LONG_MS : GOOD_MS), answer: answer(minutes) }
      good.set(minutes, entry)
    }
    return entry.answer
  }
}

/** The minutes in which the wanted packets begin, the running one last. */
function startsOf(length: Length, minutes: number, now: number): number[] {
  const every = LENGTHS[length]
  const newest = Math.floor(now / 60 / every) * every
  return Array.from({ length: minutes / every }, (_, i) => newest - minutes + every * (i + 1))
}

/** Leaves out the time before the first packet of anybody, so that the time axis fits what there is. */
function withoutPrehistory(reads: readonly Read[], least: number): Merged[] {
  const first = reads.findIndex(({ statuses }) => statuses.length > 0)
  const start = first < 0 ? reads.length : first
  return reads.slice(Math.min(start, reads.length - least)).map(({ merged }) => merged)
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
    const moves = packets.map((packet) => packet.steps[i]?.['generation_moves'] ?? 0)
    if (step.has('generation_moves')) step.set('generation_moves', Math.max(...moves))
  }
  return { merged: { minute, steps, sites, limited }, statuses: packets.map(({ instance }) => instance) }
}

/** Each process once, by the last that was heard of it. */
function instancesOf(
  statuses: readonly InstanceStatus[],
  lastContact: ReadonlyMap<string, number>,
  now: number,
): InstanceView[] {
  const latest = new Map<string, InstanceStatus>()
  for (const status of statuses)
    if ((latest.get(status.id)?.at ?? -Infinity) <= status.at) latest.set(status.id, status)
  return [...latest.values()]
    .map((status) => instanceOf(status, lastContact.get(status.id) ?? status.at, now))
    .sort((a, b) => a.name.localeCompare(b.name) || a.startedAt - b.startedAt)
}

function instanceOf({ at: _at, stopped, ...status }: InstanceStatus, heardAt: number, now: number): InstanceView {
  if (stopped) return { ...status, heardAt, state: 'stopped' }
  return { ...status, heardAt, state: now - heardAt > GONE_AFTER ? 'gone' : 'running' }
}
