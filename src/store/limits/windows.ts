import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible'
import { boundedKinds } from '../../domain/bounded-kinds.ts'
import type { Rate } from '../../domain/time.ts'
import type { Patience, RedisConnection } from '../redis/redis-connection.ts'

/**
 * A budget whose points are counted in a window that begins with the first of them. It is over for all points at once.
 *
 * Both methods throw a {@link RedisFailure} if no answer comes in time.
 */
export interface WindowLimit {
  /** Takes a point. @returns milliseconds until the window is over, if none is left; else 0. */
  take(owner: string): Promise<number>
  /** Gives a point back. */
  giveBack(owner: string): Promise<void>
}

/** Makes the limit of a budget. @param budget its name. */
export type MakeWindowLimit = (budget: string, rate: Rate) => WindowLimit

/** No retry after a lost answer: it would take a second point. */
const PATIENCE: Patience = { budgetMs: 300, retry: false }
/** Milliseconds by which a window may end later than possible before the server's clock counts as set back. */
const TOLERANCE_MS = 1000

/** Takes a point. @throws {RedisFailure} */
async function consume(limiter: RateLimiterAbstract, owner: string): Promise<RateLimiterRes> {
  try {
    return await limiter.consume(owner)
  } catch (refused) {
    if (refused instanceof RateLimiterRes) return refused
    throw refused
  }
}

const waitOf = ({ consumedPoints, msBeforeNext }: RateLimiterRes, { points }: Rate): number =>
  consumedPoints > points ? Math.max(1, msBeforeNext) : 0

/**
 * Returns limits that several processes share, in keys `{hv}:l:BUDGET:OWNER`.
 *
 * An `insuranceLimiter` is not used: it counts in each process while Redis is down, so each process would give a full new budget to
 * an address that is over its own (docs/design/threats.md, "When Redis is down").
 */
export function redisWindows(redis: RedisConnection): MakeWindowLimit {
  return (budget, rate) => {
    const options = { storeClient: redis.client, points: rate.points, duration: rate.per }
    const limiters = new Map(
      redis.prefixes.map((prefix) => [
        prefix,
        new RateLimiterRedis({ ...options, keyPrefix: `${prefix}l:${budget}` }),
      ]),
    )
    const limiterOf = (owner: string) => limiters.get(redis.prefixFor(owner))!
    const longest = rate.per * 1000 + TOLERANCE_MS
    return {
      async take(owner) {
        const limiter = limiterOf(owner)
        const result = await redis.ask(() => consume(limiter, owner), PATIENCE)
        if (result.msBeforeNext <= longest) return waitOf(result, rate)
        // Redis expires keys by its clock: where that was set back, the window would last longer, for a whole site perhaps.
        await redis.ask(() => limiter.delete(owner), PATIENCE)
        return waitOf(await redis.ask(() => consume(limiter, owner), PATIENCE), rate)
      },
      async giveBack(owner) {
        await redis.ask(() => limiterOf(owner).reward(owner), PATIENCE)
      },
    }
  }
}

/**
 * Returns limits of one process.
 *
 * @param capacity owners of one budget, some 500 bytes each. RateLimiterMemory has no bound, so at capacity one of the oldest is
 *   deleted, preferably one who has not used up the budget.
 */
export function memoryWindows(capacity = 100_000): MakeWindowLimit {
  return (budget, rate) => {
    const limiter = new RateLimiterMemory({ points: rate.points, duration: rate.per })
    const owners = boundedKinds<{ readonly endsAt: number; consumed: number }>(
      capacity,
      ({ consumed }) => consumed >= rate.points,
      (owner) => void limiter.delete(owner),
    )
    return {
      async take(owner) {
        const result = await consume(limiter, owner)
        const { consumedPoints, msBeforeNext } = result
        const known = owners.get(budget, owner)
        const now = Date.now()
        if (known && known.endsAt > now) known.consumed = consumedPoints
        else
          owners.add(budget, owner, { endsAt: now + msBeforeNext, consumed: consumedPoints }, now)
        return waitOf(result, rate)
      },
      async giveBack(owner) {
        await limiter.reward(owner)
      },
    }
  }
}
