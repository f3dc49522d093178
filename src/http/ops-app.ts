import { existsSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import express, { type Express, type RequestHandler } from 'express'
import { Fault } from '../domain/codes.ts'
import type { InForce, Log, Readiness, Reloadable } from '../domain/ports/observing.ts'
import { expressApp, noStore, notFound, onlyMethods } from './express-app.ts'
import { answerFaults } from './faults.ts'
import { dashboardHeaders, securityHeaders } from './security-headers.ts'

/** The versions in force, for operators. */
export interface Standing {
  inForce(what: Reloadable): InForce
  /** How many sites are in force. */
  sites(): number
}

export interface OpsParts {
  readonly log: Log
  readonly readiness: Readiness
  /** Prometheus' text format. */
  readonly metrics: { readonly contentType: string; metrics(): Promise<string> }
  /** What the dashboard shows. */
  readonly lastHour: () => object
  readonly standing: Standing
  /** The folder with the files of the page. */
  readonly dashboard: string
  /** Names it is asked by, besides addresses and localhost; left out: none. */
  readonly hosts?: readonly string[]
}

/**
 * Answers operators, on a listener of its own that is never public. docs/api/api.md, "The ops listener".
 *
 * @throws {Error} when the dashboard was not built.
 */
export function createOpsApp(parts: OpsParts): Express {
  const { log, readiness, metrics, lastHour, standing, dashboard, hosts = [] } = parts
  if (!existsSync(join(dashboard, 'index.html'))) {
    throw new Error('index.html of the dashboard is missing: npm run build:dashboard makes it')
  }
  const app = expressApp()
  app.use(securityHeaders, noStore, ownHosts(hosts))
  const routes: Readonly<Record<string, RequestHandler>> = {
    '/live': (_req, res) => void res.json({ status: 'ok' }),
    '/ready': ready(readiness, standing),
    '/metrics': async (_req, res) => void res.set('Content-Type', metrics.contentType).send(await metrics.metrics()),
    '/last-hour': (_req, res) => void res.json(lastHour()),
  }
  for (const [path, answer] of Object.entries(routes)) app.route(path).get(answer).all(onlyMethods('GET, HEAD'))
  app.use(
    dashboardHeaders,
    express.static(dashboard, { cacheControl: false, etag: false, lastModified: false, redirect: false }),
  )
  app.use(notFound)
  app.use(answerFaults(log))
  return app
}

/**
 * GET /ready: 200 while requests can be judged, and what is in force.
 *
 * A configuration that was refused leaves the old one in force, so the service is still ready; the problem
 * stands in the body until it is fixed.
 */
function ready(readiness: Readiness, standing: Standing): RequestHandler {
  return (_req, res) => {
    const code = readiness.fault()
    if (code) res.set('Retry-After', '1')
    res.status(code ? 503 : 200).json({
      status: code ? 'unavailable' : 'ok',
      ...(code && { 'error-codes': [code] }),
      configuration: { sites: standing.sites(), ...shown(standing.inForce('configuration')) },
      keyring: shown(standing.inForce('keyring')),
    })
  }
}

function shown({ since, problem }: InForce): object {
  return { since: moment(since), ...(problem && { not_reloaded: { at: moment(problem.at), problem: problem.says } }) }
}

const moment = (ms: number): string => new Date(ms).toISOString()

/**
 * Refuses what another page makes an operator's browser ask: a name that its owner points at this listener (DNS rebinding), and
 * requests that the browser itself calls cross-site. A literal address cannot be rebound, and localhost is nobody's name.
 *
 * @param names further names of the listener, lowercase, without port.
 * @throws {Fault} `not-found`, so that such a page learns nothing.
 */
function ownHosts(names: readonly string[]): RequestHandler {
  const own: ReadonlySet<string> = new Set(['localhost', ...names])
  return (req, _res, next) => {
    if (!isOwn(req.headers.host, own) || isCrossSite(req.headers['sec-fetch-site'], req.headers['sec-fetch-mode'])) {
      throw new Fault('not-found')
    }
    next()
  }
}

/** No `Host` is no browser. */
function isOwn(host: string | undefined, own: ReadonlySet<string>): boolean {
  if (host === undefined || host === '') return true
  const match = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+))(?::[0-9]{1,5})?$/i.exec(host)
  const name = (match?.[1] ?? match?.[2] ?? '').toLowerCase()
  return isIP(name) !== 0 || own.has(name)
}

/** Following a link to the page is no danger: the other page cannot read it. */
const isCrossSite = (site: string | string[] | undefined, mode: string | string[] | undefined): boolean =>
  (site === 'cross-site' || site === 'same-site') && mode !== 'navigate'
