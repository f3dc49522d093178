import type { RequestHandler, Response } from 'express'
import { allowsHostname, parseOrigin } from '../domain/site.ts'
import type { Sites } from '../ports/stores.ts'

/**
 * Headers that let the page that asked read an answer, when its hostname is the site's; exactly that origin, no credentials.
 *
 * A reader's permission, not a caller's: whether the request is served, the operation decides. Without a sitekey that
 * we know (a typing slip, a solve) any of our sites' pages may read why it was refused.
 *
 * @param from the request's `Origin`.
 */
export function readableBy(from: string | undefined, sites: Sites, sitekey?: string): Record<string, string> {
  const origin = parseOrigin(from)
  if (!origin) return {}
  const site = sitekey === undefined ? undefined : sites.bySitekey(sitekey)
  const isAllowed = site ? allowsHostname(site, origin.hostname) : sites.anyAllows(origin.hostname)
  return isAllowed ? { 'Access-Control-Allow-Origin': origin.text, 'Access-Control-Expose-Headers': 'Retry-After' } : {}
}

/** Lets a site's page read whatever comes of its request, a refusal of the body included. */
export const readable =
  (sites: Sites): RequestHandler =>
  (req, res, next) => {
    res.vary('Origin')
    try {
      res.set(readableBy(req.get('origin'), sites))
    } catch (error) {
      // Express goes on as if nothing had happened where `undefined` is thrown.
      next(error ?? new Error('the sites could not be asked'))
      return
    }
    next()
  }

/** Lets only the pages of one site read the answer, now that it is named; the later word stands. */
export function narrowReaders(res: Response, sites: Sites, sitekey: unknown): void {
  res.removeHeader('Access-Control-Allow-Origin')
  res.set(readableBy(res.req.get('origin'), sites, typeof sitekey === 'string' ? sitekey : undefined))
}

/** Characters of a refused hostname that the log shows; a hostname has up to 253. */
const LONGEST_HOSTNAME = 100

/**
 * Lets a page on a hostname that is not the site's read that one refusal, so that its widget can show the error 103. Without
 * the header, a browser shows the developer a CORS error.
 *
 * @returns the refused hostname for the log, cut at 100 characters: printable ASCII; `(none)` for any other `Origin`.
 */
export function allowRefusedReader(res: Response): string {
  const origin = parseOrigin(res.req.get('origin'))
  if (!origin) return '(none)'
  res.set('Access-Control-Allow-Origin', origin.text)
  return origin.hostname.slice(0, LONGEST_HOSTNAME)
}

/** Names of request headers, as a browser lists them. */
const HEADER_NAMES = /^[\w\-, ]{1,1000}$/

/**
 * Answers the preflight of a page that may read our answers. The widget's requests need none, but an agent that adds tracing
 * headers to every `fetch` of the page makes the browser ask. Any other goes on to the refusal of the method.
 */
export const preflight =
  (sites: Sites): RequestHandler =>
  (req, res, next) => {
    const isReader = 'Access-Control-Allow-Origin' in readableBy(req.get('origin'), sites)
    if (!isReader || req.get('access-control-request-method') !== 'POST') return next()
    const asked = req.get('access-control-request-headers') ?? ''
    if (HEADER_NAMES.test(asked)) res.set('Access-Control-Allow-Headers', asked)
    res.removeHeader('Access-Control-Expose-Headers')
    res.set({ 'Access-Control-Allow-Methods': 'POST', 'Access-Control-Max-Age': '7200' })
    res.status(204).end()
  }
