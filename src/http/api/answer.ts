import type { ErrorRequestHandler, Response } from 'express'
import { Fault } from '../../domain/codes.ts'
import { formatTimestamp } from '../../domain/time.ts'
import type { Verdict } from '../../domain/verdict.ts'
import type { Log } from '../../ports/observing.ts'
import type { SiteverifyAnswer } from '../../wire.ts'
import { failureText, JSON_TYPE } from './failure.ts'
import { headOf, send } from './response-head.ts'
import { note, notesOf } from './request-log.ts'

/** A verdict as the customer's server reads it: the fields of docs/design/contract.md, "POST /api/v1/siteverify", and no others. */
export function answerVerdict(verdict: Verdict): SiteverifyAnswer {
  if (verdict.accepted) {
    const { claims, scoreThreshold, reasons, agent } = verdict
    // JSON leaves out undefined values.
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
  switch (verdict.code) {
    case 'action-mismatch':
      return { success: false, action: verdict.action, 'error-codes': [verdict.code] }
    case 'low-score': {
      const { score, scoreThreshold, reasons, stepUp, agent } = verdict
      return {
        success: false,
        score,
        score_threshold: scoreThreshold,
        reasons,
        step_up: stepUp,
        agent,
        'error-codes': [verdict.code],
      }
    }
    case 'timeout-or-duplicate':
    case 'remoteip-mismatch':
      return { success: false, 'error-codes': [verdict.code] }
  }
}

/**
 * Sends an answer as JSON. It does not use `res.json`, whose ETag, freshness and settings of the application cost 5 µs each
 * time: no answer of the API is asked for conditionally.
 */
export const sendJson = (res: Response, status: number, answer: object): void =>
  send(res, status, JSON_TYPE, JSON.stringify(answer))

/** Everything that could not be judged, in its one shape. */
export function answerFault(res: Response, fault: Fault): void {
  note(res, { code: fault.code })
  // An asset that is missing now, in the middle of an upgrade, say, must not stay missing in a cache.
  const head = headOf(res)
  head['Cache-Control'] = 'no-store'
  if (fault.status === 429 || fault.status === 503) head['Retry-After'] = fault.retryAfter ?? 1
  send(res, fault.status, JSON_TYPE, failureText(fault.codes))
}

/** Milliseconds between two explanations of one code. */
const QUIET_MS = 1000

/** The last stop: a fault is answered, anything else is a defect of ours and answered as one, with nothing of it shown. */
export function faultAnswers(log: Log, elapsed = () => performance.now()): ErrorRequestHandler {
  const saidAt = new Map<string, number>()

  /**
   * In an outage every request has the same cause. Each has its own line with the code anyway; why, is said once a
   * second, so that a slow reader of the log does not hold up the answers (a pipe is written to synchronously).
   */
  function isNews(code: string): boolean {
    const now = elapsed()
    if (now - (saidAt.get(code) ?? -Infinity) < QUIET_MS) return false
    saidAt.set(code, now)
    return true
  }

  return (error: unknown, _req, res, next) => {
    const fault = error instanceof Fault ? error : new Fault('internal-error', { cause: error })
    if (fault.status === 500 || (fault.status === 503 && fault.cause !== undefined && isNews(fault.code))) {
      log.error(fault.status === 500 ? 'defect' : 'unavailable', {
        ...notesOf(res),
        code: fault.code,
        cause: fault.cause,
      })
    }
    if (res.headersSent) next(error)
    else answerFault(res, fault)
  }
}
