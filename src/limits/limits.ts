import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import { Fault } from '../domain/codes.ts'
import type { Rate } from '../domain/time.ts'
import { seconds } from '../domain/words.ts'
import type { Limiter, Operation } from '../ports.ts'
import { windows } from './windows.ts'

/** The budgets: of a visitor's address, or (siteverify) of a site. */
export type Budgets = Readonly<Record<Operation, Rate>>

/** What the limiter needs of the link to Redis. */
export interface ScriptStore {
  /** What a key of this name begins with: `{hv}:`. */
  prefixFor(name: string): string
  evaluate(
    lua: string,
    keys: readonly string[],
    args: readonly string[],
    patience: { readonly budgetMs: number; readonly retry: boolean },
  ): Promise<unknown>
}

const OPERATIONS = ['challenge', 'solve', 'siteverify', 'fallback'] as const satisfies readonly Operation[]

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
 * one per process the moment Redis died (THREATS.md, section 3).
 */
export function redisLimiter(store: ScriptStore, budgets: Budgets): Limiter {
  // The library calls this one method of its client; through the link it follows every reconnection.
  const storeClient = {
    rlflxIncr: ([key, points, duration]: [string, string, string]) =>
      store.evaluate(TAKE_SCRIPT, [`${store.prefixFor(key)}${key}`], [points, duration], PATIENCE),
  }
  return limiter((operation) => {
    const { points, per } = budgets[operation]
    return new RateLimiterRedis({ storeClient, keyPrefix: `l:${operation}`, points, duration: per })
  })
}

interface Counter {
  consume(key: string): Promise<RateLimiterRes>
}

function limiter(counterOf: (operation: Operation) => Counter): Limiter {
  const counters = new Map<Operation, Counter>(OPERATIONS.map((operation) => [operation, counterOf(operation)]))
  return {
    async take(operation, who) {
      try {
        await counters.get(operation)!.consume(who)
      } catch (thrown) {
        throw toFault(thrown)
      }
    },
    async close() {},
  }
}

/**
 * The count of one process, beside the embedded ledger.
 *
 * @param capacity callers of each operation; some 200 bytes each.
 */
export function memoryLimiter(budgets: Budgets, elapsed = () => performance.now(), capacity = 100_000): Limiter {
  const counted = new Map(OPERATIONS.map((each) => [each, windows(budgets[each], elapsed, capacity)] as const))
  return {
    async take(operation, who) {
      const retryAfter = counted.get(operation)!.wait(who)
      if (retryAfter !== undefined) throw new Fault('rate-limit-exceeded', { retryAfter })
      counted.get(operation)!.count(who)
    },
    async close() {},
  }
}

/** Too often only if the library says so with its own object; anything else means that nobody can tell. */
function toFault(thrown: unknown): Fault {
  if (thrown instanceof RateLimiterRes) {
    return new Fault('rate-limit-exceeded', { retryAfter: seconds(Math.max(1, Math.ceil(thrown.msBeforeNext / 1000))) })
  }
  return new Fault('rate-limiter-unavailable', { cause: thrown, retryAfter: seconds(1) })
}
