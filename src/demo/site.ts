import express, { type Express } from 'express'
import { verify } from '../client/verify.ts'
import { DEMO_SECRET, DEMO_SITEKEY } from './credentials.ts'
import { DEMO_ACTION, formPage, resultPage, STYLE, strictPage } from './page.ts'

/**
 * The demonstration site: what a customer builds. A page with a form, and a handler that asks the service before it
 * does anything. It knows the service by its address and its own secret, and by nothing else.
 */
export function demoSite(serviceUrl: string): Express {
  const app = express()
  app.disable('x-powered-by')
  let lastToken = ''

  app.use(strictPage(serviceUrl))
  app.get(
    '/',
    (_req, res) =>
      void res.send(formPage(serviceUrl, { sitekey: DEMO_SITEKEY, action: DEMO_ACTION, post: '/sign-up' })),
  )
  app.get('/style.css', (_req, res) => void res.type('css').send(STYLE))

  app.post('/sign-up', express.urlencoded({ limit: '16kb' }), async (req, res) => {
    const fields = req.body as Record<string, unknown>
    const response = fields['svc-response']
    const verification = await verify({
      url: serviceUrl,
      secret: DEMO_SECRET,
      response,
      action: DEMO_ACTION,
      hostnames: ['127.0.0.1', 'localhost'],
    })
    // Somebody will paste it into a shell: nothing but a token's own characters.
    if (typeof response === 'string' && /^[\w.-]+$/.test(response)) lastToken = response
    // The account would be made here, and only here.
    res
      .status(verification.accepted ? 200 : 422)
      .send(resultPage(verification, curlLine(serviceUrl, `'response=${lastToken}'`)))
  })

  // For the curl line of the start: the last token that was submitted, spent by then. No real site has this.
  app.get('/last-token', (_req, res) => void res.type('text').send(lastToken))
  return app
}

/** One line to paste: the service's own answer about a token. */
export function curlLine(serviceUrl: string, response: string): string {
  return `curl -s ${serviceUrl}/api/v1/siteverify -d secret=${DEMO_SECRET} -d action=${DEMO_ACTION} -d ${response}`
}
