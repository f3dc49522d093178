import type { RequestHandler } from 'express'
import helmet from 'helmet'
import { parseOrigin } from '../domain/site.ts'

/** Lets pages of other origins use an answer: helmet's own default forbids it (docs/design/threats.md#t22). */
export const crossOrigin: RequestHandler = helmet.crossOriginResourcePolicy({ policy: 'cross-origin' })

/**
 * Lets the page that asked read the answer: exactly its origin, no credentials.
 *
 * A reader's permission, not a caller's: whether a request is served, the operation decides by the same header. It is given to
 * every origin, so that a developer reads a refusal and not a CORS error, and so that it tells nobody which hostnames are
 * those of customers (docs/design/threats.md#t21).
 */
export const readable: RequestHandler = (req, res, next) => {
  const origin = parseOrigin(req.get('origin'))
  res.vary('Origin')
  if (origin) res.set({ 'Access-Control-Allow-Origin': origin.text, 'Access-Control-Expose-Headers': 'Retry-After' })
  next()
}

/** Names of request headers, as a browser lists them. */
const HEADER_NAMES = /^[\w\-, ]{1,1000}$/

/**
 * Answers a preflight. The widget's requests need none, but an agent that adds tracing headers to every `fetch` of the page
 * makes the browser ask. Anything else goes on to the refusal of the method.
 */
export const preflight: RequestHandler = (req, res, next) => {
  if (!res.get('Access-Control-Allow-Origin') || req.get('access-control-request-method') !== 'POST') return next()
  const asked = req.get('access-control-request-headers') ?? ''
  if (HEADER_NAMES.test(asked)) res.set('Access-Control-Allow-Headers', asked)
  res.removeHeader('Access-Control-Expose-Headers')
  res.set({ 'Access-Control-Allow-Methods': 'POST', 'Access-Control-Max-Age': '7200' })
  res.status(204).end()
}
