import { history } from '../../src/store/history/history.ts'
import { redisCounters } from '../../src/store/history/counters.ts'
import { type Budgets, debtLimiter } from '../../src/store/limits/debt-limiter.ts'
import { redisDebts } from '../../src/store/limits/debts.ts'
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
        limiter: debtLimiter(redisDebts(link), budgets),
        history: history(redisCounters(link), log),
      }
    },
  }
}
