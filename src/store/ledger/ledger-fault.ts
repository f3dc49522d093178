import { Fault } from '../../domain/codes.ts'
import { seconds } from '../../domain/words.ts'

export const unavailable = (cause: unknown): Fault =>
  new Fault('database-unavailable', { cause, retryAfter: seconds(1) })

export const outdated = (why: string): Fault =>
  new Fault('database-schema-outdated', { cause: new Error(why), retryAfter: seconds(1) })

/** @throws {Fault} that the ledger is unavailable. */
export function throwUnavailable(cause: unknown): never {
  throw unavailable(cause)
}
