/**
 * A customer's server: serves the files of a folder, and verifies each submitted form.
 *
 *     npm start                        # the service, on 127.0.0.1:8080
 *     node examples/serve.mjs plain    # this, on 127.0.0.1:8082
 *
 * HV_URL: the service's address. HV_SECRET: the site's secret. PORT: 0 picks a free one.
 */
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname, join, normalize } from 'node:path'
import { verify } from '@human-verification/client'

const DEMO = 'http://127.0.0.1:8080'
const { HV_URL = DEMO, PORT = '8082' } = process.env
/** Of the demonstration's site, published on purpose. Yours comes from where you keep secrets. */
const { HV_SECRET = 'hv_secret_demo_vke3pF6jgFUNwiJDlZ0oQoLgYoq_lj3obRpreV0sW6M' } = process.env

const site = join(import.meta.dirname, normalize(`/${process.argv[2] ?? 'plain'}`))
const TYPES = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8' }
const MOST_BYTES = 16_384

async function signUp(req, res) {
  let body = ''
  for await (const chunk of req)
    if ((body += chunk).length > MOST_BYTES) return res.writeHead(413).end()
  const fields = new URLSearchParams(body)
  const visitor = await verify({
    url: HV_URL,
    secret: HV_SECRET,
    response: fields.get('svc-response'),
    action: 'sign-up',
    hostnames: ['127.0.0.1', 'localhost'],
  })
  // The account would be made here, and only here.
  const [status, words] = visitor.accepted
    ? [200, 'Thank you.']
    : visitor.retryable
      ? [503, 'This is temporarily unavailable. Please try again in a moment.']
      : [422, 'We could not process your request. Please try again.']
  res.writeHead(status, { 'content-type': TYPES['.html'] })
  res.end(
    `<!doctype html><html lang="en"><title>Sign up</title><link rel="icon" href="data:,"><p>${words}</p></html>`,
  )
}

async function file(path, res) {
  const name = join(site, normalize(path === '/' ? '/index.html' : path))
  const type = TYPES[extname(name)]
  const text = type && (await readFile(name, 'utf8').catch(() => undefined))
  if (text === undefined) return res.writeHead(404).end()
  res.writeHead(200, { 'content-type': type }).end(text.replaceAll(DEMO, HV_URL))
}

const server = createServer((req, res) => {
  const { pathname } = new URL(req.url, 'http://here')
  const done =
    req.method === 'POST' && pathname === '/sign-up' ? signUp(req, res) : file(pathname, res)
  done.catch(() => res.destroy())
})
server.listen(Number(PORT), '127.0.0.1', () =>
  console.log(`http://127.0.0.1:${server.address().port}/`),
)
