import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SECRET, SITEKEY } from './app.ts'

/** One form as the customer's server received it, and what the service said of its token. */
export interface Submission {
  readonly path: string
  readonly fields: readonly (readonly [name: string, value: string])[]
  readonly verdict: Record<string, unknown>
}

export interface Customer {
  readonly url: string
  readonly submissions: Submission[]
  /** The page at `/`: what is between `<body>` and `</body>`. */
  page: string
  /** What was asked of the service under the customer's own address. */
  readonly passedOn: string[]
  /** Milliseconds the handler takes. */
  delayMs: number
  /** The tag that loads the widget. */
  script: string
  /** More response headers of the page. */
  headers: Record<string, string>
  close(): Promise<void>
}

/** A container, with more attributes when they are given. */
export const container = (base: string, attributes = ''): string =>
  `<div class="svc-captcha" data-sitekey="${SITEKEY}" data-action="sign-up" data-api-base="${base}/" ${attributes}></div>`

/** A customer's site on an origin of its own: a page, and a handler that asks the real service about every token. */
export async function startCustomer(service: string): Promise<Customer> {
  const submissions: Submission[] = []
  const server = createServer((req, res) => {
    void (async () => {
      let body = ''
      for await (const chunk of req) body += String(chunk)
      const path = req.url ?? '/'
      if (/^\/(assets|api)\//.test(path)) {
        customer.passedOn.push(path)
        return passOn(service, req, body, res)
      }
      if (req.method === 'POST') {
        const fields = [...new URLSearchParams(body)]
        submissions.push({ path, fields, verdict: await verify(service, fields) })
        await new Promise((resolve) => setTimeout(resolve, customer.delayMs))
        res.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><h1>received</h1>')
      } else if (path === '/') {
        res.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...customer.headers })
        res.end(
          `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Shop</title><link rel="icon" href="data:,">` +
            `${customer.script}</head><body>${customer.page}</body></html>`,
        )
      } else res.writeHead(404, { 'content-type': 'text/html' }).end('<!doctype html><h1>not found</h1>')
    })()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const customer: Customer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    submissions,
    page: '',
    passedOn: [],
    script: `<script src="${service}/assets/captcha.js?v=1" defer></script>`,
    delayMs: 0,
    headers: {},
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
  return customer
}

/** The service under the customer's own address, as behind one reverse proxy. */
async function passOn(service: string, req: IncomingMessage, body: string, res: ServerResponse): Promise<void> {
  const { origin = '', 'content-type': type = '' } = req.headers
  const { method = 'GET' } = req
  const answer = await fetch(service + req.url, {
    method,
    headers: { origin, 'content-type': type },
    ...(method === 'POST' && { body }),
  })
  const headers = [...answer.headers].filter(
    ([name]) => !/^(content-encoding|content-length|connection|keep-alive|transfer-encoding)$/.test(name),
  )
  res.writeHead(answer.status, Object.fromEntries(headers)).end(await answer.text())
}

async function verify(service: string, fields: [string, string][]): Promise<Record<string, unknown>> {
  const response = fields.find(([name]) => name === 'svc-response')?.[1] ?? ''
  const answer = await fetch(`${service}/api/v1/siteverify`, {
    method: 'POST',
    body: new URLSearchParams({ secret: SECRET, response, action: 'sign-up' }),
  }).catch((error: unknown) => Response.json({ unreachable: String(error) }))
  return (await answer.json()) as Record<string, unknown>
}
