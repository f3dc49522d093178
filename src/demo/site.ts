import express, { type Express } from 'express'
import { pass, type Verification } from '../client/verify.ts'
import type { Decisions } from './decisions.ts'
import { DEMO_SECRET, DEMO_SITEKEY } from './credentials.ts'
import { verifyAloud } from './exchange.ts'
import { DEMO_ACTION, STYLE, strictPage, supportPage } from './page.ts'
import { replayPage, resultPage } from './result.ts'
import { STRICT, themeOf, tourPage } from './tour.ts'

const HOSTNAMES = ['127.0.0.1', 'localhost'] as const

/**
 * The demonstration site: what a customer builds. A page with a form, and a handler that asks the service before it
 * does anything. It knows the service by its address and its own secret.
 *
 * @param explaining beyond a real site's knowledge: what the service's log says of each score, and why each rule counts.
 */
export function demoSite(
  serviceUrl: string,
  explaining?: { readonly decisions: Decisions; readonly wordsFor: (rule: string) => string },
): Express {
  const app = express()
  app.disable('x-powered-by')
  let lastToken = ''
  const expected = { url: serviceUrl, secret: DEMO_SECRET, action: DEMO_ACTION, hostnames: HOSTNAMES }

  app.use(strictPage(serviceUrl))
  app.get('/', (req, res) => void res.send(tourPage(serviceUrl, DEMO_SITEKEY, themeOf(req.query['theme']))))
  app.get('/style.css', (_req, res) => void res.type('css').send(STYLE))

  app.post('/sign-up', express.urlencoded({ limit: '16kb' }), async (req, res) => {
    const fields = req.body as Record<string, unknown>
    const response = fields['svc-response']
    const demanded = fields['plan'] === 'strict' ? STRICT : undefined
    const { verification, exchange } = await verifyAloud({ ...expected, response, threshold: demanded })
    const token = tokenIn(response)
    lastToken = token || lastToken
    const isScored = verification.accepted || verification.rule === 'score'
    const scored = isScored ? await explaining?.decisions.of(response) : undefined
    const wordsFor = explaining?.wordsFor ?? (() => '')
    if (!verification.accepted && verification.retryAfter !== undefined)
      res.set('Retry-After', String(verification.retryAfter))
    // The account would be made here, and only here.
    res.status(statusOf(verification)).send(
      resultPage(
        {
          verification,
          exchange,
          token,
          curl: curlLine(serviceUrl, `'response=${lastToken}'`),
          theme: themeOf(req.query['theme']),
          demanded,
        },
        { scored, wordsFor },
      ),
    )
  })

  // No real site has this: it shows that a token is accepted once.
  app.post('/again', express.urlencoded({ limit: '16kb' }), async (req, res) => {
    const response = tokenIn((req.body as Record<string, unknown>)['svc-response'])
    const { verification, exchange } = await verifyAloud({ ...expected, response })
    const page = replayPage(verification, exchange, themeOf(req.query['theme']))
    res.status(statusOf(verification)).send(page)
  })

  // A real support desk sends the link to one visitor, after it has looked at the case.
  app.get('/support', async (req, res) => {
    const hostname = HOSTNAMES.find((each) => each === req.hostname) ?? HOSTNAMES[0]
    const issued = await pass({ secret: DEMO_SECRET, action: DEMO_ACTION, hostname, minutes: 10 })
    res.set('Cache-Control', 'no-store').send(supportPage(issued, '/sign-up'))
  })

  // For the curl line of the start: the last token that was submitted, spent by then. No real site has this.
  app.get('/last-token', (_req, res) => void res.type('text').send(lastToken))
  return app
}

const statusOf = (verification: Verification): number =>
  verification.accepted ? 200 : verification.retryable ? 503 : 422

/** Somebody will paste it into a shell: nothing but a token's own characters. @returns '' for anything else. */
const tokenIn = (response: unknown): string =>
  typeof response === 'string' && /^[\w.-]+$/.test(response) ? response : ''

/** One line to paste: the service's own answer about a token. */
export function curlLine(serviceUrl: string, response: string): string {
  return `curl -s ${serviceUrl}/api/v1/siteverify -d secret=${DEMO_SECRET} -d action=${DEMO_ACTION} -d ${response}`
}
