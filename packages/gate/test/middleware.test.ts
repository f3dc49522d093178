/** The gate inside a program: Express here, Fastify and Hono in test/published/examples/gate.test.ts. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import express from 'express'
import { expect, test } from '@jest/globals'
import { site, testService } from '../../../test/support/app.ts'
import { closeLater } from '../../../test/support/close-later.ts'
import { ask, FETCH, gateFiles, NAVIGATION } from '../../../test/support/gate.ts'
import { token } from '../../../test/support/visitor.ts'
import { gate } from '../src/middleware.ts'

test('Express: a page, a 401, an exchange, and then the site', async () => {
  const service = await testService({ siteList: [site({ hostnames: ['127.0.0.1'] })] })
  const own = gate({ config: gateFiles(service.base, {}, { log_level: 'error' }), isSecure: false })
  const app = express()
  app.use(own.express)
  app.use(express.json())
  app.all('/{*path}', (_req, res) => void res.send('the site'))
  const server = closeLater(createServer(app), (it) => it.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as { port: number }).port}`

  const page = await ask(url, '/a?x=1', NAVIGATION)
  expect([page.status, page.headers['cache-control'], page.body.includes('/.hv/gate.js')]).toEqual([
    403,
    'no-store',
    true,
  ])
  expect((await ask(url, '/a', FETCH)).status).toBe(401)
  expect((await ask(url, '/robots.txt')).body).toBe('the site')
  expect((await ask(url, '/.hv/gate.css')).headers['content-type']).toMatch(/^text\/css/)

  const response = await token({ ...service.ask, action: 'gate', origin: url })
  const body = new URLSearchParams({ 'svc-response': response, action: 'gate' }).toString()
  const exchange = () => ask(url, '/.hv/pass', { 'sec-fetch-site': 'same-origin' }, 'POST', body)
  const [first, second] = [await exchange(), await exchange()]
  expect([first.status, second.status]).toEqual([204, 403])
  const cookie = first.headers['set-cookie']![0]!.split(';')[0]!
  expect((await ask(url, '/a?x=1', { ...NAVIGATION, cookie })).body).toBe('the site')
  expect(await own.registry.metrics()).toContain('hv_gate_funnel_total{host="127.0.0.1",step="passed"} 1')
})

test('a body that breaks off is an error of its request, and an address that is none is nobody’s', async () => {
  const own = gate({ config: gateFiles('http://127.0.0.1:9', {}, { log_level: 'error' }), isSecure: false })
  const server = closeLater(createServer(), (it) => it.close())
  const failed = new Promise((resolve) => {
    server.on('request', (req, res) => own.express(Object.assign(req, { ip: 'forged' }), res, resolve))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  expect((await ask(`http://127.0.0.1:${port}`, '/', FETCH)).status).toBe(401)
  const socket = connect(port, '127.0.0.1')
  const head = ['host: 127.0.0.1', 'sec-fetch-site: same-origin', 'content-length: 100']
  socket.write(`POST /.hv/pass HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\nx`, () => socket.destroy())
  expect(String(await failed)).toBe('Error: aborted')
})

test('Hono: a path is judged as it came, with its dots', async () => {
  const own = gate({ config: gateFiles('http://127.0.0.1:9', {}, { log_level: 'error' }), isSecure: false })
  const seen = async (path: string) => {
    const raw = { method: 'GET', url: `http://127.0.0.1${path}`, headers: new Headers() } as Request
    const response = await own.hono(() => '127.0.0.1')({ req: { raw } }, async () => {})
    return response?.status
  }
  expect([await seen('/robots.txt'), await seen('/shut/%2e%2e/robots.txt')]).toEqual([undefined, 401])
})
