import { hash } from 'node:crypto'
import type { AttemptId } from '../domain/words.ts'
import type { SolveRequest } from '../wire.ts'

/** Names the attempt by the question, in one text: the same text is the same attempt, and any other is another. */
export const attemptFrom = (text: string): AttemptId =>
  hash('sha256', text, 'buffer').toString('base64url', 0, 16) as AttemptId

/**
 * A solution's attempt is its body's hash: the same body sent again is the same attempt, and any change makes another one. Challenge
 * and solution have been read, so there is no blank in them.
 */
export const attemptOf = ({ challenge, solution, signals, ticket, step_up: stepUp }: SolveRequest): AttemptId => {
  const step = ticket === undefined && stepUp === undefined ? '' : ` ${stepUp ?? ''} ${ticket ?? ''}`
  return attemptFrom(`${challenge} ${solution} ${JSON.stringify(signals)}${step}`)
}
