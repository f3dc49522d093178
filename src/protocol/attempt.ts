import { hash } from 'node:crypto'
import type { AttemptId } from '../domain/words.ts'

/** Names the attempt by the question, in one text: the same text is the same attempt, and any other is another. */
export const attemptFrom = (text: string): AttemptId =>
  hash('sha256', text, 'buffer').toString('base64url', 0, 16) as AttemptId
