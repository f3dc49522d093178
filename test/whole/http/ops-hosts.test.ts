/** docs/design/threats.md#t30: no page in an operator's browser reads the ops listener, by whatever name it asks. */
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createOpsApp } from '../../../src/http/ops-app.ts'
import { type Listening, listen } from '../../../src/http/listen.ts'
import { createLog } from '../../../src/ops/log.ts'
import { send } from '../../support/raw.ts'

let ops: Listening
beforeAll(async () => {
  ops = await listen(
    createOpsApp({
      log: createLog({ level: 'error', stream: process.stderr }),
      readiness: { fault: () => undefined },
      metrics: { contentType: 'text/plain', metrics: async () => '' },
      lastHour: () => ({}),
      standing: { inForce: () => ({ since: 0, problem: undefined }), sites: () => 0 },
      dashboard: join(import.meta.dirname, '../../../dist/dashboard'),
      hosts: ['verify-ops.internal'],
    }),
    { host: '127.0.0.1', port: 0 },
  )
})
afterAll(() => ops.stop(0))

async function statusOf(lines: readonly string[]): Promise<number> {
  const head = ['GET /metrics HTTP/1.1', ...lines, '', ''].join('\r\n')
  return (await send(ops.url, head)).status
}

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
])('Host: %s gets %s', async (host, status) => expect(await statusOf([`Host: ${host}`])).toBe(status))

test.each([
  ['cross-site', 'cors', 404],
  ['cross-site', 'no-cors', 404],
  ['same-site', 'cors', 404],
  ['same-origin', 'cors', 200],
  ['none', 'navigate', 200],
  ['cross-site', 'navigate', 200],
])('Sec-Fetch-Site: %s with mode %s gets %s', async (site, mode, status) => {
  expect(await statusOf(['Host: localhost', `Sec-Fetch-Site: ${site}`, `Sec-Fetch-Mode: ${mode}`])).toBe(status)
})
