import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express'
import { type Verification, verify } from '@human-verification/client'
import { requireHuman } from '@human-verification/client/express'
import { DEMO_SECRET } from './credentials.ts'
import { type Trusts, trustProxies } from '../http/client-address.ts'
import type { rememberDecisions } from './decisions.ts'
import {
  CALL,
  contentSecurityPolicy,
  DEMO_ACTION,
  formPage,
  resultPage,
  resultText,
  SCRIPTS,
  STYLE,
} from './pages.ts'

export interface Demonstration {
  /** The address of the service for this process. */
  readonly own: string
  /** Its address for browsers, which differs where a container publishes another port. */
  readonly page: string
  readonly secret: string
  readonly hostnames: readonly [string, ...string[]]
  /** Where strangers come: their proxies, and what limits them. */
  readonly inPublic?: { readonly trusts: Trusts; readonly limit: RequestHandler } | undefined
}

/** The credentials of config/demo.yaml, for this machine's own hostnames. */
export const LOCAL = { secret: DEMO_SECRET, hostnames: ['127.0.0.1', 'localhost'] } as const

/**
 * The demonstration site: what a customer builds. A page with a form, and a handler that asks the service before it
 * does anything. It knows the service by its address and its own secret.
 *
 * @param decisions beyond a real site's knowledge: how the service scored a visit.
 */
export function demoSite(
  { own, page, secret, hostnames, inPublic }: Demonstration,
  decisions: Pick<ReturnType<typeof rememberDecisions>, 'of'>,
): Express {
  const app = express()
  app.disable('x-powered-by')
  if (inPublic) {
    trustProxies(app, inPublic.trusts, 'x-forwarded-for')
    app.post(/.*/, inPublic.limit)
  }
  app.use((_req, res, next) => {
    res.set({
      'Content-Security-Policy': contentSecurityPolicy(page),
      'Referrer-Policy': 'no-referrer',
    })
    next()
  })
  app.get('/', (_req, res) => void res.send(formPage(page, inPublic ? SCRIPTS(page) : '')))
  app.get('/style.css', (_req, res) => void res.type('css').send(STYLE))

  app.get('/call.js', (_req, res) => void res.type('js').send(CALL))

  const site = { url: own, secret, action: DEMO_ACTION, hostnames }
  app.post('/api/tea', requireHuman({ ...site, from: 'header' }), (req, res) => {
    res.json({ tea: `Green tea for a person, score ${req.human!.score}.` })
  })

  // No real site has /again: it shows that a token is accepted once.
  app.post(['/sign-up', '/again'], express.urlencoded({ limit: '16kb' }), async (req, res) => {
    const token = tokenOf(req.body)
    // The address counts where the proxies in front are known; a sender of made-up tokens then uses up its own budget.
    const remoteip = inPublic ? req.ip : undefined
    const verification = await verify({ ...site, response: token, remoteip })
    if (!verification.accepted && verification.retryAfter !== undefined)
      res.set('Retry-After', String(verification.retryAfter))
    // The account would be made here, and only here.
    res.status(statusOf(verification))
    const decision = decisions.of(token)
    // curl takes anything, and a browser names text/html.
    if (req.accepts(['text', 'html']) !== 'html')
      return void res.type('text').send(resultText(verification, decision))
    const again = inPublic
      ? `${page}/again --data-urlencode svc-response=`
      : `${page}/api/v1/siteverify -d secret=${secret} -d action=${DEMO_ACTION} -d response=`
    res.send(resultPage(verification, token, decision, again))
  })

  return app.use(refuseUnreadable)
}

/** Without it Express prints the stack of a body that is too large, and outside of production sends it. */
const refuseUnreadable: ErrorRequestHandler = (error: { status?: number }, _req, res, _next) => {
  res
    .status(error.status ?? 500)
    .type('text')
    .send('This request could not be read.\n')
}

function statusOf(verification: Verification): number {
  if (verification.accepted) return 200
  return verification.retryable ? 503 : 422
}

/** @returns '' for what is no token by its characters: pages show it again. */
function tokenOf(body: unknown): string {
  const { 'svc-response': response } = (body ?? {}) as Record<string, unknown>
  return typeof response === 'string' && /^[\w.-]+$/.test(response) ? response : ''
}
