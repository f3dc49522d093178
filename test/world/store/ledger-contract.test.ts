import { memoryLedger } from '../../../src/store/ledger/memory-ledger.ts'
import { eventually, ledgerContract, random } from '../../support/ledger-contract.ts'
import { openLedger } from '../../support/ledger-on-redis.ts'
import { startRedis } from '../../support/redis.ts'

ledgerContract('memory', async () => memoryLedger({ random, clock: Date.now }))

for (const partitions of [1, 8]) {
  ledgerContract(`Redis, ${partitions} partitions:`, async () => {
    const redis = await startRedis()
    const { ledger } = openLedger({ url: redis.url }, { partitions, patient: true })
    await eventually(() => ledger.probe())
    return ledger
  })
}

// One that is already running, besides our own: perhaps another version, a Valkey, or one behind TLS.
const url = process.env['REDIS_URL']
if (url !== undefined)
  ledgerContract('REDIS_URL', async () => openLedger({ url, keyPrefix: 'hv-test' }).ledger)
