import type { Request, RequestHandler, Response } from 'express'
import helmet, { type HelmetOptions } from 'helmet'
import { headOf } from './head.ts'

/** Nothing we answer is a page of ours: it loads nothing, is framed by nobody, and is no document of the caller's. */
const nothing: HelmetOptions = {
  contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
  referrerPolicy: { policy: 'no-referrer' },
}

type Header = readonly [name: string, value: string]

/** Never kept. */
const NO_STORE: Header = ['Cache-Control', 'no-store']

/** Answers of the API: never kept, never shared. */
export const apiHeaders: readonly RequestHandler[] = [
  keeping([...headersOf({ ...nothing, crossOriginResourcePolicy: { policy: 'same-origin' } }), NO_STORE]),
]

/** Answers that the widget reads from the customer's page; who may read them, CORS says. */
export const pageHeaders: readonly RequestHandler[] = [
  keeping([...headersOf({ ...nothing, crossOriginResourcePolicy: { policy: 'cross-origin' } }), NO_STORE]),
]

/** The operators' page: its own script, style and figures, from here and nowhere else. */
export const dashboardHeaders: readonly RequestHandler[] = [
  setting([
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

/** The widget's files: any page may load them, with integrity checks (helmet's own default would forbid it; T22). */
export const assetHeaders: RequestHandler = setting(
  headersOf({ ...nothing, crossOriginResourcePolicy: { policy: 'cross-origin' } }),
)

/** What helmet sets. Asked once, at start: none of it depends on the request, and thirteen steps cost 6 µs each time. */
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

/** For what is answered by `send`. */
function keeping(headers: readonly Header[]): RequestHandler {
  const head = Object.fromEntries(headers)
  return (_req, res, next) => {
    Object.assign(headOf(res), head)
    next()
  }
}

function setting(headers: readonly Header[]): RequestHandler {
  return (_req, res, next) => {
    for (const [name, value] of headers) res.setHeader(name, value)
    next()
  }
}
