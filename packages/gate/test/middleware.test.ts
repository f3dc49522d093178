/** The gate inside a program: Express here, Fastify and Hono in test/published/examples/gate.test.ts. */
import { createServer } from 'node:http'
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
