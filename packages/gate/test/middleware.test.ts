/** The gate inside a program; test/published/examples/gate.test.ts has the frameworks. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2'
import { type AddressInfo, connect } from 'node:net'
import { expect, test } from '@jest/globals'
import express from 'express'
import { SITEKEY } from '../../../test/support/app.ts'
import { closeLater } from '../../../test/support/close-later.ts'
import { ask, FETCH, gateFiles, type Headers as Sent } from '../../../test/support/gate.ts'
import { gate } from '../src/middleware.ts'

test('a body that breaks off is an error of its request, and an address that is none is nobody’s', async () => {
  const own = gate({
    config: gateFiles('http://127.0.0.1:9', {}, { log_level: 'error' }),
    isSecure: false,
  })
  const server = closeLater(createServer(), (it) => it.close())
  const failed = new Promise((resolve) => {
    server.on('request', (req, res) =>
      own.express(Object.assign(req, { ip: 'forged' }), res, resolve),
    )
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  expect((await ask(`http://127.0.0.1:${port}`, '/', FETCH)).status).toBe(401)
  const socket = connect(port, '127.0.0.1')
  const head = ['host: 127.0.0.1', 'sec-fetch-site: same-origin', 'content-length: 100']
  socket.write(`POST /.hv/pass HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\nx`, () => socket.destroy())
  expect(String(await failed)).toBe('Error: aborted')
})

test.each(['/.hv/', '/.hv/1?p=1', '/.hv/a/b?p=1', '/.hv/GATE.js', '/.hv/gate.js/?p=1'])(
  'Express: %s, which is no file of the gate, does not reach the site',
  async (target) => {
    const config = gateFiles('http://127.0.0.1:9', {}, { log_level: 'error' })
    const app = express()
    app.use(gate({ config, isSecure: false }).express, (_req, res) => void res.send('the site'))
    const server = closeLater(createServer(app), (it) => it.close())
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    expect((await ask(`http://127.0.0.1:${port}`, target, FETCH)).status).toBe(404)
  },
)

test('Hono: a path is judged as it came, with its dots', async () => {
  const own = gate({
    config: gateFiles('http://127.0.0.1:9', {}, { log_level: 'error' }),
    isSecure: false,
  })
  const seen = async (path: string) => {
    const raw = { method: 'GET', url: `http://127.0.0.1${path}`, headers: new Headers() } as Request
    return (await own.hono(() => '127.0.0.1')({ req: { raw } }, async () => {}))?.status
  }
  expect([await seen('/robots.txt'), await seen('/shut/%2e%2e/robots.txt')]).toEqual([
    undefined,
    401,
  ])
  expect(await own.registry.metrics()).toContain(
    'hv_gate_checks_total{host="127.0.0.1",answer="none"} 1',
  )
})

test('over HTTP/2 a page of an old browser, which says only its origin, exchanges its token', async () => {
  const config = gateFiles('http://127.0.0.1:9', {}, { log_level: 'error' })
  const { fastify } = gate({ config, isSecure: false })
  const server = closeLater(createHttp2Server(), (it) => it.close())
  // As Fastify calls its hooks with `http2: true`.
  server.on('request', (req, res) =>
    fastify(
      { raw: req as never, ip: '127.0.0.1', hostname: req.authority },
      { raw: res as never },
      () => res.end('the site'),
    ),
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const session = closeLater(connectHttp2(base), (it) => it.close())
  async function status(method: string, path: string, origin: string): Promise<unknown> {
    const body = 'svc-response=a.b.c'
    const head = { ':method': method, ':path': path, origin }
    const length = method === 'POST' ? { 'content-length': body.length } : {}
    const stream = session.request({ ...head, ...length })
    const answered = once(stream, 'response')
    stream.end(method === 'POST' ? body : undefined).resume()
    const [headers] = (await answered) as [{ ':status': number }]
    return headers[':status']
  }
  expect(await status('GET', '/', base)).toBe(401)
  expect(await status('POST', '/.hv/pass', 'http://127.0.0.1:1')).toBe(403)
  // Of the own origin: the service is asked, and away.
  expect(await status('POST', '/.hv/pass', base)).toBe(503)
})

const POLICY = { sitekey: SITEKEY, secret_file: 'secret' }
const TWO_SITES = [
  { ...POLICY, hosts: ['strict.example.com'] },
  { ...POLICY, hosts: ['soft.example.com'], shadow: true },
]

const FORWARDED = { 'x-forwarded-host': 'strict.example.com' }

test.each<[status: number, when: string, target: string, headers: Sent]>([
  [200, 'the name is that of the soft site', '/', { host: 'soft.example.com' }],
  [401, 'it is that of the strict one', '/', { host: 'strict.example.com' }],
  [403, 'the request line has another', 'http://strict.example.com/', { host: 'soft.example.com' }],
  [403, 'X-Forwarded-Host has another', '/', { host: 'soft.example.com', ...FORWARDED }],
  [401, 'X-Forwarded-Host has the same', '/', { host: 'STRICT.example.com:80', ...FORWARDED }],
])('Express: %d where %s', async (status, _when, target, headers) => {
  const config = gateFiles('http://127.0.0.1:9', {}, { gates: TWO_SITES, log_level: 'error' })
  const app = express().set('trust proxy', true)
  app.use(gate({ config, isSecure: false }).express, (_req, res) => void res.send('the site'))
  const server = closeLater(createServer(app), (it) => it.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const { status: got } = await ask(`http://127.0.0.1:${port}`, target, { ...FETCH, ...headers })
  expect(got).toBe(status)
})

test('Hono: an absolute request line and a Host header that differ are refused', async () => {
  const config = gateFiles('http://127.0.0.1:9', {}, { gates: TWO_SITES, log_level: 'error' })
  const own = gate({ config, isSecure: false }).hono(() => '127.0.0.1')
  const headers = new Headers({ host: 'soft.example.com' })
  const status = async (url: string) => {
    const raw = { method: 'GET', url, headers } as Request
    return (await own({ req: { raw } }, async () => {}))?.status
  }
  expect(await status('http://soft.example.com/')).toBeUndefined()
  expect(await status('http://strict.example.com/')).toBe(403)
})
