import type { Request, RequestHandler, Response } from 'express'
import helmet, { type HelmetOptions } from 'helmet'
import { headOf } from './response-head.ts'

/**
 * Nothing we answer is a page of ours: it loads nothing, is framed by nobody, and is no document of the caller's.
 * It never says Strict-Transport-Security: TLS ends at the proxy, and an answer under a customer's own origin would decide
 * for all of that customer's pages (RFC 6797, section 14.4).
 */
const nothing: HelmetOptions = {
  strictTransportSecurity: false,
  contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
  referrerPolicy: { policy: 'no-referrer' },
}

type Header = readonly [name: string, value: string]

/** Never kept. */
const NO_STORE: Header = ['Cache-Control', 'no-store']

/** Answers of the API: never kept, never shared. */
export const apiHeaders: readonly RequestHandler[] = [
  collecting([...headersOf({ ...nothing, crossOriginResourcePolicy: { policy: 'same-origin' } }), NO_STORE]),
]

/** Answers that the widget reads from the customer's page; who may read them, CORS says. */
export const pageHeaders: readonly RequestHandler[] = [
  collecting([...headersOf({ ...nothing, crossOriginResourcePolicy: { policy: 'cross-origin' } }), NO_STORE]),
]

/** The operators' page: its own script, style and figures, from here and nowhere else. */
export const dashboardHeaders: readonly RequestHandler[] = [
  collecting([
    ...headersOf({
      ...nothing,
      contentSecurityPolicy: {
        useDefaults: false,
        directives: {
          defaultSrc: ["'none'"],
          scriptSrc: ["'self'"],
          styleSrc: ["'self'"],
          connectSrc: ["'self'"],
          // The empty icon, so that the browser does not ask for one.
          imgSrc: ['data:'],
          baseUri: ["'none'"],
          formAction: ["'none'"],
          frameAncestors: ["'none'"],
        },
      },
      crossOriginResourcePolicy: { policy: 'same-origin' },
    }),
    NO_STORE,
  ]),
]

/** The widget's files: any page may load them, with integrity checks (helmet's own default would forbid it; docs/design/threats.md#t22). */
export const assetHeaders: RequestHandler = collecting(
  headersOf({ ...nothing, crossOriginResourcePolicy: { policy: 'cross-origin' } }),
)

/** The headers that helmet sets. Helmet runs once, at start: none of them depends on the request, and its thirteen steps cost 6 µs each time. */
function headersOf(options: HelmetOptions): readonly Header[] {
  const headers = new Map<string, string>()
  const response: Pick<Response, 'setHeader' | 'removeHeader'> = {
    setHeader(name, value) {
      headers.set(name, String(value))
      return response as Response
    },
    removeHeader: (name) => void headers.delete(name),
  }
  helmet(options)({} as Request, response as Response, (error?: unknown) => {
    if (error !== undefined) throw error
  })
  return [...headers]
}

/** A step that adds headers to those of the answer. */
function collecting(headers: readonly Header[]): RequestHandler {
  const head = Object.fromEntries(headers)
  return (_req, res, next) => {
    Object.assign(headOf(res), head)
    next()
  }
}
