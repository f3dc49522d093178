import { networkOf, subnetOf } from '../domain/address-mark.ts'
import { Fault } from '../domain/codes.ts'
import type { Rate } from '../domain/time.ts'
import { type Seconds, seconds } from '../domain/words.ts'
import type { Scripts } from '../ports/stores.ts'

/**
 * How many times the budget of one address the networks around it have together. An IPv4 /24 holds offices and carriers
 * with thousands of visitors; an IPv6 /56 or /48 is mostly one customer of a provider, who owns all its addresses.
 */
const SHARES = { '4': { network: 16 }, '6': { subnet: 2, network: 4 } } as const
/** Visits that may come at once, as a multiple of the visits that the rate allows in its length of time. */
const BURST = 3

/** A budget of its own under which places are counted. */
interface BudgetKind {
  readonly kind: 'visit' | 'ticket'
  /** Visits that may come at once, as a multiple of what the rate allows in its length of time. */
  readonly burst: number
}

const VISITS: BudgetKind = { kind: 'visit', burst: BURST }
/** Tickets: what the rate allows may come at once, and no more. */
export const TICKETS: BudgetKind = { kind: 'ticket', burst: 1 }

/** A place that has a budget, and how fast its room comes back. */
export interface BudgetPlace {
  readonly key: string
  /** Milliseconds that one visit takes up. */
  readonly perVisitMs: number
  /** Milliseconds of visits that may be taken up at a time. */
  readonly roomMs: number
}

/**
 * An address and the networks around it.
 *
 * @param who `4` or `6` and the hash of an address mark; anything else is a place of its own.
 * @param isTight the store has little room: a network has as much as one address.
 */
export function budgetPlaces(
  who: string,
  { points, per }: Rate,
  { kind, burst }: BudgetKind = VISITS,
  isTight = false,
): readonly BudgetPlace[] {
  const place = (name: string, times: number): BudgetPlace => {
    const perVisitMs = (per * 1000) / (points * (isTight ? 1 : times))
    return { key: `l:${kind}:${name}`, perVisitMs, roomMs: per * 1000 * burst }
  }
  const [family, hash] = [who[0], who.slice(1)]
  if (hash.length < 22 || (family !== '4' && family !== '6')) return [place(who, 1)]
  const own = place(hash, 1)
  const network = place(networkOf(hash), SHARES[family].network)
  return family === '4' ? [own, network] : [own, place(subnetOf(hash), SHARES[family].subnet), network]
}

/** Where the places' theoretical arrival times are kept. */
export interface Arrivals {
  /**
   * Takes room in all of the places, or in none of them.
   *
   * @param cost visits.
   * @param anyway takes it even where there is no room.
   * @returns milliseconds until there is room in all; 0: it was taken.
   * @throws {Error} when nobody can tell.
   */
  take(places: readonly BudgetPlace[], cost: number, anyway: boolean): Promise<number>
}

/** A budget of visits. */
export interface VisitBudget {
  /**
   * @throws {Fault} `rate-limit-exceeded` with the seconds until there is room. @throws {Error} when nobody can tell.
   */
  take(who: string): Promise<void>
  charge(who: string, visits: number): void
}

/**
 * A budget of visits for each address and the networks around it, by the generic cell rate algorithm: room comes back
 * steadily, and a burst is served at once. A visitor over it waits for seconds, not for the end of a window.
 *
 * @param isTight whether the store has little room left.
 * @see ITU-T I.371, the generic cell rate algorithm
 */
export function visitBudget(arrivals: Arrivals, rate: Rate, kind = VISITS, isTight = () => false): VisitBudget {
  return {
    async take(who) {
      const places = budgetPlaces(who, rate, kind, isTight())
      const waitMs = await arrivals.take(places, 1, false)
      if (waitMs > 0) throw new Fault('rate-limit-exceeded', { retryAfter: wholeSeconds(waitMs) })
    },
    charge(who, visits) {
      arrivals.take(budgetPlaces(who, rate, kind, isTight()), visits, true).catch(() => {})
    },
  }
}

const wholeSeconds = (ms: number): Seconds => seconds(Math.ceil(ms / 1000))

/** A lost reply is not asked for again: that would take more room. */
const PATIENCE = { budgetMs: 350, retry: false } as const

/**
 * KEYS: the places. ARGV: 1 to take anyway, else 0; then of each place the milliseconds to take and its room.
 *
 * @returns milliseconds to wait; 0: taken.
 */
const TAKE_SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local wait, arrivals = 0, {}
for i = 1, #KEYS do
  local arrival = tonumber(redis.call('GET', KEYS[i]) or '0')
  -- A server whose clock was ahead must not close a place for longer than its room.
  arrival = math.min(math.max(arrival, now), now + 2 * tonumber(ARGV[2 * i + 1])) + tonumber(ARGV[2 * i])
  arrivals[i] = arrival
  wait = math.max(wait, arrival - now - tonumber(ARGV[2 * i + 1]))
end
if wait > 0 and ARGV[1] ~= '1' then return math.ceil(wait) end
for i = 1, #KEYS do
  redis.call('SET', KEYS[i], string.format('%.0f', arrivals[i]), 'PX', string.format('%.0f', math.max(1, arrivals[i] - now)))
end
return 0
`

/** The arrival times of many processes. All places of an address lie in one partition: that of its network, as all of history's do. */
export function redisArrivals(store: Scripts): Arrivals {
  const wordsOf = (places: readonly BudgetPlace[], cost: number, anyway: boolean) => {
    const widest = places.at(-1)!.key
    const prefix = store.prefixFor(widest.slice(widest.lastIndexOf(':') + 1))
    const keys = places.map(({ key }) => `${prefix}${key}`)
    const args = places.flatMap(({ perVisitMs, roomMs }) => [String(perVisitMs * cost), String(roomMs)])
    return { keys, args: [anyway ? '1' : '0', ...args] }
  }
  return {
    async take(places, cost, anyway) {
      const { keys, args } = wordsOf(places, cost, anyway)
      return (await store.evaluate(TAKE_SCRIPT, keys, args, PATIENCE)) as number
    },
  }
}

/** Milliseconds. A shorter wait is what rounding leaves of a place that was just filled: it is none. */
const ROUNDING_MS = 0.001

/**
 * The arrival times of one process.
 *
 * @param elapsed milliseconds of a clock that never jumps.
 * @param capacity places; when full, the one that was used longest ago goes: it has the most room.
 */
export function memoryArrivals(elapsed = () => performance.now(), capacity = 200_000): Arrivals {
  const arrivals = new Map<string, number>()
  return {
    async take(places, cost, anyway) {
      const now = elapsed()
      const next = places.map(({ key, perVisitMs }) => Math.max(arrivals.get(key) ?? 0, now) + perVisitMs * cost)
      const wait = Math.max(0, ...places.map(({ roomMs }, i) => next[i]! - now - roomMs))
      if (wait > ROUNDING_MS && !anyway) return wait
      places.forEach(({ key }, i) => {
        arrivals.delete(key)
        if (arrivals.size >= capacity) arrivals.delete(arrivals.keys().next().value!)
        arrivals.set(key, next[i]!)
      })
      return 0
    },
  }
}
