import type { RequestHandler } from 'express'
import helmet, { type HelmetOptions } from 'helmet'

/**
 * Nothing we answer is a page of ours: it loads nothing, is framed by nobody, and is no document of the caller's.
 * It never says Strict-Transport-Security: TLS ends at the proxy, and an answer under a customer's own origin would decide
 * for all of that customer's pages (RFC 6797, section 14.4).
 */
const NOTHING = {
  strictTransportSecurity: false,
  contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
  referrerPolicy: { policy: 'no-referrer' },
} as const satisfies HelmetOptions

/** Answers of the API and of operators, without helmet's headers that only affect pages or browsers long out of use. */
export const securityHeaders: RequestHandler = helmet({
  ...NOTHING,
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
})

/** The operators' page: its own script, style and figures, from here and nowhere else. */
export const dashboardHeaders: RequestHandler = helmet({
  ...NOTHING,
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
})

/** Lets pages of other origins use an answer: helmet's own default forbids it (docs/design/threats.md#t22). */
export const crossOrigin: RequestHandler = helmet.crossOriginResourcePolicy({ policy: 'cross-origin' })
