/** The gate inside Fastify and Hono, as docs/start/gate.md mounts it; packages/gate/test/middleware.test.ts has Express. */
import { join } from 'node:path'
import { beforeAll, expect, test } from '@jest/globals'
import { site, testService } from '../../support/app.ts'
import { ask, FETCH, gateFiles, NAVIGATION } from '../../support/gate.ts'
import { token } from '../../support/visitor.ts'
import { installFrameworks, newFolder, ROOT, start, write } from './projects.ts'

const GATE = `import { gate } from '${join(ROOT, 'packages/gate/dist/middleware.js')}'
const own = gate({ config: process.env.GATE, isSecure: false })
`
const SERVERS = {
  Fastify: `${GATE}
import Fastify from 'fastify'
const app = Fastify()
app.addHook('onRequest', own.fastify)
app.get('/*', async () => 'the site')
await app.listen({ port: Number(process.env.PORT) })`,
  Hono: `${GATE}
import { serve } from '@hono/node-server'
import { getConnInfo } from '@hono/node-server/conninfo'
import { Hono } from 'hono'
const app = new Hono()
app.use(own.hono((c) => getConnInfo(c).remote.address))
app.get('/*', (c) => c.text('the site'))
serve({ fetch: app.fetch, port: Number(process.env.PORT) })`,
}

beforeAll(installFrameworks, 300_000)

test.each(Object.entries(SERVERS))('%s: a page, a 401, an exchange, and then the site', async (_name, text) => {
  const service = await testService({ siteList: [site({ hostnames: ['127.0.0.1'] })] })
  const folder = newFolder()
  write(folder, 'server.mjs', text)
  const { url } = await start(folder, ['server.mjs'], { GATE: gateFiles(service.base) })
  const page = await ask(url, '/a?x=1', NAVIGATION)
  expect([page.status, page.body.includes('/.hv/gate.js')]).toEqual([403, true])
  expect((await ask(url, '/a', FETCH)).status).toBe(401)
  expect((await ask(url, '/robots.txt')).body).toBe('the site')
  const response = await token({ ...service.ask, action: 'gate', origin: url })
  const body = new URLSearchParams({ 'svc-response': response, action: 'gate' }).toString()
  const passed = await ask(url, '/.hv/pass', { 'sec-fetch-site': 'same-origin' }, 'POST', body)
  expect(passed.status).toBe(204)
  const cookie = passed.headers['set-cookie']![0]!.split(';')[0]!
  expect((await ask(url, '/a?x=1', { ...NAVIGATION, cookie })).body).toBe('the site')
})
