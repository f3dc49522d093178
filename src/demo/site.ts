import express, { type Express } from 'express'
import { type Verification, verify } from '@human-verification/client'
import { requireHuman } from '@human-verification/client/express'
import { DEMO_SECRET } from './credentials.ts'
import type { rememberDecisions } from './decisions.ts'
import { CALL, contentSecurityPolicy, DEMO_ACTION, formPage, resultPage, STYLE } from './pages.ts'

/**
 * The demonstration site: what a customer builds. A page with a form, and a handler that asks the service before it
 * does anything. It knows the service by its address and its own secret.
 *
 * @param service its address for this process, and for browsers: they differ where a container publishes another port.
 * @param decisions beyond a real site's knowledge: how the service scored a visit.
 */
export function demoSite(
  service: { readonly own: string; readonly page: string },
  decisions: Pick<ReturnType<typeof rememberDecisions>, 'of'>,
): Express {
  const app = express()
  app.disable('x-powered-by')
  app.use((_req, res, next) => {
    res.set({
      'Content-Security-Policy': contentSecurityPolicy(service.page),
      'Referrer-Policy': 'no-referrer',
    })
    next()
  })
  app.get('/', (_req, res) => void res.send(formPage(service.page)))
  app.get('/style.css', (_req, res) => void res.type('css').send(STYLE))

  app.get('/call.js', (_req, res) => void res.type('js').send(CALL))

  const site = {
    secret: DEMO_SECRET,
    action: DEMO_ACTION,
    hostnames: ['127.0.0.1', 'localhost'],
  } as const
  app.post('/api/tea', requireHuman({ url: service.own, ...site, from: 'header' }), (req, res) => {
    res.json({ tea: `Green tea for a person, score ${req.human!.score}.` })
  })

  // No real site has /again: it shows that a token is accepted once.
  app.post(['/sign-up', '/again'], express.urlencoded({ limit: '16kb' }), async (req, res) => {
    const token = tokenOf(req.body)
    const verification = await verify({ url: service.own, ...site, response: token })
    if (!verification.accepted && verification.retryAfter !== undefined)
      res.set('Retry-After', String(verification.retryAfter))
    // The account would be made here, and only here.
    res
      .status(statusOf(verification))
      .send(resultPage(verification, token, decisions.of(token), service.page))
  })

  return app
}

function statusOf(verification: Verification): number {
  if (verification.accepted) return 200
  return verification.retryable ? 503 : 422
}

/** @returns '' for what is no token by its characters: pages show it again. */
function tokenOf(body: unknown): string {
  const { 'svc-response': response } = body as Record<string, unknown>
  return typeof response === 'string' && /^[\w.-]+$/.test(response) ? response : ''
}
