import express, { type Express } from 'express'
import { escapeHtml, formPage, page, strictPage, STYLE, TOOLS_HELP } from './page.ts'

export interface TriedSite {
  /** Base address of the service, without a slash at its end. */
  readonly serviceUrl: string
  readonly sitekey: string
  readonly action: string
}

/**
 * A page with the widget of a site of yours. It verifies nothing: it shows the token that a handler would have got, and
 * the line with which you verify it yourself.
 */
export function trySite({ serviceUrl, sitekey, action }: TriedSite): Express {
  const app = express()
  app.disable('x-powered-by')
  let token = ''

  app.use(strictPage(serviceUrl))
  app.get('/', (_req, res) => void res.send(formPage(serviceUrl, { sitekey, action, post: '/' })))
  app.get('/style.css', (_req, res) => void res.type('css').send(STYLE))
  app.post('/', express.urlencoded({ limit: '16kb' }), (req, res) => {
    const response = (req.body as Record<string, unknown>)['svc-response']
    // Somebody will paste it into a shell: nothing but a token's own characters.
    token = typeof response === 'string' && /^[\w.-]+$/.test(response) ? response : ''
    const curl = `curl -s ${serviceUrl}/api/v1/siteverify -d secret=SECRET -d action=${action} -d response=${token}`
    res.status(token === '' ? 422 : 200).send(token === '' ? NOTHING : tokenPage(curl))
  })
  app.get('/token', (_req, res) => void res.type('text').send(token))
  return app
}

const NOTHING = page('No token', '<h1>No token</h1><p>The form came without one: does the page reach the service?</p>')

const tokenPage = (curl: string): string =>
  page(
    'A token',
    `<h1>A token</h1>
<p class="lead" role="status">Your handler would have got it in the field <code>svc-response</code>. Verify it with your secret, once, while it lives:</p>
<pre tabindex="0">${escapeHtml(curl)}</pre>
<p>The answer has the score and, for a refusal, <code>low-score</code>; <code>hv explain</code> takes it apart.</p>
${TOOLS_HELP}
<p><a href="/">Another one</a></p>`,
  )
