import { history } from '../../src/store/history/history.ts'
import { redisCounters } from '../../src/store/history/counters.ts'
import { type Budgets, budgetLimiter } from '../../src/store/limits/budget-limiter.ts'
import { redisLimits } from '../../src/store/limits/limit-store.ts'
import { PLENTY } from './app.ts'
import { openLedger } from './ledger-on-redis.ts'
import { eventually } from './ledger-contract.ts'
import { startRedis } from './redis.ts'

/** A new real Redis, and the stores of services in it, as in src/serve.ts. */
export async function redisStores() {
  const redis = await startRedis()
  return {
    redis,
    /** For one service; another prefix is another service. */
    async open(keyPrefix = 'hv', budgets: Budgets = PLENTY) {
      const { ledger, link, log } = openLedger({ url: redis.url, keyPrefix })
      await eventually(() => ledger.probe())
      return {
        link,
        ledger,
        limiter: budgetLimiter(redisLimits(link), budgets),
        history: history(redisCounters(link), log),
      }
    },
  }
}
