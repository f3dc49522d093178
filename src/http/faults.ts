import type { ErrorRequestHandler, Response } from 'express'
import { Fault } from '../domain/codes.ts'
import type { Log, Notes } from '../domain/observing.ts'
import type { FailureAnswer } from '../wire.ts'
import { type AnyResponse, failure } from './messages.ts'
import { contextOf } from './request-log.ts'

/** Milliseconds between two explanations of one code. */
const QUIET_MS = 1000

/** Answers what could not be judged. Anything but a `Fault` is a defect, and is not shown. */
export function answerFaults(log: Log): ErrorRequestHandler {
  const explain = explainer(log)
  return (error: unknown, req, res, _next) => {
    // The client is gone, or already got an answer to bytes that are not HTTP.
    const isGone = !req.socket.writable
    const fault = faultOf(error)
    if (isGone && fault.status < 500) return
    const notes = contextOf(res)?.notes
    explain(fault, notes)
    if (isGone) return
    if (res.headersSent) return void req.socket.destroy()
    if (notes !== undefined) Object.assign(notes, { code: fault.code })
    sendFault(res, fault)
  }
}

/** Converts a failure to the fields of another service, on the paths that imitate one (vendor-shapes.ts). */
type Spelling = (answer: FailureAnswer) => object
const spellings = new WeakMap<Response, Spelling>()

/** Lets a wrong request (status 400) be answered with 200 and in other fields; every other fault stays as it is. */
export const spellFaults = (res: Response, spelling: Spelling): void =>
  void spellings.set(res, spelling)

function sendFault(res: Response, { status, retryAfter, codes }: Fault): void {
  // An asset that is missing in the middle of an upgrade must not stay missing in a cache.
  res.set('Cache-Control', 'no-store')
  if (status === 429 || status === 503) res.set('Retry-After', String(retryAfter ?? 1))
  const spelling = status === 400 ? spellings.get(res) : undefined
  if (spelling) res.status(200).json(spelling(failure(codes)))
  else res.status(status).json(failure(codes))
}

/**
 * Logs each defect, and why a store is unavailable. In an outage every request has the same cause: each has its own line with
 * the code, and the cause is logged once a second.
 */
function explainer(log: Log) {
  const saidAt = new Map<string, number>()

  function isNews(code: string): boolean {
    const now = performance.now()
    if (now - (saidAt.get(code) ?? -Infinity) < QUIET_MS) return false
    saidAt.set(code, now)
    return true
  }

  return ({ status, code, cause }: Fault, notes: Notes | undefined): void => {
    if (status === 500) log.error('internal error', { ...notes, code, cause })
    if (status === 503 && cause !== undefined && isNews(code))
      log.error('unavailable', { ...notes, code, cause })
  }
}

/** Answers a request whose path cannot be parsed: Express calls no handler for it. */
export function refuseUnreadable(res: AnyResponse): void {
  const body = JSON.stringify(failure(['bad-request']))
  res.writeHead(400, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': body.length,
    'Cache-Control': 'no-store',
  })
  res.end(body)
}

/** Errors of Express carry a status; their text may quote the request and is never passed on. */
export function faultOf(error: unknown): Fault {
  if (error instanceof Fault) return error
  const status = error instanceof Error && 'status' in error ? Number(error.status) : 500
  if (status === 413) return Fault.of('payload-too-large')
  if (status === 415) return Fault.of('unsupported-media-type')
  return status >= 400 && status < 500
    ? Fault.of('bad-request')
    : new Fault('internal-error', { cause: error })
}
