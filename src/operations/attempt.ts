import { hash } from 'node:crypto'
import type { Consumption } from '../domain/stores.ts'
import type { AttemptId } from '../domain/words.ts'

/** Names the attempt by the question, in one text: the same text is the same attempt, and any other is another. */
export const attemptOf = (text: string): AttemptId =>
  hash('sha256', text, 'buffer').toString('base64url', 0, 16) as AttemptId

/** Reports whether the attempt holds the entry. A repeat, after a lost answer for example, is answered like the first call. */
export const isHeld = (consumption: Consumption): consumption is 'first' | 'again' =>
  consumption === 'first' || consumption === 'again'
