import type { ErrorRequestHandler, Response } from 'express'
import { Fault } from '../domain/codes.ts'
import { formatTimestamp } from '../domain/time.ts'
import type { Verdict } from '../domain/verdict.ts'
import type { Log } from '../ports.ts'
import type { FailureAnswer, SiteverifyAnswer } from '../wire.ts'
import { note, notesOf } from './notes.ts'

/** A verdict as the customer's server reads it: exactly the fields of SPEC.md's table, no others. */
export function answerVerdict(verdict: Verdict, receipt?: string): SiteverifyAnswer {
  if (verdict.accepted) {
    const { claims, scoreThreshold } = verdict
    return {
      success: true,
      challenge_ts: formatTimestamp(claims.challengedAt),
      hostname: claims.hostname,
      score: claims.sealed.decision.score,
      score_threshold: scoreThreshold,
      action: claims.action,
      ...(claims.cdata !== undefined && { cdata: claims.cdata }),
      ...(receipt !== undefined && { receipt }),
      'error-codes': [],
    }
  }
  switch (verdict.code) {
    case 'action-mismatch':
      return { success: false, action: verdict.action, 'error-codes': [verdict.code] }
    case 'low-score': {
      const { score, scoreThreshold } = verdict
      return { success: false, score, score_threshold: scoreThreshold, 'error-codes': [verdict.code] }
    }
    case 'timeout-or-duplicate':
    case 'remoteip-mismatch':
      return { success: false, 'error-codes': [verdict.code] }
  }
}

/** Everything that could not be judged, in its one shape. */
export function answerFault(res: Response, fault: Fault): void {
  note(res, { code: fault.code })
  // An asset that is missing now, in the middle of an upgrade, say, must not stay missing in a cache.
  res.setHeader('Cache-Control', 'no-store')
  if (fault.status === 429 || fault.status === 503) res.setHeader('Retry-After', String(fault.retryAfter ?? 1))
  const body: FailureAnswer = { success: false, 'error-codes': fault.codes }
  res.status(fault.status).json(body)
}

/** The last stop: a fault is answered, anything else is a defect of ours and answered as one, with nothing of it shown. */
export function faultAnswers(log: Log): ErrorRequestHandler {
  return (error: unknown, _req, res, next) => {
    const fault = error instanceof Fault ? error : new Fault('internal-error', { cause: error })
    if (fault.status >= 500 && fault.cause !== undefined) {
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
