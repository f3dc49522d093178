import express, { type Express, type RequestHandler } from 'express'
import { Fault } from '../domain/codes.ts'

/** Creates an application whose paths are exact and that says nothing about itself. */
export function expressApp(): Express {
  const app = express()
  app.disable('x-powered-by')
  // Answers of the API are never conditional; assets have an ETag of their own.
  app.disable('etag')
  app.enable('case sensitive routing')
  app.enable('strict routing')
  app.set('query parser', 'simple')
  return app
}

/** Refuses a method that a path does not take. @param allowed for the `Allow` header. */
export const onlyMethods =
  (allowed: string): RequestHandler =>
  (_req, res) => {
    res.set('Allow', allowed)
    throw new Fault('method-not-allowed')
  }

/** Answers every path that no route takes. */
export const notFound: RequestHandler = () => {
  throw new Fault('not-found')
}

/** Forbids caches to keep an answer. What nobody keeps is sent whole: Express answers `If-None-Match: *` with 304 otherwise. */
export const noStore: RequestHandler = (req, res, next) => {
  delete req.headers['if-none-match']
  res.set('Cache-Control', 'no-store')
  next()
}
