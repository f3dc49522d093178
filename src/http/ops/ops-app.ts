import type { Express, RequestHandler } from 'express'
import type { Log, Readiness } from '../../ports/observing.ts'
import { faultAnswers, sendJson } from '../api/answer.ts'
import { send } from '../api/response-head.ts'
import { apiHeaders, dashboardHeaders } from '../api/security-headers.ts'
import { ownHosts } from './own-hosts.ts'
import { pageFile, type PageFiles } from './page-files.ts'
import { ready, type Standing } from './ready.ts'
import { addRoutes, bareApp } from '../server/routes.ts'

export interface OpsParts {
  readonly log: Log
  readonly readiness: Readiness
  /** Prometheus' text format. */
  readonly metrics: { readonly contentType: string; metrics(): Promise<string> }
  /** What the dashboard shows. */
  readonly lastHour: () => object
  readonly standing: Standing
  /** The files of the page. */
  readonly dashboard: PageFiles
  /** Names it is asked by, besides addresses and localhost; left out: none. */
  readonly hosts?: readonly string[]
}

/** Answers operators, on a listener of its own that is never public. docs/design/contract.md, "The ops listener". */
export function createOpsApp({
  log,
  readiness,
  metrics,
  lastHour,
  standing,
  dashboard,
  hosts = [],
}: OpsParts): Express {
  const app = bareApp([])
  app.use(ownHosts(hosts))
  addRoutes(
    app,
    [
      { method: 'GET', path: '/live', steps: [...apiHeaders, (_req, res) => sendJson(res, 200, { status: 'ok' })] },
      { method: 'GET', path: '/ready', steps: [...apiHeaders, ready(readiness, standing)] },
      { method: 'GET', path: '/metrics', steps: [...apiHeaders, exposition(metrics)] },
      { method: 'GET', path: '/last-hour', steps: [...apiHeaders, (_req, res) => sendJson(res, 200, lastHour())] },
      { method: 'GET', path: '/', steps: [...dashboardHeaders, pageFile(dashboard, 'index.html')] },
      ...[...dashboard.keys()].map((name) => ({
        method: 'GET' as const,
        path: `/${name}`,
        steps: [...dashboardHeaders, pageFile(dashboard, name)],
      })),
    ],
    apiHeaders,
  )
  app.use(faultAnswers(log))
  return app
}

/** GET /metrics, for Prometheus. */
function exposition(metrics: OpsParts['metrics']): RequestHandler {
  return async (_req, res) => send(res, 200, metrics.contentType, await metrics.metrics())
}
