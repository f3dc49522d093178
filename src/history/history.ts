import { networkOf } from '../domain/address-mark.ts'
import { ORDINARY, type SiteLoad } from '../work/difficulty.ts'
import { HISTORY_WINDOW, type Neighbourhood, NOTHING, STRANGER } from '../domain/history.ts'
import { slowUnit } from '../work/human-cost.ts'
import { memoize } from '../domain/memoize.ts'
import type { UnixSeconds } from '../domain/words.ts'
import type { Log } from '../ports/observing.ts'
import type { Clock, History, Noted, SitePlace, SolveCounted } from '../ports/stores.ts'
import type { Addition, Bump, Counted, Counters, Subject } from './counters.ts'
import { lastAnswers } from './last-answers.ts'
import { partsUnderWay } from './parts-under-way.ts'
import { type Cells, estimates, offsetsOf, SHARDS, type Sketch, type SketchRead } from './sketch.ts'
import {
  addressSubject,
  BRIEFLY,
  countsOf,
  DAY,
  daySubject,
  FIELD,
  FULLY,
  networkSubject,
  placeSubject,
  siteTag,
  taggedFields,
  timesSubject,
} from './subjects.ts'
import { backlog } from './backlog.ts'

export interface HistoryParts {
  readonly clock: Clock
  readonly log: Log
  /** Milliseconds between two sendings of what nobody waits for; what is kept for a day is sent every forty of them. */
  readonly everyMs?: number
}

/** Stores of history: counts in fields, and counts of behaviour in fixed memory. */
export interface HistoryStores {
  readonly counters: Counters
  readonly sketch: Sketch
}

/** Places of which the last answer is remembered; some 200 bytes each. */
const CAPACITY = 20_000

/** History over counters in Redis or in memory: raises counts, and says what they amount to. */
export function history({ counters, sketch }: HistoryStores, { clock, log, everyMs = 250 }: HistoryParts): History {
  const answers = lastAnswers(CAPACITY)
  const underWay = partsUnderWay()
  const soon = backlog(counters, { clock, everyMs, learned, lost: underWay.settle })
  const daily = backlog(counters, { clock, everyMs: everyMs * 40, learned, lost: underWay.settle })
  /** Each place's of this second, until more is heard; there are as many places as the configuration lists. */
  const loads = new Map<string, { readonly at: UnixSeconds; readonly load: SiteLoad }>()
  let complained = false

  /** Answers about addresses are not remembered here: each request asks the store. */
  function learned(bump: Bump, { values }: Counted, now: UnixSeconds): void {
    const { subject, bucket } = bump
    loads.clear()
    underWay.settle(bump)
    if (/^[sdt]:/.test(subject)) answers.put(subject, values, bucket, now)
  }

  /** @param failure undefined: the store answered. Logged once per outage. */
  function noteAnswer(failure?: string): void {
    if (failure === undefined && complained) log.info('history is back')
    if (failure !== undefined && !complained)
      log.warn('history is unreachable; visits are scored without it', { detail: failure })
    complained = failure !== undefined
  }

  /** @returns undefined when the store does not answer. */
  async function ask<T>(question: Promise<T>): Promise<T | undefined> {
    try {
      const answer = await question
      noteAnswer()
      return answer
    } catch (error) {
      noteAnswer(String(error))
      return undefined
    }
  }

  async function countCells(cells: Cells | undefined, add: boolean, now: UnixSeconds): Promise<Seen> {
    return sightingsOf(cells && (await ask(sketch.count(cells, add, now))), now)
  }

  return {
    async challenged(address, now) {
      if (address === undefined) return STRANGER
      const counts = await ask(counters.count(challengeBumps(address), now))
      return counts ? nearOf(counts, now) : STRANGER
    },

    async solved(address, solve, now) {
      const { jti, place, unfinished } = solve
      const cells = cellsOf(solve)
      if (address === undefined)
        return { ...STRANGER, here: NOTHING, first: true, ...(await countCells(cells, true, now)) }
      const network = networkOf(address)
      const subject = addressSubject(address, network, FULLY)
      const add = solveAndPart(unfinished)
      const own = raised(subject, both(place, add), {
        once: `j${jti.slice(0, 8)}`,
        alsoRead: taggedFields(place.sitekey),
      })
      const around = raised(networkSubject(network, FULLY), add, { follows: true })
      const counts = await ask(counters.count([own, around], now))
      if (!counts) return { ...STRANGER, here: NOTHING, first: true, ...NEVER_SEEN }
      const sightings = await countCells(cells, counts[0]!.first, now)
      const here = countsOf(counts[0]!, now, subject.read.length)
      return { ...nearOf(counts, now), here, first: counts[0]!.first, ...sightings }
    },

    note(noted) {
      const { place, what, address } = noted
      const { sitekey } = place
      const add: Addition[] = [[FIELD[COUNTS_AS[what]], 1]]
      if (what === 'solved' && noted.isPart) {
        add.push([FIELD.parts, 1])
        underWay.add(where(place))
      }
      if (what !== 'failed') soon.add(placeSubject(where(place), sitekey), add)
      if (what === 'challenged' || what === 'solved') daily.add(daySubject(where(place), sitekey), add)
      if (address === undefined) return
      if (noted.costBin !== undefined) {
        daily.add({ ...timesSubject(sitekey), once: `n${networkOf(address)}` }, [[String(noted.costBin), 1]])
      }
      noteNear(address, noted)
    },

    load(place, now) {
      const name = where(place)
      let last = loads.get(name)
      if (last?.at !== now) loads.set(name, (last = { at: now, load: loadOf(place, now) }))
      const { load } = last
      const parts = underWay.count(name)
      return parts === 0 ? load : { ...load, parts: load.parts + parts }
    },

    async close() {
      await soon.close()
      await daily.close()
    },
  }

  function loadOf(place: SitePlace, now: UnixSeconds): SiteLoad {
    const [usual = 0, usualSolves = 0, usualParts = 0] = answers.get(`d:${where(place)}`, now) ?? []
    const recent = answers.get(`s:${where(place)}`, now) ?? []
    return {
      recent: recent[CHALLENGES] ?? 0,
      usual: (usual * HISTORY_WINDOW) / DAY,
      solves: recent[SOLVES] ?? 0,
      verified: recent[VERIFIED] ?? 0,
      parts: recent[PARTS] ?? 0,
      usualParts: (usualParts + SUPPOSED.parts) / (usualSolves + SUPPOSED.solves),
      unitCost: slowUnit(answers.get(`t:${place.sitekey}`, now) ?? []),
    }
  }

  /** Counts for address and network what is known only after the answer is out. */
  function noteNear(address: string, { place, what }: Noted): void {
    const network = networkOf(address)
    // A wrong solution cost its sender nothing: it stays with the address, and only as long as a challenge does.
    if (what === 'failed') soon.add(addressSubject(address, network, BRIEFLY), both(place, oneMore('failed')))
    if (what !== 'verified' && what !== 'low') return
    const add = oneMore(what)
    soon.add(addressSubject(address, network, FULLY), both(place, add))
    soon.add(networkSubject(network, FULLY), add)
  }
}

