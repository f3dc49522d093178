import cors from 'cors'
import type { RequestHandler } from 'express'
import helmet from 'helmet'
import { parseOrigin } from '../domain/site.ts'

/** Lets pages of other origins use an answer: helmet's own default forbids it (docs/design/threats.md#t22). */
export const crossOrigin: RequestHandler = helmet.crossOriginResourcePolicy({ policy: 'cross-origin' })

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
