import type { RequestListener } from 'node:http'
import type { ErrorRequestHandler, Express, Request, RequestHandler, Response } from 'express'
import type { Route } from '../server/routes.ts'

/**
 * Takes what is asked for most through its steps without Express' router, which matches patterns for each request and puts a
 * dozen closures behind it: 3 % of a verification on Node.js 24.21 (bench/siteverify.mjs).
 *
 * Only a request whose method and target are spelled exactly as a POST route's goes this way. Every other one, such as one with a
 * query, goes through the application, and there through the same steps; what a step adds to a request or throws is the same.
 *
 * @param app whose requests have its prototype from birth: message-classes.ts.
 * @param routes those that the application has.
 * @param faults the application's last stop.
 */
export function fastPath(app: Express, routes: readonly Route[], faults: ErrorRequestHandler): RequestListener {
  const posts = new Map(routes.flatMap(({ method, path, steps }) => (method === 'POST' ? [[path, steps]] : [])))
  return (req, res) => {
    const steps = req.method === 'POST' ? posts.get(req.url!) : undefined
    if (steps === undefined) app(req, res)
    else walk(steps, faults, req as Request, res as Response)
  }
}

function walk(steps: readonly RequestHandler[], faults: ErrorRequestHandler, req: Request, res: Response): void {
  let at = 0
  const fail = (error: unknown): void => void faults(error, req, res, () => void req.socket.destroy())
  const next = (thrown?: unknown): void => {
    if (thrown !== undefined) return fail(thrown)
    try {
      const outcome: unknown = steps[at++]!(req, res, next)
      if (outcome instanceof Promise) outcome.catch(fail)
    } catch (error) {
      fail(error)
    }
  }
  res.locals = {}
  next()
}
