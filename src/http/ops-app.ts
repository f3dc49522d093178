import type { Express, RequestHandler } from 'express'
import { Fault } from '../domain/codes.ts'
import type { Log, Readings, Readiness } from '../ports.ts'
import { faultAnswers, sendJson } from './answer.ts'
import { send } from './head.ts'
import { apiHeaders, dashboardHeaders } from './headers.ts'
import { pageFile, type PageFiles } from './page-files.ts'
import { ready, type Standing } from './ready.ts'
import { addRoutes, bareApp } from './routes.ts'

export interface OpsParts {
  readonly log: Log
  readonly readiness: Readiness
  readonly readings: Readings
  readonly standing: Standing
  /** The files of the page. */
  readonly dashboard: PageFiles
}

/** What operators ask, on a listener of its own that is never public. CONTRACT.md, section 6. */
export function createOpsApp({ log, readiness, readings, standing, dashboard }: OpsParts): Express {
  const app = bareApp([])
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

/** How far back the page may look, minutes. */
const WINDOWS: ReadonlySet<string> = new Set(['5', '15', '60'])

/** GET /fleet?minutes=60: what the page shows. */
function fleet(readings: Readings): RequestHandler {
  return async (req, res) => {
    const { minutes = '60' } = req.query
    if (typeof minutes !== 'string' || !WINDOWS.has(minutes)) throw new Fault('bad-request')
    sendJson(res, 200, await readings.fleet(Number(minutes)))
  }
}
