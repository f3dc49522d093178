import type { RequestHandler } from 'express'
import helmet, { type HelmetOptions } from 'helmet'

/** Nothing we answer is a page of ours: it loads nothing, is framed by nobody, and is no document of the caller's. */
const nothing: HelmetOptions = {
  contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
  referrerPolicy: { policy: 'no-referrer' },
}

/** Answers of the API: never kept, never shared. */
export const apiHeaders: readonly RequestHandler[] = [
  helmet({ ...nothing, crossOriginResourcePolicy: { policy: 'same-origin' } }),
  noStore,
]

/** Answers that the widget reads from the customer's page; who may read them, CORS says. */
export const pageHeaders: readonly RequestHandler[] = [
  helmet({ ...nothing, crossOriginResourcePolicy: { policy: 'cross-origin' } }),
  noStore,
]

/** The widget's files: any page may load them, with integrity checks (helmet's own default would forbid it; T22). */
export const assetHeaders: RequestHandler = helmet({
  ...nothing,
  crossOriginResourcePolicy: { policy: 'cross-origin' },
})

function noStore(_req: Parameters<RequestHandler>[0], res: Parameters<RequestHandler>[1], next: () => void): void {
  res.setHeader('Cache-Control', 'no-store')
  next()
}
