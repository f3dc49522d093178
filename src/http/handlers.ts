import type { Request, RequestHandler, Response } from 'express'
import { Fault } from '../domain/codes.ts'
import type { Readiness } from '../domain/observing.ts'
import { formatTimestamp } from '../domain/time.ts'
import { type Verdict, verdictCode } from '../claims/verdict.ts'
import { seconds } from '../domain/words.ts'
import type { Caller } from '../operations/caller.ts'
import type { HealthAnswer, Requests, SiteverifyAnswer } from '../wire.ts'
import { challengeIn, fieldsIn, takeBody } from './body.ts'
import type { Trusts } from './client-address.ts'
import { contextOf, note } from './request-log.ts'
import { parser } from './requests.ts'

/** Proxies between visitors and us. */
export interface Front {
  readonly trusts: Trusts
  /** Names the header in which a trusted proxy passes on the JA4 of the visitor's TLS. */
  readonly tlsFingerprintHeader?: string | undefined
}

interface Operation<O extends keyof Requests, T, S> {
  readonly perform: (request: Requests[O], caller: Caller, seen?: S) => Promise<T>
  /** Returns the code of the result for the log, and the answer. */
  readonly said: (result: T) => readonly [code: string, answer: object]
  /** Is called with the challenge of a body that is not parsed yet; throws a `Fault` for one that need not be. */
  readonly before?: (challenge: string, caller: Caller) => Promise<S>
}

/** Handles one operation: takes the body, parses, calls, answers. */
export function handler<O extends keyof Requests, T, S = never>(
  name: O,
  { perform, said, before }: Operation<O, T, S>,
  front: Front,
): RequestHandler[] {
  const parse = parser(name)
  const run = async (req: Request, caller: Caller): Promise<T> => {
    const challenge = before && challengeIn(req)
    const seen = challenge === undefined ? undefined : await before?.(challenge, caller)
    return perform(parse(await fieldsIn(req)), caller, seen)
  }
  const answer: RequestHandler = async (req, res) => {
    const [code, body] = said(await inTime(run(req, callerOf(req, res, front))))
    note(res, { code })
    res.json(body)
  }
  return [...takeBody, answer]
}

/** Describes who asks, for the operations. The full address stays in memory; logs get its network. */
export function callerOf(
  req: Request,
  res: Response,
  { tlsFingerprintHeader: ja4, trusts }: Front,
): Caller {
  return {
    // An IPv6 address is shortened to the beginning of its /64.
    address: contextOf(res)?.address?.subscriber.replace(/\/64$/, ''),
    origin: req.headers.origin,
    facts: () => ({
      userAgent: req.get('user-agent') ?? '',
      fetchSite: req.get('sec-fetch-site'),
      fetchMode: req.get('sec-fetch-mode'),
      fetchDest: req.get('sec-fetch-dest'),
      clientHints: req.get('sec-ch-ua'),
      origin: req.headers.origin,
      // A visitor's own header proves nothing.
      ja4: ja4 !== undefined && trusts(req.socket.remoteAddress) ? req.get(ja4) : undefined,
    }),
    signed() {
      const { method, originalUrl, rawHeaders } = req
      if (req.get('signature-input') === undefined) return undefined
      // Takes every line of a header, because `headers` drops the second of some.
      const fields = (name: string): string[] =>
        rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]!.toLowerCase() === name)
      return { method, target: originalUrl, fields }
    },
    note: (fields) => note(res, fields),
  }
}

/** Spells a verdict as docs/api/api.md, "POST /api/v1/siteverify", has it. JSON leaves out undefined values. */
export function siteverifyAnswer(verdict: Verdict): SiteverifyAnswer {
  if (verdict.accepted) {
    const { claims, scoreThreshold, reasons, agent } = verdict
    return {
      success: true,
      challenge_ts: formatTimestamp(claims.challengedAt),
      hostname: claims.hostname,
      score: claims.sealed.decision.score,
      score_threshold: scoreThreshold,
      action: claims.action,
      cdata: claims.cdata,
      reasons,
      agent,
      'error-codes': [],
    }
  }
  if (verdict.code === 'action-mismatch')
    return { success: false, action: verdict.action, 'error-codes': [verdict.code] }
  if (verdict.code !== 'low-score') return { success: false, 'error-codes': [verdict.code] }
  const { score, scoreThreshold, reasons, stepUp, agent } = verdict
  const shown = { score, score_threshold: scoreThreshold, reasons, agent, step_up: stepUp }
  return { success: false, ...shown, 'error-codes': [verdict.code] }
}

/** Returns the code of a verdict, for the log, and its answer. */
export const siteverifyResult = (verdict: Verdict): readonly [code: string, answer: object] => [
  verdictCode(verdict),
  siteverifyAnswer(verdict),
]

/**
 * GET /health, and GET /ready of the operators. Answers from memory, so it never waits for a store.
 *
 * @param more what else is to be said.
 */
export function health(readiness: Readiness, more: () => object = () => ({})): RequestHandler {
  return (_req, res) => {
    const code = readiness.fault()
    const answer: HealthAnswer = code
      ? { status: 'unavailable', 'error-codes': [code] }
      : { status: 'ok' }
    if (code) res.set('Retry-After', '1')
    res.status(code ? 503 : 200).json({ ...answer, ...more() })
  }
}

/**
 * Milliseconds that an operation gets: for the sum of its parts, which have their own limits (500), and for whatever may
 * hang some day. docs/design/threats.md, "Promises": within 1 s, of which the rest is for reading and writing on a busy machine.
 */
const DEADLINE_MS = 800

/**
 * Settles as `work` does. A later result is dropped, even an acceptance: the token may be consumed in vain, which is
 * the safe side (docs/design/threats.md#t32).
 *
 * @throws {Fault} `database-unavailable` when `work` has not settled within `ms` milliseconds.
 */
export const inTime = <T>(work: Promise<T>, ms = DEADLINE_MS): Promise<T> =>
  new Promise((resolve, reject) => {
    const tooLate = (): void => {
      const cause = new Error(`no backend answered within ${ms} ms`)
      reject(new Fault('database-unavailable', { cause, retryAfter: seconds(1) }))
    }
    // In a busy process the timer may fire before answers that came in time are read; they get one more turn.
    const timer = setTimeout(() => setImmediate(tooLate), ms)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
