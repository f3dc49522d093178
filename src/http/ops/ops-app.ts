import type { Express, RequestHandler } from 'express'
import { Fault } from '../../domain/codes.ts'
import type { Log, Readings, Readiness } from '../../ports/observing.ts'
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
  readonly readings: Readings
  readonly standing: Standing
  /** The files of the page. */
  readonly dashboard: PageFiles
  /** Names it is asked by, besides addresses and localhost; left out: none. */
  readonly hosts?: readonly string[]
}

/** Answers operators, on a listener of its own that is never public. docs/design/contract.md, "The ops listener". */
export function createOpsApp({ log, readiness, readings, standing, dashboard, hosts = [] }: OpsParts): Express {
  const app = bareApp([])
  app.use(ownHosts(hosts))
  addRoutes(
    app,
    [
      { method: 'GET', path: '/live', steps: [...apiHeaders, (_req, res) => sendJson(res, 200, { status: 'ok' })] },
      { method: 'GET', path: '/ready', steps: [...apiHeaders, ready(readiness, standing)] },
      { method: 'GET', path: '/metrics', steps: [...apiHeaders, metrics(readings)] },
      { method: 'GET', path: '/fleet', steps: [...apiHeaders, fleet(readings)] },
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
function metrics(readings: Readings): RequestHandler {
  return async (_req, res) => {
    const { type, text } = await readings.exposition()
    send(res, 200, type, text)
  }
}

/** How far back the page may look, minutes: up to an hour, a day, a week. */
const WINDOWS: ReadonlySet<string> = new Set(['5', '15', '60', '1440', '10080'])

/** GET /fleet?minutes=60: what the page shows. */
function fleet(readings: Readings): RequestHandler {
  return async (req, res) => {
    const { minutes = '60' } = req.query
    if (typeof minutes !== 'string' || !WINDOWS.has(minutes)) throw new Fault('bad-request')
    sendJson(res, 200, await readings.fleet(Number(minutes)))
  }
}
