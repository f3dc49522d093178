import { familyOf, networkOf, subnetOf } from '../../domain/address-hash.ts'
import {
  ALL_WORK,
  SUBNET_SHARE,
  HISTORY_WINDOW,
  type Neighbourhood,
  ORDINARY_UNITS,
  type SiteLoad,
  slidingCount,
  NO_WORK_DONE,
  type WorkDone,
} from '../../domain/work-done.ts'
import { seconds, type UnixSeconds } from '../../domain/words.ts'
import type { Log } from '../../domain/observing.ts'
import type { History, SiteAction } from '../../domain/ports.ts'
import type { Counters, Counts, Subject, Work } from './counters.ts'
import { RedisFailure } from '../redis/redis-failure.ts'

const DAY = seconds(86_400)
const recently = (name: string, share = ALL_WORK): Subject => ({
  name,
  bucket: HISTORY_WINDOW,
  share,
})

/** Returns an address and what is around it, the narrowest first. */
function sourcesOf(address: string): readonly Subject[] {
  const network = recently(`n:${networkOf(address)}`)
  if (familyOf(address) === 4) return [recently(`a:${address}`, SUBNET_SHARE), network]
  return [recently(`a:${address}`), recently(`c:${subnetOf(address)}`, SUBNET_SHARE), network]
}

type Counted = Awaited<ReturnType<Counters['count']>>

/** Returns the history of visits, from counters in Redis or in memory. */
export function history(counters: Counters, log: Log): History {
  /** The last known counts of each site's action; at most one for each that the configuration lists. */
  const lastCounts = new Map<string, { readonly counts: Counted; readonly at: UnixSeconds }>()
  let complained = false

  /** @returns undefined if the store does not answer, which is logged once per outage. */
  async function ask(...question: Parameters<Counters['count']>): Promise<Counted | undefined> {
    try {
      const counts = await counters.count(...question)
      if (complained) log.info('history is back')
      complained = false
      return counts
    } catch (error) {
      if (!(error instanceof RedisFailure)) throw error
      if (!complained)
        log.warn('history is unreachable; visits are scored without it', { detail: String(error) })
      complained = true
      return undefined
    }
  }

  async function near(
    address: string | undefined,
    work: Work | undefined,
    now: UnixSeconds,
  ): Promise<Neighbourhood> {
    if (address === undefined) return NO_WORK_DONE
    const counts = await ask(networkOf(address), sourcesOf(address), work, now)
    if (!counts) return NO_WORK_DONE
    const done = counts.map((each) => doneOf(each, now))
    return { address: done[0]!, subnet: done.at(-2)!, network: done.at(-1)! }
  }

  return {
    near: (address, now) => near(address, undefined, now),

    async solved(address, { siteAction, units, partOf }, now) {
      const work = {
        units: Math.min(units, ORDINARY_UNITS),
        partOf: Math.min(partOf, ORDINARY_UNITS),
      }
      const name = nameOf(siteAction)
      const day: Subject = { name: `d:${name}`, bucket: DAY, share: ALL_WORK }
      const [around, counts] = await Promise.all([
        near(address, work, now),
        ask(siteAction.sitekey, [recently(`s:${name}`), day], work, now),
      ])
      if (counts) lastCounts.set(name, { counts, at: now })
      return around
    },

    load(siteAction, now): SiteLoad {
      const { counts: [recent, day] = [], at } = lastCounts.get(nameOf(siteAction)) ?? {}
      if (!recent || !day) return { recent: 0, usual: 0 }
      return {
        recent: visits(recent.units, HISTORY_WINDOW, now, at),
        usual: (visits(day.units, DAY, now, at) * HISTORY_WINDOW) / DAY,
      }
    },
  }
}

/** A sitekey, or a sitekey and one of its actions. */
const nameOf = ({ sitekey, action }: SiteAction): string =>
  action === undefined ? sitekey : `${sitekey}/${action}`

const visits = (...counted: Parameters<typeof slidingCount>): number =>
  slidingCount(...counted) / ORDINARY_UNITS

const doneOf = ({ units, parts }: Counts, now: UnixSeconds): WorkDone => ({
  visits: visits(units, HISTORY_WINDOW, now),
  parts: visits(parts, HISTORY_WINDOW, now),
})
