import { redisLedger } from '../../../src/store/redis-ledger.ts'
import { memoryLedger } from '../../../src/store/memory-ledger.ts'
import { redisConnection } from '../../../src/store/redis.ts'
import { startRedis } from '../../support/redis.ts'
import { keepLog, ledgerContract, random } from '../../support/ledger-contract.ts'

ledgerContract('memory', async () => {
  const ledger = memoryLedger({ random, clock: Date.now })
  return { ledger, close: () => ledger.close() }
})

ledgerContract('Redis', async () => {
  const redis = await startRedis()
  const { ledger, close } = openLedger(redis.url)
  return { ledger, close: () => close().then(() => redis.remove()) }
})

// The one that somebody runs already, beside our own: perhaps another version, a Valkey, or one behind TLS.
const given = process.env['REDIS_URL']
if (given !== undefined) ledgerContract('REDIS_URL', async () => openLedger(given))

function openLedger(url: string) {
  const log = keepLog()
  const link = redisConnection({ url, cluster: undefined, sentinel: undefined, keyPrefix: 'hv-test' }, { log })
  const ledger = redisLedger(link, { random, log })
  return { ledger, close: () => ledger.close().then(() => link.close()) }
}
