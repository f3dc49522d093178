import type { IncomingMessage } from 'node:http'
import type { RequestHandler } from 'express'
import { allowsHostname, parseOrigin } from '../../domain/site.ts'
import type { Sites } from '../../ports/stores.ts'
import { type Head, headOf } from './response-head.ts'

/** Operations that pages call; siteverify is for servers, and never has these headers. */
const OF_PAGES: ReadonlySet<string> = new Set(['/api/v1/challenge', '/api/v1/solve'])

/**
 * Lets the page that asked read the answer, when its hostname is the site's; exactly that origin, no credentials.
 *
 * A reader's permission, not a caller's: whether the request is served, the operation decides. Without a sitekey that
 * we know (a typing slip, a solve) any of our sites' pages may read why it was refused. Asked again, the later answer stands.
 *
 * @param from the request's `Origin`.
 */
export function allowReader(head: Head, from: string | undefined, sites: Sites, sitekey?: string): void {
  head['Vary'] = 'Origin'
  delete head['Access-Control-Allow-Origin']
  const origin = parseOrigin(from)
  if (!origin) return
  const site = sitekey === undefined ? undefined : sites.bySitekey(sitekey)
  const allowed = site ? allowsHostname(site, origin.hostname) : sites.anyAllows(origin.hostname)
  if (!allowed) return
  head['Access-Control-Allow-Origin'] = origin.text
  head['Access-Control-Expose-Headers'] = 'Retry-After'
}

/** Characters of a refused hostname that the log shows; a hostname has up to 253. */
const LONGEST_HOSTNAME = 100

/**
 * Lets a page on a hostname that is not the site's read that one refusal, so that its widget can show the error 103.
 *
 * The answer says nothing but `hostname-not-allowed`. Without the header, a browser shows the developer a CORS error.
 *
 * @param from the request's `Origin`.
 * @returns the refused hostname for the log, cut at 100 characters: printable ASCII; `(none)` for any other `Origin`.
 */
export function allowRefusedReader(head: Head, from: string | undefined): string {
  const origin = parseOrigin(from)
  if (!origin) return '(none)'
  head['Access-Control-Allow-Origin'] = origin.text
  return origin.hostname.slice(0, LONGEST_HOSTNAME)
}

/** The page may read whatever comes of it, a refusal of the body included. */
export function readable(sites: Sites): RequestHandler {
  // async, because Express takes a step that throws `undefined` for one that went well, and a rejection never.
  return async (req, res, next) => {
    allowReader(headOf(res), req.get('origin'), sites)
    next()
  }
}

/** Names of request headers, as a browser lists them. */
const HEADER_NAMES = /^[\w\-, ]{1,1000}$/

/**
 * Answers the preflight of a page that may read our answers. The widget's requests need none, but an agent that adds tracing headers to
 * every `fetch` of the page makes the browser ask. Any other goes on to the refusal of the method.
 */
export function preflight(sites: Sites): RequestHandler {
  return (req, res, next) => {
    const head: Head = {}
    allowReader(head, req.get('origin'), sites)
    if (!head['Access-Control-Allow-Origin'] || req.get('access-control-request-method') !== 'POST') return next()
    const asked = req.get('access-control-request-headers') ?? ''
    if (HEADER_NAMES.test(asked)) head['Access-Control-Allow-Headers'] = asked
    head['Access-Control-Allow-Methods'] = 'POST'
    head['Access-Control-Max-Age'] = '7200'
    delete head['Access-Control-Expose-Headers']
    res.writeHead(204, head).end()
  }
}

/** The same for what is refused before it gets so far: a widget that cannot read `Retry-After` gives up too soon. */
export const readableRefusal =
  (sites: Sites) =>
  ({ url = '', headers }: IncomingMessage, head: Head): void => {
    if (OF_PAGES.has(url.split('?', 1)[0]!)) allowReader(head, headers.origin, sites)
  }
