import type { Express } from 'express'
import type { Log, Readiness } from '../ports.ts'
import { faultAnswers } from './answer.ts'
import { apiHeaders } from './headers.ts'
import { health } from './operations.ts'
import { addRoutes, bareApp } from './routes.ts'

/** What operators ask, on a listener of its own that is never public. CONTRACT.md, section 6. */
export function createOpsApp(log: Log, readiness: Readiness): Express {
  const app = bareApp([])
  addRoutes(
    app,
    [
      { method: 'GET', path: '/live', steps: [...apiHeaders, (_req, res) => void res.json({ status: 'ok' })] },
      { method: 'GET', path: '/ready', steps: [...apiHeaders, health(readiness)] },
    ],
    apiHeaders,
  )
  app.use(faultAnswers(log))
  return app
}
