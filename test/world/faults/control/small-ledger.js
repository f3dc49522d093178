import { memoryLedger as real } from '../../../../dist/store/ledger/memory-ledger.js'

// The product's own embedded ledger, with room for so few entries that a test can fill it.

export const memoryLedger = (parts) => real({ ...parts, capacity: 100 })
export { redisLedger } from '../../../../dist/store/ledger/redis-ledger.js'
