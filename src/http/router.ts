import cors from 'cors'
import { type ErrorRequestHandler, type Request, type Response, Router } from 'express'
import helmet, { type HelmetOptions } from 'helmet'
import { Fault } from '../domain/codes.ts'
import type { Log } from '../domain/observing.ts'
import { parseOrigin } from '../domain/site.ts'
import { type App, failure, type Handler, sendJson } from './messages.ts'
import { contextOf } from './request-log.ts'

/**
 * An answer of the API is no page: it loads nothing, is never framed, and needs no header that only affects pages or
 * browsers long out of use. It never says Strict-Transport-Security: TLS ends at the proxy, and an answer under a customer's
 * own origin would decide for all of that customer's pages (RFC 6797, section 14.4).
 */
const NO_PAGE: HelmetOptions = {
  strictTransportSecurity: false,
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
}

/**
 * Creates a router whose paths are exact. It leaves the messages of Node.js as they are: an application of Express changes the
 * prototype of each, which takes 100 µs a request with Node.js 20.20.
 */
export function exactRouter(headers = NO_PAGE): Router {
  const router: Router = Router({ caseSensitive: true, strict: true })
  return router.use(helmet(headers))
}

/** Makes an application of a router that answers every path. What is left are paths that cannot be parsed. */
export const appOf =
  (router: Router): App =>
  (req, res, unreadable) =>
    router(req as Request, res as Response, () => unreadable?.())

/** Lets pages of other origins use an answer: helmet's own default forbids it (docs/design/threats.md#t22). */
export const crossOrigin: Handler = helmet.crossOriginResourcePolicy({ policy: 'cross-origin' })

/**
 * Lets the page that asked read the answer: exactly its origin, no credentials. Answers its preflight: the widget's requests
 * need none, but an agent that adds tracing headers to every `fetch` of the page makes the browser ask.
 *
 * A reader's permission, not a caller's: whether a request is served, the operation decides by the same header. It is given to
 * every origin, so that a developer reads a refusal and not a CORS error, and so that it does not reveal which
 * hostnames are those of customers (docs/design/threats.md#t21).
 */
export const readable: Handler = cors({
  origin: (origin, answer) => answer(null, parseOrigin(origin) !== undefined),
  methods: 'POST',
  exposedHeaders: 'Retry-After',
  maxAge: 7200,
})

/** Tells caches that the answer depends on the origin, also where it cannot be read: `cors` sets nothing then. */
export const varyOrigin: Handler = (_req, res, next) => {
  res.appendHeader('Vary', 'Origin')
  next()
}

/** Forbids caches to keep an answer. */
export const noStore: Handler = (_req, res, next) => {
  res.setHeader('Cache-Control', 'no-store')
  next()
}

/** Refuses a method that a path does not take. @param allowed for the `Allow` header. */
export const onlyMethods =
  (allowed: string): Handler =>
  (_req, res) => {
    res.setHeader('Allow', allowed)
    throw Fault.of('method-not-allowed')
  }

/** Answers every path that no route takes. */
export const notFound: Handler = () => {
  throw Fault.of('not-found')
}

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
    if (
      fault.status === 500 ||
      (fault.status === 503 && fault.cause !== undefined && isNews(fault.code))
    ) {
      const message = fault.status === 500 ? 'internal error' : 'unavailable'
      log.error(message, { ...notes, code: fault.code, cause: fault.cause })
    }
    if (isGone) return
    if (res.headersSent) return void req.socket.destroy()
    if (notes !== undefined) Object.assign(notes, { code: fault.code })
    // An asset that is missing in the middle of an upgrade must not stay missing in a cache.
    res.setHeader('Cache-Control', 'no-store')
    if (fault.status === 429 || fault.status === 503)
      res.setHeader('Retry-After', String(fault.retryAfter ?? 1))
    sendJson(res, fault.status, failure(fault.codes))
  }
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
