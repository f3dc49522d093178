import type { ErrorRequestHandler } from 'express'
import { Fault } from '../domain/codes.ts'
import type { Log } from '../domain/ports/observing.ts'
import type { FailureAnswer } from '../wire.ts'
import { contextOf } from './request-log.ts'

/** The body of every answer that is no verdict. */
export const failure = (codes: FailureAnswer['error-codes']): FailureAnswer => ({
  success: false,
  'error-codes': codes,
})

/** Milliseconds between two explanations of one code. */
const QUIET_MS = 1000

/**
 * Answers what an operation could not judge, in its one shape. Anything but a `Fault` is a defect of ours, and nothing of
 * it is shown.
 */
export function answerFaults(log: Log): ErrorRequestHandler {
  const saidAt = new Map<string, number>()

  /** In an outage every request has the same cause; each has its own line with the code, and the cause is logged once a second. */
  function isNews(code: string): boolean {
    const now = performance.now()
    if (now - (saidAt.get(code) ?? -Infinity) < QUIET_MS) return false
    saidAt.set(code, now)
    return true
  }

  return (error: unknown, req, res, next) => {
    const fault = faultOf(error)
    const { notes } = contextOf(res)
    if (fault.status === 500 || (fault.status === 503 && fault.cause !== undefined && isNews(fault.code))) {
      const message = fault.status === 500 ? 'internal error' : 'unavailable'
      log.error(message, { ...notes, code: fault.code, cause: fault.cause })
    }
    // The client is gone, or already got an answer to bytes that are not HTTP.
    if (!req.socket.writable) return
    if (res.headersSent) return next(error)
    if (notes !== undefined) Object.assign(notes, { code: fault.code })
    // An asset that is missing in the middle of an upgrade must not stay missing in a cache.
    res.set('Cache-Control', 'no-store')
    if (fault.status === 429 || fault.status === 503) res.set('Retry-After', String(fault.retryAfter ?? 1))
    res.status(fault.status).json(failure(fault.codes))
  }
}

/** Errors of Express carry a status; their text may quote the request and is never passed on. */
function faultOf(error: unknown): Fault {
  if (error instanceof Fault) return error
  const status = error instanceof Error && 'status' in error ? Number(error.status) : 500
  if (status === 413) return new Fault('payload-too-large')
  if (status === 415) return new Fault('unsupported-media-type')
  return status >= 400 && status < 500 ? new Fault('bad-request') : new Fault('internal-error', { cause: error })
}
