import { history } from '../../src/store/history.ts'
import { redisCounters } from '../../src/store/counters.ts'
import { checkRedis } from '../../src/store/check-redis.ts'
import { type Budgets, redisLimiter } from '../../src/store/limits.ts'
import type { History, Ledger, Limiter } from '../../src/domain/ports/stores.ts'
import { PLENTY } from './app.ts'
import { type LedgerOnRedis, openLedger } from './ledger-on-redis.ts'
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
  const opened: LedgerOnRedis[] = []
  return {
    redis,
    async open(keyPrefix = 'hv', budgets = PLENTY) {
      const made = openLedger({ url: redis.url, keyPrefix })
      const refusal = await checkRedis(made.link)
      if (refusal !== undefined) throw new Error(refusal)
      opened.push(made)
      const { ledger, link, log } = made
      return { ledger, limiter: redisLimiter(link, budgets), history: history(redisCounters(link), log) }
    },
    async close() {
      for (const { close } of opened) await close()
      await redis.remove()
    },
  }
}
