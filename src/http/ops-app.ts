import type { Express, RequestHandler } from 'express'
import type { Log, Readings, Readiness } from '../ports.ts'
import { faultAnswers } from './answer.ts'
import { apiHeaders } from './headers.ts'
import { ready, type Standing } from './ready.ts'
import { addRoutes, bareApp } from './routes.ts'

export interface OpsParts {
  readonly log: Log
  readonly readiness: Readiness
  readonly readings: Readings
  readonly standing: Standing
}

/** What operators ask, on a listener of its own that is never public. CONTRACT.md, section 6. */
export function createOpsApp({ log, readiness, readings, standing }: OpsParts): Express {
  const app = bareApp([])
  addRoutes(
    app,
    [
      { method: 'GET', path: '/live', steps: [...apiHeaders, (_req, res) => void res.json({ status: 'ok' })] },
      { method: 'GET', path: '/ready', steps: [...apiHeaders, ready(readiness, standing)] },
      { method: 'GET', path: '/metrics', steps: [...apiHeaders, metrics(readings)] },
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
    res.setHeader('Content-Type', type)
    res.end(text)
  }
}
