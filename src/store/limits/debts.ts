import { readFileSync } from 'node:fs'
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
} from 'rate-limiter-flexible'
import type { Rate } from '../../domain/time.ts'
import { boundedKinds } from '../../domain/bounded-kinds.ts'
import type { Patience, RedisConnection } from '../redis/redis-connection.ts'

/**
 * What a caller owes: each point is owed for some time, and a caller who owes too much is refused (the generic cell rate
 * algorithm, ITU-T I.371). There are no windows at whose boundary a budget could be used twice, and the state is one number.
 */
export interface Debt {
  /** Name of the budget. */
  readonly of: string
  /** Whose budget it is. */
  readonly whose: string
  /** Milliseconds to add, may be a fraction; 0 only checks for room. */
  readonly addMs: number
  /** Milliseconds for which there must be room. */
  readonly roomMs: number
  readonly mostMs: number
}

/** A charge that is made only once, and is remembered until `endsAt` (Unix milliseconds). */
export interface Once {
  readonly of: string
  readonly whose: string
  readonly endsAt: number
}

/** @param waitMs until there is room. */
export type Charged =
  { readonly is: 'charged' | 'charged before' } | { readonly is: 'full'; readonly waitMs: number }

/**
 * Takes a point of a site, or gives it back. @throws {RateLimiterRes} if none is left; {RedisFailure} if no answer comes in
 * time.
 */
export type SiteLimit = (sitekey: string, points: 1 | -1) => Promise<unknown>

/** Where debts are stored; Redis and memory make the same promises. */
export interface Debts {
  /**
   * Charges all of these debts, or none if one has no room.
   *
   * @param place the text that selects the partition.
   * @param now Unix milliseconds of the caller, so that a server's wrong clock does not prolong a refusal.
   * @throws {RedisFailure} if no answer comes in time. The debts may have been charged.
   */
  charge(
    place: string,
    debts: readonly Debt[],
    once: Once | undefined,
    now: number,
  ): Promise<Charged>
  /** Returns a limit with plain windows: sites are few, known and charged one at a time. @param of the budget. */
  siteLimit(of: string, rate: Rate): SiteLimit
}

const takeFrom = (
  limiter: RateLimiterAbstract,
  sitekey: string,
  points: 1 | -1,
): Promise<unknown> => (points === 1 ? limiter.consume(sitekey) : limiter.reward(sitekey))

const readCharge = (): string => readFileSync(new URL('debts.lua', import.meta.url), 'utf8')
const readWindow = (): string => readFileSync(new URL('site-limit.lua', import.meta.url), 'utf8')
/** No retry after a lost answer: it would charge a second time. */
const PATIENCE: Patience = { budgetMs: 300, retry: false }

/** The debts of several processes, in keys `{hv}:l:OF:WHOSE`. */
export function redisDebts(redis: RedisConnection): Debts {
  const script = redis.script('hvCharge', readCharge())
  return {
    async charge(place, debts, once, now) {
      const prefix = redis.prefixFor(place)
      const keys = [...debts, ...(once ? [once] : [])].map(
        ({ of, whose }) => `${prefix}l:${of}:${whose}`,
      )
      const amounts = debts.flatMap(({ addMs, roomMs, mostMs }) => [addMs, roomMs, mostMs])
      const args = [now, once ? once.endsAt - now : '', ...amounts].map(String)
      const [full, waitMs = 0] = (await script(keys, args, PATIENCE)) as [number, number?]
      if (full > 0) return { is: 'full', waitMs }
      return { is: full === 0 ? 'charged' : 'charged before' }
    },
    siteLimit(of, { points, per }) {
      const window = {
        storeClient: redis.client,
        points,
        duration: per,
        customIncrTtlLuaScript: readWindow(),
      }
      const limiterOf = (prefix: string) =>
        new RateLimiterRedis({ ...window, keyPrefix: `${prefix}l:${of}` })
      const limiters = new Map(redis.prefixes.map((prefix) => [prefix, limiterOf(prefix)]))
      return (sitekey, by) =>
        redis.ask(() => takeFrom(limiters.get(redis.prefixFor(sitekey))!, sitekey, by), PATIENCE)
    },
  }
}

/** Milliseconds by which the clocks of callers may differ for a debt, as in debts.lua. */
const apartMs = (mostMs: number): number => Math.max(2000, Math.min(10_000, mostMs / 10))

/**
 * The debts of one process.
 *
 * @param capacity debts of one kind, some 200 bytes each. Large debts are dropped last.
 */
export function memoryDebts(capacity = 100_000): Debts {
  const kept = boundedKinds<{ endsAt: number; readonly mostMs: number }>(
    capacity,
    ({ endsAt, mostMs }, now) => endsAt - now > mostMs / 2,
  )
  function owed({ of, whose, mostMs }: Debt, now: number): number {
    const ms = Math.max(0, (kept.get(of, whose)?.endsAt ?? 0) - now)
    return ms > mostMs + apartMs(mostMs) ? 0 : ms
  }

  return {
    async charge(_place, debts, once, now) {
      if (once && (kept.get(once.of, once.whose)?.endsAt ?? 0) > now)
        return { is: 'charged before' }
      for (const debt of debts) {
        const over = owed(debt, now) + debt.roomMs - debt.mostMs
        if (debt.roomMs > 0 && over > debt.roomMs / 100)
          return { is: 'full', waitMs: Math.ceil(over) }
      }
      for (const debt of debts.filter(({ addMs }) => addMs !== 0)) {
        const { of, whose, addMs, mostMs } = debt
        const endsAt = now + owed(debt, now) + addMs
        const known = kept.get(of, whose)
        if (known) known.endsAt = endsAt
        else kept.add(of, whose, { endsAt, mostMs }, now)
      }
      if (once) kept.add(once.of, once.whose, { endsAt: once.endsAt, mostMs: 0 }, now)
      return { is: 'charged' }
    },
    siteLimit(_of, { points, per }) {
      const limiter = new RateLimiterMemory({ points, duration: per })
      return (sitekey, by) => takeFrom(limiter, sitekey, by)
    },
  }
}
