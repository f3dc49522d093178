import { history } from '../../src/store/history.ts'
import { redisCounters } from '../../src/store/counters.ts'
import { checkRedis } from '../../src/store/check-redis.ts'
import { redisLedger } from '../../src/store/redis-ledger.ts'
import { type RedisConnection, redisConnection } from '../../src/store/redis.ts'
import { type Budgets, redisLimiter } from '../../src/store/limits.ts'
import type { History, Ledger, Limiter } from '../../src/domain/ports/stores.ts'
import { PLENTY } from './app.ts'
import { keepLog, random } from './ledger-contract.ts'
import { startRedis, type TestRedis } from './redis.ts'

export interface Kept {
  readonly ledger: Ledger
  readonly limiter: Limiter
  readonly history: History
}

/** A real Redis of its own, and what services keep in it, joined as in src/serve.ts. */
export interface RedisStores {
  readonly redis: TestRedis
  /** For one service; another prefix is another service. @throws {Error} when this Redis is none that we use. */
  open(keyPrefix?: string, budgets?: Budgets): Promise<Kept>
  /** Ends the server, too. To be called when no service uses it any more. */
  close(): Promise<void>
}

export async function redisStores(): Promise<RedisStores> {
  const redis = await startRedis()
  const log = keepLog()
  const opened: (Kept & { link: RedisConnection })[] = []
  return {
    redis,
    async open(keyPrefix = 'hv', budgets = PLENTY) {
      const link = redisConnection({ url: redis.url, cluster: undefined, sentinel: undefined, keyPrefix }, { log })
      const refusal = await checkRedis(link)
      if (refusal !== undefined) throw new Error(refusal)
      const ledger = redisLedger(link, { random, log })
      const limiter = redisLimiter(link, budgets)
      const kept = { ledger, limiter, history: history(redisCounters(link), log) }
      opened.push({ ...kept, link })
      return kept
    },
    async close() {
      for (const { ledger, link } of opened) {
        await ledger.close()
        await link.close()
      }
      await redis.remove()
    },
  }
}
