import express, { type Express, type RequestHandler } from 'express'
import { Fault } from '../../domain/codes.ts'
import { memoForAMinute } from '../../runtime/memo-for-a-minute.ts'
import { headOf } from '../api/response-head.ts'

/** One row of the service: a path, the one method it takes, and what a request passes through. */
export interface Route {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly steps: readonly RequestHandler[]
}

/** Sets up the routes; whatever else comes is answered in JSON too: 405 with `Allow`, 404. */
export function addRoutes(app: Express, routes: readonly Route[], others: readonly RequestHandler[]): void {
  for (const { method, path, steps } of routes) {
    const route = app.route(path)
    if (method === 'GET') route.get(...steps)
    else route.post(...steps)
    route.all(...others, (_req, res) => {
      headOf(res)['Allow'] = method === 'GET' ? 'GET, HEAD' : method
      throw new Fault('method-not-allowed')
    })
  }
  app.use(...others, () => {
    throw new Fault('not-found')
  })
}

/** An Express application that reads nothing without a step for it and says nothing about itself. */
export function bareApp(trustedProxies: readonly string[], clientIpHeader = 'x-forwarded-for'): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.enable('case sensitive routing')
  app.enable('strict routing')
  app.set('query parser', 'simple')
  // Never `true`: only these ranges are believed (docs/design/threats.md#t18).
  app.set('trust proxy', trustedProxies.length === 0 ? false : [...trustedProxies])
  if (trustedProxies.length > 0) rememberTrust(app)
  app.set('client ip header', clientIpHeader)
  return app
}

/** Proxies come again and again; what Express makes of the ranges reads an address anew each time, which takes 1.5 to 10 µs. */
function rememberTrust(app: Express): void {
  const trusts = app.get('trust proxy fn') as (peer: string, hop: number) => boolean
  app.set(
    'trust proxy',
    memoForAMinute((peer) => trusts(peer, 0), 512),
  )
}
