import cors from 'cors'
import express, { type Express, type RequestHandler } from 'express'
import helmet, { type HelmetOptions } from 'helmet'
import { Fault } from '../domain/codes.ts'
import type { Log } from '../domain/observing.ts'
import { parseOrigin } from '../domain/site.ts'
import { anyVersion } from './any-version.ts'
import { answerFaults } from './faults.ts'
import type { App } from './messages.ts'

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

/** Creates an application whose paths are exact, and which says nothing about itself. */
export function exactApplication(headers = NO_PAGE): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.enable('case sensitive routing')
  app.enable('strict routing')
  app.set('query parser', 'simple')
  return app.use(helmet(headers))
}

/** Lets pages of other origins use an answer: helmet's own default forbids it (docs/design/threats.md#t22). */
export const crossOrigin: RequestHandler = helmet.crossOriginResourcePolicy({
  policy: 'cross-origin',
})

/**
 * Lets the page that asked read the answer: exactly its origin, no credentials. Answers its preflight: the widget's requests
 * need none, but an agent that adds tracing headers to every `fetch` of the page makes the browser ask.
 *
 * A reader's permission, not a caller's: whether a request is served, the operation decides by the same header. It is given to
 * every origin, so that a developer reads a refusal and not a CORS error, and so that it does not reveal which
 * hostnames are those of customers (docs/design/threats.md#t21).
 */
export const readable: RequestHandler = cors({
  origin: (origin, answer) => answer(null, parseOrigin(origin) !== undefined),
  methods: 'POST',
  exposedHeaders: 'Retry-After',
  maxAge: 7200,
})

/** Tells caches that the answer depends on the origin, also where it cannot be read: `cors` sets nothing then. */
export const varyOrigin: RequestHandler = (_req, res, next) => {
  res.vary('Origin')
  next()
}

/** Forbids caches to keep an answer, and removes conditions: Express would answer 304 to `If-None-Match: *`. */
export const noStore: RequestHandler = (req, res, next) => {
  delete req.headers['if-none-match']
  delete req.headers['if-modified-since']
  res.set('Cache-Control', 'no-store')
  next()
}

/** Refuses a method that a path does not take. @param allowed for the `Allow` header. */
export const onlyMethods =
  (allowed: string): RequestHandler =>
  (_req, res) => {
    res.set('Allow', allowed)
    throw Fault.of('method-not-allowed')
  }

/**
 * Ends an application: what no route takes is not found, and what a handler throws is answered in the one shape.
 *
 * @param before is called for what no route takes.
 */
export function endApplication(app: Express, log: Log, ...before: RequestHandler[]): App {
  app.use(...before, () => {
    throw Fault.of('not-found')
  })
  app.use(answerFaults(log))
  return anyVersion(app)
}