interface Seen {
  readonly again: number
}
const NEVER_SEEN: Seen = Object.freeze({ again: 0 })

/** Where the behaviour of a visit is counted; undefined: it showed too little. */
const cellsOf = ({ place, behaviour }: SolveCounted): Cells | undefined =>
  behaviour && {
    shard: shardOf(place.sitekey),
    offsets: offsetsOf(behaviour),
  }

/** How often each cell was seen before. @param read undefined: nobody knows. */
function sightingsOf(read: SketchRead | undefined, now: UnixSeconds): Seen {
  if (!read) return NEVER_SEEN
  return { again: estimates(read, now, HISTORY_WINDOW)[0] ?? 0 }
}

/** Solves, and parts among them, taken for seen before the first: one visitor in twenty has a slow device. */
const SUPPOSED = { solves: 100, parts: 5 } as const

const COUNTS_AS = {
  challenged: 'challenges',
  solved: 'solves',
  verified: 'verified',
  failed: 'failed',
  low: 'low',
} as const satisfies Record<Noted['what'], keyof typeof FIELD>

/** Written out: to spread a subject, or what is known of a visit, costs V8 5 µs each time. */
const raised = (
  { subject, place, bucket, read, keep }: Subject,
  add: readonly Addition[],
  { once, follows, upTo, busy, alsoRead }: Partial<Bump> & { alsoRead?: readonly string[] } = {},
): Bump => ({
  subject,
  place,
  bucket,
  read: alsoRead ? [...read, ...alsoRead] : read,
  keep,
  busy,
  once,
  follows,
  upTo,
  add,
})

/**
 * A source that asks for more than its ordinary rate within `BRIEFLY` is remembered for the window though it solves nothing. Else
 * it would ask for challenges, wait until it is forgotten, and ask again, and solve all of them at the price of the first.
 */
const busyFrom = (ordinary: number) => ({ above: (ordinary * BRIEFLY) / HISTORY_WINDOW, keep: FULLY })
const BUSY = { address: busyFrom(ORDINARY.address), network: busyFrom(ORDINARY.network) }
/** Challenges are free. Those of an address beyond the ordinary rate raise its own work, and its neighbours' no further. */
const FEW_OF_EACH = { follows: true, upTo: ORDINARY.address, busy: BUSY.network }

/** Counts a challenge for its address and for its network. */
function challengeBumps(address: string): readonly Bump[] {
  const network = networkOf(address)
  const add = oneMore('challenges')
  return [
    raised(addressSubject(address, network, BRIEFLY), add, { busy: BUSY.address }),
    raised(networkSubject(network, BRIEFLY), add, FEW_OF_EACH),
  ]
}

const oneMore = (what: keyof typeof FIELD): readonly Addition[] => [[FIELD[what], 1]]

/** A solve, and at once what it left undone: a hundred parts may come in the moment that nobody waits for. */
const solveAndPart = (unfinished: number): readonly Addition[] =>
  unfinished > 0
    ? [...oneMore('solves'), [FIELD.parts, 1], [FIELD.unfinished, Math.round(unfinished * 100)]]
    : oneMore('solves')

/** Counts an address's deed for all sites together and for the site where it was done. */
function both({ sitekey }: SitePlace, add: readonly Addition[]): Addition[] {
  const all = [...add]
  for (const [field, by] of add) all.push([field + siteTag(sitekey), by])
  return all
}

const [CHALLENGES, SOLVES, VERIFIED, PARTS] = (['challenges', 'solves', 'verified', 'parts'] as const).map((name) =>
  Object.keys(FIELD).indexOf(name),
) as [number, number, number, number]

const where = ({ sitekey, action }: SitePlace): string => (action === undefined ? sitekey : `${sitekey}/${action}`)

/** The sketch of a site; the same in every process. */
const shardOf = memoize((sitekey) => {
  let sum = 0
  for (const letter of sitekey) sum = (Math.imul(sum, 31) + letter.charCodeAt(0)) >>> 0
  return sum % SHARDS
}, 10_000)

const nearOf = ([own, around]: readonly Counted[], now: UnixSeconds): Neighbourhood => ({
  address: countsOf(own!, now),
  network: countsOf(around!, now),
})
