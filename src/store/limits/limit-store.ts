import type { RedisConnection } from '../redis/redis-connection.ts'
import { type MakeCharge, memoryCharges, redisCharges } from './charges.ts'
import { type MakeWindowLimit, memoryWindows, redisWindows } from './windows.ts'

/** Where budgets are stored; Redis and memory make the same promises. */
export interface LimitStore {
  /** Makes a limit of one key. */
  readonly window: MakeWindowLimit
  /** Charges several keys at once. */
  readonly charge: MakeCharge
}

export const redisLimits = (redis: RedisConnection): LimitStore => ({
  window: redisWindows(redis),
  charge: redisCharges(redis),
})

/** @param capacity owners of one budget. */
export const memoryLimits = (capacity?: number): LimitStore => ({
  window: memoryWindows(capacity),
  charge: memoryCharges(capacity),
})
