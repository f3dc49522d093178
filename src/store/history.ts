import { networkOf } from '../domain/address-mark.ts'
import { HISTORY_WINDOW, type Neighbourhood, type SiteLoad, sliding, STRANGER } from '../domain/history.ts'
import { seconds, type UnixSeconds } from '../domain/words.ts'
import type { Log } from '../domain/observing.ts'
import type { History, SitePlace } from '../domain/stores.ts'
import type { Counted, Counters, Subject } from './counters.ts'
import { RedisFailure } from './redis-failure.ts'

const DAY = seconds(86_400)
/**
 * Milliseconds that a request waits for history, however often it asks: less than for the limiter, because it is better off
 * without. A lost reply is not asked for again.
 */
const PATIENCE_MS = 250
const recently = (name: string): Subject => ({ name, bucket: HISTORY_WINDOW })

/** History over counters in Redis or in memory: counts solves, and says what they amount to. */
export function history(counters: Counters, log: Log): History {
  /** The last known counts of each place; there are as many as the configuration lists. */
  const places = new Map<string, { readonly counts: Counted['counts']; readonly at: UnixSeconds }>()
  let complained = false

  /** @returns undefined when the store does not answer. Logged once per outage. */
  async function ask(...question: Parameters<Counters['count']>): Promise<Counted | undefined> {
    try {
      const answer = await counters.count(...question)
      if (complained) log.info('history is back')
      complained = false
      return answer
    } catch (error) {
      if (!(error instanceof RedisFailure)) throw error
      if (!complained) log.warn('history is unreachable; visits are scored without it', { detail: String(error) })
      complained = true
      return undefined
    }
  }

  return {
    async near(address, now) {
      if (address === undefined) return STRANGER
      return nearOf(await ask(networkOf(address), around(address), undefined, now, PATIENCE_MS), now)
    },

    async solved(address, { jti, place, isPart }, now) {
      const solve = { challenge: jti.slice(0, 8), isPart }
      const until = performance.now() + PATIENCE_MS
      const near =
        address === undefined ? undefined : await ask(networkOf(address), around(address), solve, now, PATIENCE_MS)
      if (address !== undefined && near === undefined) return STRANGER
      const name = nameOf(place)
      const subjects = [recently(`s:${name}`), { name: `d:${name}`, bucket: DAY }]
      // Of a stranger the place remembers the challenge.
      const counts = near === undefined ? solve : near.isNew ? { isPart } : undefined
      const site = await ask(place.sitekey, subjects, counts, now, until - performance.now())
      if (site) places.set(name, { counts: site.counts, at: now })
      return nearOf(near, now)
    },

    load(place, now): SiteLoad {
      const last = places.get(nameOf(place))
      const [recent, day] = last?.counts ?? []
      if (!last || !recent || !day) return { recent: 0, usual: 0 }
      return {
        recent: sliding(recent.solves, HISTORY_WINDOW, now, last.at),
        usual: (sliding(day.solves, DAY, now, last.at) * HISTORY_WINDOW) / DAY,
      }
    },
  }
}

/** An address and its network. */
const around = (address: string): readonly Subject[] => [recently(`a:${address}`), recently(`n:${networkOf(address)}`)]

/** A sitekey, or a sitekey and an action of it. */
const nameOf = ({ sitekey, action }: SitePlace): string => (action === undefined ? sitekey : `${sitekey}/${action}`)

function nearOf(counted: Counted | undefined, now: UnixSeconds): Neighbourhood {
  const [address, network] = (counted?.counts ?? []).map(({ solves, parts }) => ({
    solves: sliding(solves, HISTORY_WINDOW, now),
    parts: sliding(parts, HISTORY_WINDOW, now),
  }))
  return address && network ? { address, network } : STRANGER
}
