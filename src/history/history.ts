import { networkOf } from '../domain/address.ts'
import type { SiteLoad } from '../domain/difficulty.ts'
import { HISTORY_WINDOW, type Neighbourhood, NOTHING, STRANGER } from '../domain/history.ts'
import { slowUnit } from '../domain/human-cost.ts'
import { sliding } from '../domain/sliding.ts'
import type { UnixSeconds } from '../domain/words.ts'
import type { Clock, History, Log, Noted, SitePlace, SolveKnown } from '../ports.ts'
import type { Addition, Bump, Counted, Counters, Subject } from './counters.ts'
import { heard } from './heard.ts'
import {
  addressSubject,
  behaviourSubject,
  BRIEFLY,
  countsOf,
  DAY,
  daySubject,
  FIELD,
  FULLY,
  networkSubject,
  placeSubject,
  timesSubject,
} from './subjects.ts'
import { backlog } from './backlog.ts'

export interface HistoryParts {
  readonly clock: Clock
  readonly log: Log
  /** Milliseconds between two sendings of what nobody waits for; what is kept for a day is sent every forty of them. */
  readonly everyMs?: number
}

/** Places and behaviours of which the last answer is kept; some 200 bytes each. */
const CAPACITY = 20_000

/** What is remembered, over counters in Redis or in memory: whose counts are raised, and what is made of them. */
export function history(counters: Counters, { clock, log, everyMs = 250 }: HistoryParts): History {
  const known = heard(CAPACITY)
  const soon = backlog(counters, { clock, everyMs, learned })
  const daily = backlog(counters, { clock, everyMs: everyMs * 40, learned })
  /** Each place's of this second, until more is heard; there are as many places as the configuration lists. */
  const loads = new Map<string, { readonly at: UnixSeconds; readonly load: SiteLoad }>()
  let complained = false

  /** Of addresses nothing is kept here: whoever asks about one asks the store. */
  function learned({ subject, read, bucket }: Bump, { values }: Counted, now: UnixSeconds): void {
    loads.clear()
    if (/^[sdt]:/.test(subject)) known.put(subject, values, bucket, now)
    if (subject.startsWith('b:')) read.forEach((hash, i) => known.put(`${subject}${hash}`, [values[i]!], bucket, now))
  }

  /** Asks now. @returns undefined when nobody can tell; said once per outage. */
  async function ask(bumps: readonly Bump[], now: UnixSeconds): Promise<readonly [Counted, Counted] | undefined> {
    try {
      const counted = await counters.count(bumps, now)
      if (complained) log.info('history is back')
      complained = false
      return counted as readonly [Counted, Counted]
    } catch (error) {
      if (!complained) log.warn('history cannot be asked: nothing is known of anybody', { detail: String(error) })
      complained = true
      return undefined
    }
  }

  return {
    async challenged(address, now) {
      if (address === undefined) return STRANGER
      const network = networkOf(address)
      const add = oneMore('challenges')
      const own = raised(addressSubject(address, network, BRIEFLY), add)
      const counted = await ask([own, raised(networkSubject(network, BRIEFLY), add)], now)
      return counted ? nearOf(counted, now) : STRANGER
    },

    async solved(address, { jti, place, behaviour }, now) {
      const everywhere = behaviour ? (known.get(behaviourName(place, behaviour.exact), now)?.[0] ?? 0) : 0
      const siteSolves = known.get(`s:${where(place)}`, now)?.[SOLVES] ?? 0
      const unknown: SolveKnown = {
        address: NOTHING,
        network: NOTHING,
        everywhere,
        siteSolves,
        first: true,
        again: 0,
        alike: 0,
      }
      if (address === undefined) return unknown
      const network = networkOf(address)
      const own = raised(addressSubject(address, network, FULLY), oneMore('solves'), { once: `j${jti.slice(0, 8)}` })
      const around = networkSubject(network, FULLY)
      const shown = behaviour ? [`e${behaviour.exact}`, ...behaviour.alike.map((hash, i) => `g${i}${hash}`)] : []
      const add: Addition[] = [[FIELD.solves, 1]]
      for (const field of shown) add.push([field, 1])
      const counted = await ask([own, raised(around, add, { alsoRead: shown })], now)
      if (!counted) return unknown
      // Of this solve itself nobody is to be told.
      const earlier = counted[1].values.slice(around.read.length).map((each) => sliding(each, now, HISTORY_WINDOW) - 1)
      const [again = 0, ...alike] = earlier
      const near = nearOf(counted, now)
      return {
        address: near.address,
        network: near.network,
        everywhere,
        siteSolves,
        first: counted[0].first,
        again: Math.max(0, again),
        alike: Math.max(0, ...alike),
      }
    },

    note(noted) {
      const { place, what } = noted
      const { sitekey } = place
      const add = oneMore(COUNTS_AS[what])
      soon.add(placeSubject(where(place), sitekey), add)
      if (what === 'challenged') daily.add(daySubject(where(place), sitekey), add)
      if (noted.costBin !== undefined) daily.add(timesSubject(sitekey), [[String(noted.costBin), 1]])
      if (noted.behaviour !== undefined) {
        const { behaviour } = noted
        soon.add(behaviourSubject(where(place), sitekey, behaviour), [[behaviour, 1]])
      }
      if (noted.address !== undefined) noteNear(noted.address, noted)
    },

    load(place, now) {
      const name = where(place)
      const last = loads.get(name)
      if (last?.at === now) return last.load
      const load = loadOf(place, now)
      loads.set(name, { at: now, load })
      return load
    },

    async close() {
      await soon.close()
      await daily.close()
    },
  }

  function loadOf(place: SitePlace, now: UnixSeconds): SiteLoad {
    const [usual = 0] = known.get(`d:${where(place)}`, now) ?? []
    return {
      recent: known.get(`s:${where(place)}`, now)?.[CHALLENGES] ?? 0,
      usual: (usual * HISTORY_WINDOW) / DAY,
      unitCost: slowUnit(known.get(`t:${place.sitekey}`, now) ?? []),
    }
  }

  /** What is known only after the answer is out. Challenges and solves of an address are counted already. */
  function noteNear(address: string, { what, unfinished = 0 }: Noted): void {
    const late = what === 'verified' || what === 'failed' || what === 'low'
    if (!late && unfinished === 0) return
    const add: Addition[] = late ? [[FIELD[what], 1]] : []
    if (unfinished > 0) add.push([FIELD.unfinished, Math.round(unfinished * 100)])
    const network = networkOf(address)
    soon.add(addressSubject(address, network, FULLY), add)
    soon.add(networkSubject(network, FULLY), add)
  }
}

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
  { once, alsoRead }: { readonly once?: string; readonly alsoRead?: readonly string[] } = {},
): Bump => ({ subject, place, bucket, read: alsoRead ? [...read, ...alsoRead] : read, keep, once, add })

/** One more of these. */
const oneMore = (what: keyof typeof FIELD): readonly Addition[] => [[FIELD[what], 1]]

const CHALLENGES = Object.keys(FIELD).indexOf('challenges')
const SOLVES = Object.keys(FIELD).indexOf('solves')

const where = ({ sitekey, action }: SitePlace): string => (action === undefined ? sitekey : `${sitekey}/${action}`)
const behaviourName = (place: SitePlace, hash: string): string => `b:${where(place)}/${hash[0]}${hash}`

const nearOf = ([own, around]: readonly [Counted, Counted], now: UnixSeconds): Neighbourhood => ({
  address: countsOf(own, now),
  network: countsOf(around, now),
})
