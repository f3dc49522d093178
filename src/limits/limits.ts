import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import { Fault } from '../domain/codes.ts'
import type { Rate } from '../domain/time.ts'
import { seconds } from '../domain/words.ts'
import type { Limiter, Operation, Scripts } from '../ports/stores.ts'
import { memoryArrivals, redisArrivals, TICKETS, visitBudget } from './visit-budget.ts'
import { windows } from './windows.ts'

/** The budgets: of a visitor's address, or (siteverify) of a site. */
export type Budgets = Readonly<Record<Operation, Rate>>

/** Operations that are counted in windows; challenges and tickets have a budget of visits. */
const WINDOWED = ['solve', 'siteverify', 'fallback', 'junk'] as const satisfies readonly Operation[]

/** A lost reply is not asked for again: that would take a second point. */
const PATIENCE = { budgetMs: 350, retry: false } as const

/**
 * Opens the window if there is none, takes the points, and says how many are gone and how many ms are left.
 * Ours instead of the library's, so that the Redis user needs INCRBY and PTTL and nothing more.
 *
 * KEYS: the window. ARGV: points, seconds.
 */
const TAKE_SCRIPT = `
redis.call('SET', KEYS[1], 0, 'EX', ARGV[2], 'NX')
return {redis.call('INCRBY', KEYS[1], ARGV[1]), redis.call('PTTL', KEYS[1])}
`

/**
 * One count over all processes. No insurance limiter behind it: with one, an address over its budget got a full new
 * one per process the moment Redis died (docs/design/threats.md, "When Redis is down").
 *
 * @param isTight whether the store has little room left; left out: never.
 */
export function redisLimiter(store: Scripts, budgets: Budgets, isTight?: () => boolean): Limiter {
  // The library calls this one method of its client; through the link it follows every reconnection.
  const storeClient = {
    rlflxIncr: ([key, points, duration]: [string, string, string]) =>
      store.evaluate(TAKE_SCRIPT, [`${store.prefixFor(key)}${key}`], [points, duration], PATIENCE),
  }
  const counters = new Map<Operation, RateLimiterRedis>(
    WINDOWED.map((operation) => {
      const { points, per } = budgets[operation]
      return [operation, new RateLimiterRedis({ storeClient, keyPrefix: `l:${operation}`, points, duration: per })]
    }),
  )
  const visits = visitBudget(redisArrivals(store), budgets.challenge, undefined, isTight)
  const tickets = visitBudget(redisArrivals(store), budgets.ticket, TICKETS)
  return {
    async take(operation, who) {
      try {
        if (operation === 'challenge') await visits.take(who)
        else if (operation === 'ticket') await tickets.take(who)
        else await counters.get(operation)!.consume(who)
      } catch (thrown) {
        throw toFault(thrown)
      }
    },
    charge: (who, cost) => visits.charge(who, cost),
    giveBack: (operation, who) =>
      void counters
        .get(operation)!
        .reward(who)
        .catch(() => {}),
    async close() {},
  }
}

/**
 * The count of one process, beside the embedded ledger.
 *
 * @param capacity callers of each operation; some 200 bytes each.
 * @param isTight as of `redisLimiter`.
 */
export function memoryLimiter(
  budgets: Budgets,
  elapsed = () => performance.now(),
  capacity = 100_000,
  isTight?: () => boolean,
): Limiter {
  const windowsOf = new Map(
    WINDOWED.map((each) => [each as Operation, windows(budgets[each], elapsed, capacity)] as const),
  )
  const visits = visitBudget(memoryArrivals(elapsed), budgets.challenge, undefined, isTight)
  const tickets = visitBudget(memoryArrivals(elapsed), budgets.ticket, TICKETS)
  return {
    async take(operation, who) {
      if (operation === 'challenge') return visits.take(who)
      if (operation === 'ticket') return tickets.take(who)
      const retryAfter = windowsOf.get(operation)!.wait(who)
      if (retryAfter !== undefined) throw new Fault('rate-limit-exceeded', { retryAfter })
      windowsOf.get(operation)!.count(who)
    },
    charge: (who, cost) => visits.charge(who, cost),
    giveBack: (operation, who) => windowsOf.get(operation)!.giveBack(who),
    async close() {},
  }
}

/** Too often only if the library says so with its own object; anything else means that nobody can tell. */
function toFault(thrown: unknown): Fault {
  if (thrown instanceof Fault) return thrown
  if (thrown instanceof RateLimiterRes) {
    return new Fault('rate-limit-exceeded', { retryAfter: seconds(Math.max(1, Math.ceil(thrown.msBeforeNext / 1000))) })
  }
  return new Fault('rate-limiter-unavailable', { cause: thrown, retryAfter: seconds(1) })
}
