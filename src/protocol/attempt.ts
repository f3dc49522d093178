import { createHash } from 'node:crypto'
import type { AttemptId } from '../domain/words.ts'

/** Who consumes, told from what was asked: equal parts are the same attempt, and anything changed is another. */
export function attemptFrom(parts: readonly unknown[]): AttemptId {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest()
  return digest.subarray(0, 16).toString('base64url') as AttemptId
}
