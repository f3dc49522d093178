import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express'
import helmet, { type HelmetOptions } from 'helmet'
import { Fault } from '../domain/codes.ts'
import type { Log } from '../domain/observing.ts'
import type { FailureAnswer } from '../wire.ts'
import { contextOf } from './request-log.ts'

/**
 * An answer of the API is no page: it loads nothing, is never framed, and needs no header that only affects pages or
 * browsers long out of use. It never says Strict-Transport-Security: TLS ends at the proxy, and an answer under a customer's
 * own origin would decide for all of that customer's pages (RFC 6797, section 14.4).
 */
const NO_PAGE: HelmetOptions = {
  strictTransportSecurity: false,
  contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
}

/** Creates an application whose paths are exact and that says nothing about itself. */
export function expressApp(headers = NO_PAGE): Express {
  const app = express()
  app.disable('x-powered-by')
  // Answers of the API are never conditional; assets set their own ETag.
  app.disable('etag')
  app.enable('case sensitive routing')
  app.enable('strict routing')
  app.set('query parser', 'simple')
  return app.use(helmet(headers))
}

/** Forbids caches to keep an answer. Such an answer is sent whole: Express would answer `If-None-Match: *` with 304. */
export const noStore: RequestHandler = (req, res, next) => {
  delete req.headers['if-none-match']
  res.set('Cache-Control', 'no-store')
  next()
}

/** Refuses a method that a path does not take. @param allowed for the `Allow` header. */
export const onlyMethods =
  (allowed: string): RequestHandler =>
  (_req, res) => {
    res.set('Allow', allowed)
    throw new Fault('method-not-allowed')
  }

/** Answers every path that no route takes. */
export const notFound: RequestHandler = () => {
  throw new Fault('not-found')
}

/** The body of every answer that is no verdict. */
export const failure = (codes: FailureAnswer['error-codes']): FailureAnswer => ({
  success: false,
  'error-codes': codes,
})

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
    if (isGone && statusOf(error) < 500) return
    const fault = faultOf(error)
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

const statusOf = (error: unknown): number => (error instanceof Error && 'status' in error ? Number(error.status) : 500)

/** Errors of Express carry a status; their text may quote the request and is never passed on. */
export function faultOf(error: unknown): Fault {
  if (error instanceof Fault) return error
  const status = statusOf(error)
  if (status === 413) return new Fault('payload-too-large')
  if (status === 415) return new Fault('unsupported-media-type')
  return status >= 400 && status < 500 ? new Fault('bad-request') : new Fault('internal-error', { cause: error })
}
