import { readFileSync } from 'node:fs'
import {
  BurstyRateLimiter,
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible'
import { parseAddress } from '../domain/address.ts'
import { networkOf, subnetOf } from '../domain/address-mark.ts'
import { Fault } from '../domain/codes.ts'
import type { Rate } from '../domain/time.ts'
import { seconds } from '../domain/words.ts'
import type { Limiter, Operation } from '../domain/stores.ts'
import { ignoreFailure, RedisFailure } from './redis-failure.ts'
import type { Patience, RedisConnection } from './redis.ts'

/** The rates of the configuration: of a visitor's address, or (siteverify, junk) of a site. */
export type Budgets = Readonly<
  Record<'challenge' | 'solve' | 'siteverify' | 'fallback' | 'junk' | 'ticket' | 'invalidSecret', Rate>
>

/** No retry after a lost answer: it would take a second point. */
const PATIENCE: Patience = { budgetMs: 300, retry: false }
const TAKE = readFileSync(new URL('limits.lua', import.meta.url), 'utf8')

/** Where points are counted: in Redis for all processes, or in this one. */
interface Store {
  readonly prefixes: readonly string[]
  readonly prefixFor: (who: string) => string
  /** @param duration seconds, whole. */
  readonly limiter: (keyPrefix: string, points: number, duration: number) => RateLimiterAbstract
  readonly ask: <T>(call: (options: object) => Promise<T>) => Promise<T>
}

/**
 * One count over all processes. No `insuranceLimiter`: with one, an address over its budget would get a full new budget of
 * each process the moment Redis fails (docs/design/threats.md, "When Redis is down").
 *
 * @param isTight whether the store has little room left: then a network has as much as one address.
 */
export function redisLimiter(redis: RedisConnection, budgets: Budgets, isTight = () => false): Limiter {
  return limits(
    {
      prefixes: redis.prefixes,
      prefixFor: (who) => redis.prefixFor(who),
      limiter: (keyPrefix, points, duration) =>
        new RateLimiterRedis({
          storeClient: redis.client,
          keyPrefix,
          points,
          duration,
          // The library's own script, but with windows that end by our clock.
          customIncrTtlLuaScript: TAKE,
          // Callers over the limit are refused without asking Redis, except sites, which can get points back.
          ...(!keyPrefix.endsWith(':siteverify') && { inMemoryBlockOnConsumed: points + 1 }),
        }),
      // The script's second argument: the library has no other way to tell it the time, and always tells it the length.
      ask: (call) => redis.ask(() => call({ customDuration: Date.now() }), PATIENCE),
    },
    budgets,
    isTight,
  )
}

const inMemory: Store['limiter'] = (keyPrefix, points, duration) =>
  new RateLimiterMemory({ keyPrefix, points, duration })

/** The counts of one process, beside the embedded ledger. */
export function memoryLimiter(budgets: Budgets, isTight = () => false): Limiter {
  return limits({ prefixes: [''], prefixFor: () => '', limiter: inMemory, ask: (call) => call({}) }, budgets, isTight)
}

/**
 * How many times the budget of one address the networks around it have together: an IPv4 /24 and an IPv6 /48 hold thousands
 * of visitors, a /56 is mostly one customer of a provider.
 */
const SUBNET_TIMES = 2
const NETWORK_TIMES = 16

/** A key that is charged, and the multiple of an address's budget that it has. */
type Place = readonly [name: string, times: number]

/**
 * Returns an address and the networks around it, the narrowest first: charged in turn, a caller over its own budget takes
 * nothing from its neighbours.
 *
 * @param who an address mark; anything else is a place of its own.
 */
export function placesOf(who: string): readonly Place[] {
  if (!/^[46][gp].{22}$/.test(who)) return [[who, 1]]
  const network: Place = [networkOf(who), NETWORK_TIMES]
  return who.startsWith('4') ? [[who, 1], network] : [[who, 1], [subnetOf(who), SUBNET_TIMES], network]
}

/** Visits are counted in halves, because one that shows little costs half a visit more and the library counts whole points. */
const HALVES = 2

/**
 * Returns the windows of a rate of visits: a short one, so that whoever is over it waits for a sixth of the rate's time, and
 * a long one for those who come at once. `18 per 1m` is 3 in 10 s and 60 more in 10 min: at most 240 in ten minutes.
 */
export function visitWindows({ points, per }: Rate, times = 1) {
  const short = Math.max(1, Math.floor(per / 6))
  return {
    steady: { points: Math.max(1, Math.round((points * short) / per)) * times * HALVES, seconds: short },
    burst: { points: Math.ceil((points * 10) / 3) * times * HALVES, seconds: per * 10 },
  }
}

type Consumer = Pick<RateLimiterAbstract, 'consume'>

/** A limiter for each multiple of the budget of an address. */
const forEachTimes = (make: (times: number) => Consumer): ReadonlyMap<number, Consumer> =>
  new Map([1, SUBNET_TIMES, NETWORK_TIMES].map((times) => [times, make(times)]))

function limits({ prefixes, prefixFor, limiter, ask }: Store, budgets: Budgets, isTight: () => boolean): Limiter {
  /** Of one partition: by operation, and by how many times the budget of an address it has. */
  function limitersOf(prefix: string) {
    const plain = (name: Operation, { points, per }: Rate, times = 1) =>
      limiter(`${prefix}l:${name}`, points * times, per)
    const visits = (times: number): Consumer => {
      const { steady, burst } = visitWindows(budgets.solve, times)
      return new BurstyRateLimiter(
        limiter(`${prefix}l:visit`, steady.points, steady.seconds),
        limiter(`${prefix}l:burst`, burst.points, burst.seconds),
      )
    }
    // `limits.challenge` bounds the calls of solve too; `limits.solve` bounds solutions that were right (`visit`).
    const own = {
      solve: plain('solve', budgets.challenge),
      siteverify: plain('siteverify', budgets.siteverify),
      fallback: plain('fallback', budgets.fallback),
      junk: plain('junk', budgets.junk),
    }
    const shared = {
      challenge: forEachTimes((times) => plain('challenge', budgets.challenge, times)),
      ticket: forEachTimes((times) => plain('ticket', budgets.ticket, times)),
      visit: forEachTimes(visits),
    }
    return { own, shared }
  }

  const sets = new Map(prefixes.map((prefix) => [prefix, limitersOf(prefix)]))
  const setFor = (who: string) => sets.get(prefixFor(who))!
  /** In the memory of each process, so that a refusal of a wrong secret never depends on a store. */
  const { points, per } = budgets.invalidSecret
  const guesses = new RateLimiterMemory({ points, duration: per })

  async function take(operation: Operation, who: string, halves: number): Promise<void> {
    if (operation === 'guess') return void (await guesses.consume(parseAddress(who)?.subscriber ?? who))
    if (operation !== 'challenge' && operation !== 'ticket' && operation !== 'visit')
      return void (await ask((options) => setFor(who).own[operation].consume(who, 1, options)))
    const places = placesOf(who)
    const charge = ([name, times]: Place): Promise<unknown> => {
      const consumer = setFor(name).shared[operation].get(isTight() ? 1 : times)!
      return ask((options) => consumer.consume(name, operation === 'visit' ? halves : 1, options))
    }
    // At once: the limit of solves already bounds what one address can charge to its neighbours.
    if (operation === 'visit') return void (await Promise.all(places.map(charge)))
    for (const place of places) {
      // An unsolved challenge is not charged to the networks around its address.
      if (operation !== 'challenge' || place[1] !== NETWORK_TIMES) await charge(place)
    }
  }

  return {
    take: (operation, who, halves = HALVES) => take(operation, who, halves).catch(throwFault),
    async giveBack(operation, who) {
      await ask((options) => setFor(who).own[operation].reward(who, 1, options)).catch(ignoreFailure)
    },
  }
}

/**
 * Rate-limited only if the library rejects with its own result object. @throws anything else that is not a failure of
 * Redis.
 */
function throwFault(thrown: unknown): never {
  if (thrown instanceof RateLimiterRes) {
    throw new Fault('rate-limit-exceeded', { retryAfter: seconds(Math.max(1, Math.ceil(thrown.msBeforeNext / 1000))) })
  }
  if (!(thrown instanceof RedisFailure)) throw thrown
  // Redis also holds the ledger, so an outage is reported as the ledger's.
  const code = thrown.isOutage ? 'database-unavailable' : 'rate-limiter-unavailable'
  throw new Fault(code, { cause: thrown, retryAfter: seconds(1) })
}
