import { TIGHT_FROM } from '../domain/fullness.ts'
import type { History, Ledger, Limiter } from '../domain/ports.ts'
import { checkRedis } from './redis/check-redis.ts'
import { memoryCounters, redisCounters } from './history/counters.ts'
import { history } from './history/history.ts'
import { type Budgets, budgetLimiter } from './limits/budget-limiter.ts'
import { memoryLimits, redisLimits } from './limits/limit-store.ts'
import { memoryLedger } from './ledger/memory-ledger.ts'
import type { RedisPlace } from './redis/redis-client.ts'
import { redisConnection } from './redis/redis-connection.ts'
import { redisLedger, type RedisLedgerParts } from './ledger/redis-ledger.ts'

/** Without `redis` the stores are in this process. */
interface StoreSettings {
  readonly redis?: RedisPlace | undefined
  readonly ledger: { readonly partitions: number }
  readonly limits: Budgets
}

export interface Stores {
  readonly ledger: Ledger
  readonly limiter: Limiter
  readonly history: History
  /** Closes the shared connection. */
  close(): Promise<void>
}

const isTight = (ledger: Ledger) => (): boolean => ledger.fullness() >= TIGHT_FROM

/**
 * Opens the ledger, the limiter and history, in this process or in Redis.
 *
 * @throws {Error} with a sentence for the operator, if Redis cannot be used.
 */
export async function openStores(
  { redis, ledger: { partitions }, limits }: StoreSettings,
  { random, log, onMove }: RedisLedgerParts,
): Promise<Stores> {
  if (!redis) {
    const ledger = memoryLedger({ random, clock: () => Date.now(), onMove })
    const limiter = budgetLimiter(memoryLimits(), limits, isTight(ledger))
    return { ledger, limiter, history: history(memoryCounters(), log), close: async () => {} }
  }
  const link = redisConnection(redis, { log, partitions })
  const refusal = await checkRedis(link)
  if (refusal !== undefined) {
    await link.close()
    throw new Error(refusal)
  }
  const ledger = redisLedger(link, { random, log, onMove })
  const limiter = budgetLimiter(redisLimits(link), limits, isTight(ledger))
  return { ledger, limiter, history: history(redisCounters(link), log), close: () => link.close() }
}
