import { hash } from 'node:crypto'
import type { Consumption } from '../domain/ports.ts'
import type { AttemptId } from '../domain/words.ts'

/** Names an attempt by its request as a text: equal texts are the same attempt. */
export const attemptOf = (text: string): AttemptId =>
  hash('sha256', text, 'buffer').toString('base64url', 0, 16) as AttemptId

/** Reports whether the attempt holds the entry. A repeat, such as after a lost reply, is answered like the first call. */
export const isHeld = (consumption: Consumption): consumption is 'first' | 'again' =>
  consumption === 'first' || consumption === 'again'
