import { existsSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import express, { type RequestHandler } from 'express'
import { Fault } from '../domain/codes.ts'
import { parseUrl } from '../domain/parse-url.ts'
import type { InForce, Log, Readiness, Reloadable } from '../domain/observing.ts'
import { health } from './handlers.ts'
import { endApplication, exactApplication, noStore, onlyMethods } from './application.ts'
import type { App } from './messages.ts'

interface OpsParts {
  readonly log: Log
  readonly readiness: Readiness
  /** Prometheus' text format. */
  readonly metrics: { readonly contentType: string; metrics(): Promise<string> }
  /** What the dashboard shows. */
  readonly lastHour: () => object
  readonly inForce: (what: Reloadable) => InForce
  /** How many sites are in force. */
  readonly sites: () => number
  /** Seconds by which our clock is ahead of the ledger's. */
  readonly clockAhead: () => number
  /** The folder with the files of the page. */
  readonly dashboard: string
  /** Names it is asked by, besides addresses and localhost: lowercase, without port. */
  readonly hosts: readonly string[]
}

/** The operators' page loads its own files and figures, from here and nowhere else, and is never framed. */
const OWN_PAGE = {
  strictTransportSecurity: false,
  contentSecurityPolicy: {
    useDefaults: false,
    // `data:` is the empty icon, so that the browser does not ask for one.
    directives: {
      defaultSrc: ["'self'"],
      imgSrc: ['data:'],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
    },
  },
}

/**
 * Answers operators, on a separate listener that is never public. docs/api/api.md, "The ops listener".
 *
 * @throws {Error} when the dashboard was not built.
 */
export function createOpsApp({ log, readiness, metrics, dashboard, ...parts }: OpsParts): App {
  if (!existsSync(join(dashboard, 'index.html'))) {
    throw new Error('index.html of the dashboard is missing: npm run build:dashboard makes it')
  }
  const app = exactApplication(OWN_PAGE)
  app.use(noStore, ownHosts(parts.hosts))
  const routes: Readonly<Record<string, RequestHandler>> = {
    '/live': (_req, res) => res.json({ status: 'ok' }),
    // A configuration that was refused leaves the old one in force: the service is ready, and the problem stands here until it is fixed.
    '/ready': health(readiness, () => ({
      configuration: { sites: parts.sites(), ...shown(parts.inForce('configuration')) },
      keyring: shown(parts.inForce('keyring')),
      clock: { seconds_ahead_of_ledger: Math.round(parts.clockAhead()) },
    })),
    '/metrics': async (_req, res) => {
      const text = await metrics.metrics()
      res.set('Content-Type', metrics.contentType).send(text)
    },
    '/last-hour': (_req, res) => res.json(parts.lastHour()),
  }
  for (const [path, answer] of Object.entries(routes))
    app.route(path).get(answer).all(onlyMethods('GET, HEAD'))
  app.use(
    express.static(dashboard, {
      cacheControl: false,
      etag: false,
      lastModified: false,
      redirect: false,
    }),
  )
  return endApplication(app, log)
}

/** Returns what JSON spells with dates in ISO 8601 and without undefined values. */
const shown = ({ since, problem }: InForce): object => ({
  since: new Date(since),
  not_reloaded: problem && { at: new Date(problem.at), problem: problem.says },
})

/**
 * Refuses what another page makes an operator's browser ask: a name that its owner points at this listener (DNS rebinding), and
 * requests that the browser itself calls cross-site. A literal address cannot be rebound, and localhost is never in DNS.
 *
 * @throws {Fault} `not-found`, so that such a page learns nothing.
 */
const ownHosts =
  (names: readonly string[]): RequestHandler =>
  (req, _res, next) => {
    // A request without `Host` comes from no browser.
    const name =
      parseUrl(`http://${req.headers.host || 'localhost'}`)?.hostname.replace(/^\[|\]$/g, '') ?? ''
    const isOwn = isIP(name) !== 0 || name === 'localhost' || names.includes(name)
    const isOfOthers = ['cross-site', 'same-site'].includes(req.get('sec-fetch-site') ?? '')
    // Following a link to the page is no danger: the other page cannot read it.
    if (!isOwn || (isOfOthers && req.get('sec-fetch-mode') !== 'navigate'))
      throw Fault.of('not-found')
    next()
  }
