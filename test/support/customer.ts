import express from 'express'
import { SECRET, SITEKEY } from './app.ts'
import { passOn } from './company-proxy.ts'
import { serve } from './serve.ts'

/** One form as the customer's server received it, and what the service said of its token. */
export interface Submission {
  readonly path: string
  readonly fields: readonly (readonly [name: string, value: string])[]
  readonly verdict: Record<string, unknown>
}

/** A container, with more attributes when they are given. */
export const container = (base: string, attributes = ''): string =>
  `<div class="svc-captcha" data-sitekey="${SITEKEY}" data-action="sign-up" data-api-base="${base}/" ${attributes}></div>`

/** A customer's site on its own origin: a page, and a handler that verifies every token at the real service. */
export async function startCustomer(service: string) {
  const app = express().set('etag', false)
  // The service under the customer's own address, as behind one reverse proxy.
  app.use((req, res, next) => {
    if (!/^\/(assets|api)\//.test(req.url)) return next()
    customer.passedOn.push(req.url)
    passOn(service + req.url, req, res)
  })
  app.post('/{*path}', express.text({ type: () => true }), async (req, res) => {
    const fields = [...new URLSearchParams(String(req.body))]
    // A call carries it in a header.
    const named =
      req.get('svc-response') === undefined
        ? fields
        : [['svc-response', req.get('svc-response')!] as [string, string]]
    customer.submissions.push({ path: req.url, fields, verdict: await verify(service, named) })
    await new Promise((resolve) => setTimeout(resolve, customer.delayMs))
    res.type('html').send('<!doctype html><h1>received</h1>')
  })
  app.get('/', (_req, res) => {
    const head = `<meta charset="utf-8"><title>Shop</title><link rel="icon" href="data:,">${customer.script}`
    res.type('html').set(customer.headers)
    if (customer.whole) return void res.send(customer.whole)
    res.send(
      `<!doctype html><html lang="en"><head>${head}</head><body>${customer.page}</body></html>`,
    )
  })
  app.use((_req, res) => void res.status(404).send('<!doctype html><h1>not found</h1>'))

  const server = await serve(app)
  const customer = {
    url: server.url,
    submissions: [] as Submission[],
    /** The page at `/`: what is between `<body>` and `</body>`. */
    page: '',
    /** The whole document at `/`, instead of `page`. */
    whole: '',
    /** What was asked of the service under the customer's own address. */
    passedOn: [] as string[],
    /** The tag that loads the widget. */
    script: `<script src="${service}/assets/captcha.js?v=1" defer></script>`,
    /** Milliseconds the handler takes. */
    delayMs: 0,
    /** More response headers of the page. */
    headers: {} as Record<string, string>,
    close: () => server.stop(0),
  }
  return customer
}

async function verify(
  service: string,
  fields: [string, string][],
): Promise<Record<string, unknown>> {
  const response = fields.find(([name]) => name === 'svc-response')?.[1] ?? ''
  const answer = await fetch(`${service}/api/v1/siteverify`, {
    method: 'POST',
    body: new URLSearchParams({ secret: SECRET, response, action: 'sign-up' }),
  }).catch((error: unknown) => Response.json({ unreachable: String(error) }))
  return (await answer.json()) as Record<string, unknown>
}
