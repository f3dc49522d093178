import type { Request, RequestHandler, Response } from 'express'
import { allowsHostname, parseOrigin } from '../domain/site.ts'
import type { Sites } from '../ports.ts'
import { headOf } from './head.ts'

/**
 * Lets the page that asked read the answer, when its hostname is the site's; exactly that origin, no credentials.
 *
 * A reader's permission, not a caller's: whether the request is served, the operation decides. Without a sitekey that
 * we know (a typing slip, a solve) any of our sites' pages may read why it was refused. Asked again, the later answer stands.
 */
export function allowReader(req: Request, res: Response, sites: Sites, sitekey?: string): void {
  const head = headOf(res)
  head['Vary'] = 'Origin'
  delete head['Access-Control-Allow-Origin']
  const origin = parseOrigin(req.get('origin'))
  if (!origin) return
  const site = sitekey === undefined ? undefined : sites.bySitekey(sitekey)
  const allowed = site ? allowsHostname(site, origin.hostname) : sites.anyAllows(origin.hostname)
  if (!allowed) return
  head['Access-Control-Allow-Origin'] = origin.text
  head['Access-Control-Expose-Headers'] = 'Retry-After'
}

/** The page may read whatever comes of it, a refusal of the body included. */
export function readable(sites: Sites): RequestHandler {
  // async, because Express takes a step that throws `undefined` for one that went well, and a rejection never.
  return async (req, res, next) => {
    allowReader(req, res, sites)
    next()
  }
}
