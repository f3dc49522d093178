/** docs/design/threats.md#t30: no page in an operator's browser reads the ops listener, by whatever name it asks. */
import { join } from 'node:path'
import { test } from '@jest/globals'
import request from 'supertest'
import { createOpsApp } from '../../../src/http/ops-app.ts'
import { createLog } from '../../../src/ops/log.ts'

const ops = createOpsApp({
  log: createLog({ level: 'error', stream: process.stderr }),
  readiness: { fault: () => undefined },
  metrics: { contentType: 'text/plain', metrics: async () => '' },
  lastHour: () => ({}),
  inForce: () => ({ since: 0, problem: undefined }),
  sites: () => 0,
  clockAhead: () => 0,
  dashboard: join(import.meta.dirname, '../../../dist/dashboard'),
  hosts: ['verify-ops.internal'],
})

test.each([
  ['127.0.0.1:9464', 200],
  ['10.1.2.3', 200],
  ['[::1]:9464', 200],
  ['localhost', 200],
  ['LOCALHOST:9464', 200],
  ['verify-ops.internal:9464', 200],
  ['Verify-Ops.internal', 200],
  ['', 200],
  ['evil.example', 404],
  ['evil.example:9464', 404],
  ['localhost.evil.example', 404],
  ['127.0.0.1.evil.example', 404],
  ['x.verify-ops.internal', 404],
  ['localhost:9464@evil.example', 404],
  ['[::1].evil.example', 404],
])(
  'Host: %s gets %s',
  async (host, status) =>
    void (await request(ops).get('/metrics').set('Host', host).expect(status)),
)

test.each([
  ['cross-site', 'cors', 404],
  ['cross-site', 'no-cors', 404],
  ['same-site', 'cors', 404],
  ['same-origin', 'cors', 200],
  ['none', 'navigate', 200],
  ['cross-site', 'navigate', 200],
])('Sec-Fetch-Site: %s with mode %s gets %s', async (site, mode, status) => {
  await request(ops)
    .get('/metrics')
    .set({ 'Sec-Fetch-Site': site, 'Sec-Fetch-Mode': mode })
    .expect(status)
})
