import type { RequestHandler } from 'express'
import { Fault } from '../domain/codes.ts'
import { verdictCode } from '../domain/verdict.ts'
import type { Readiness } from '../domain/ports/observing.ts'
import type { IssueChallenge } from '../operations/issue-challenge.ts'
import type { SolveChallenge } from '../operations/solve-challenge.ts'
import type { VerifyResponse } from '../operations/verify-response.ts'
import { seconds } from '../domain/words.ts'
import type { HealthAnswer, Requests } from '../wire.ts'
import type { Caller } from '../operations/caller.ts'
import { fieldsIn } from './body.ts'
import { callerOf, type Front } from './caller.ts'
import { note } from './request-log.ts'
import { parser } from './requests.ts'
import { siteverifyAnswer } from './siteverify-answer.ts'

/** Parses, calls, answers. @param said the code of the result for the log, and the answer. */
function operation<O extends keyof Requests, T>(
  name: O,
  perform: (request: Requests[O], caller: Caller) => Promise<T>,
  front: Front,
  said: (result: T) => readonly [code: string, answer: object],
): RequestHandler {
  const parse = parser(name)
  return async (req, res) => {
    const [code, answer] = said(await inTime(perform(parse(fieldsIn(req)), callerOf(req, res, front))))
    note(res, { code })
    res.json(answer)
  }
}

/** POST /api/v1/challenge, from the page. */
export const challenge = (issue: IssueChallenge, front: Front): RequestHandler =>
  operation('challenge', issue, front, (answer) => ['issued', answer])

/** POST /api/v1/solve, from the page. */
export const solve = (solveChallenge: SolveChallenge, front: Front): RequestHandler =>
  operation('solve', solveChallenge, front, (answer) => ['solved', answer])

/** POST /api/v1/siteverify, from the customer's server. 200 says "judged", not "accepted". No CORS headers, ever. */
export const siteverify = (verify: VerifyResponse, front: Front): RequestHandler =>
  operation('siteverify', verify, front, (verdict) => [verdictCode(verdict), siteverifyAnswer(verdict)])

/**
 * GET /health, and GET /ready of the operators. Says what is known already, so it answers at once whatever hangs.
 *
 * @param more what else is to be said.
 */
export function health(readiness: Readiness, more: () => object = () => ({})): RequestHandler {
  return (_req, res) => {
    const code = readiness.fault()
    const answer: HealthAnswer = code ? { status: 'unavailable', 'error-codes': [code] } : { status: 'ok' }
    if (code) res.set('Retry-After', '1')
    res.status(code ? 503 : 200).json({ ...answer, ...more() })
  }
}

/**
 * Milliseconds that an operation gets. Every part has a limit of its own (limiter and probe 500, ledger 500); this one holds
 * for their sum, and for whatever may hang some day. docs/design/threats.md, "Promises": within 1 s, of which the rest is for
 * reading and writing on a busy machine.
 */
const DEADLINE_MS = 800

/**
 * Settles as `work` does. A later result is dropped, so a late acceptance is none: the ledger may have burnt the token by
 * then, and that is the safe side (docs/design/threats.md#t32).
 *
 * @throws {Fault} `database-unavailable` when `work` has not settled within `ms` milliseconds.
 */
export const inTime = <T>(work: Promise<T>, ms = DEADLINE_MS): Promise<T> =>
  new Promise((resolve, reject) => {
    const tooLate = (): void => {
      const cause = new Error(`no backend answered within ${ms} ms`)
      reject(new Fault('database-unavailable', { cause, retryAfter: seconds(1) }))
    }
    // A busy process may ring before it reads answers that came in time; they get one more turn.
    const timer = setTimeout(() => setImmediate(tooLate), ms)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
