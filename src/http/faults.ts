import type { ErrorRequestHandler } from 'express'
import { Fault } from '../domain/codes.ts'
import type { Log } from '../domain/observing.ts'
import { failure } from './messages.ts'
import { contextOf } from './request-log.ts'

/** Milliseconds between two explanations of one code. */
const QUIET_MS = 1000

/** Answers what an operation could not judge, in its one shape. Anything but a `Fault` is a defect, and is not shown. */
export function answerFaults(log: Log): ErrorRequestHandler {
  const saidAt = new Map<string, number>()

  /** In an outage every request has the same cause; each has its own line with the code, and the cause is logged once a second. */
  function isNews(code: string): boolean {
    const now = performance.now()
    if (now - (saidAt.get(code) ?? -Infinity) < QUIET_MS) return false
    saidAt.set(code, now)
    return true
  }

  return (error: unknown, req, res, _next) => {
    // The client is gone, or already got an answer to bytes that are not HTTP.
    const isGone = !req.socket.writable
    const fault = faultOf(error)
    if (isGone && fault.status < 500) return
    const notes = contextOf(res)?.notes
    if (fault.status === 500 || (fault.status === 503 && fault.cause !== undefined && isNews(fault.code))) {
      const message = fault.status === 500 ? 'internal error' : 'unavailable'
      log.error(message, { ...notes, code: fault.code, cause: fault.cause })
    }
    if (isGone) return
    if (res.headersSent) return void req.socket.destroy()
    if (notes !== undefined) Object.assign(notes, { code: fault.code })
    // An asset that is missing in the middle of an upgrade must not stay missing in a cache.
    res.set('Cache-Control', 'no-store')
    if (fault.status === 429 || fault.status === 503) res.set('Retry-After', String(fault.retryAfter ?? 1))
    res.status(fault.status).json(failure(fault.codes))
  }
}

/** Errors of Express carry a status; their text may quote the request and is never passed on. */
export function faultOf(error: unknown): Fault {
  if (error instanceof Fault) return error
  const status = error instanceof Error && 'status' in error ? Number(error.status) : 500
  if (status === 413) return Fault.of('payload-too-large')
  if (status === 415) return Fault.of('unsupported-media-type')
  return status >= 400 && status < 500 ? Fault.of('bad-request') : new Fault('internal-error', { cause: error })
}
