/** The gate inside programs, as docs/start/gate.md mounts it. */
import { join } from 'node:path'
import { beforeAll, expect, test } from '@jest/globals'
import { site, testService } from '../../support/app.ts'
import { gateFiles, visitAll } from '../../support/gate.ts'
import { installFrameworks, newFolder, ROOT, start, write } from './projects.ts'

const GATE = `import { gate } from '${join(ROOT, 'packages/gate/dist/middleware.js')}'
const own = gate({ config: process.env.GATE, isSecure: false })
`
const express = (name: string) => `${GATE}
import express from '${name}'
const app = express()
app.use(own.express)
app.use(express.json())
app.use((_req, res) => res.send('the site'))
app.listen(Number(process.env.PORT))`
const SERVERS = {
  Express: express('express'),
  'Express 4': express('express-4'),
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

test.each(Object.entries(SERVERS))(
  '%s: a page, a 401, an exchange, and then the site',
  async (_name, text) => {
    const service = await testService({ siteList: [site({ hostnames: ['127.0.0.1'] })] })
    const folder = newFolder()
    write(folder, 'server.mjs', text)
    const { url } = await start(folder, ['server.mjs'], { GATE: gateFiles(service.base) })
    const { robots, shown } = await visitAll(url, service)
    expect([robots.body, shown.body]).toEqual(['the site', 'the site'])
  },
)
