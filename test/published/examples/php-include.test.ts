/**
 * examples/verify/verify.php as its README says: a server includes it and calls `verify`. Its program part ran on `require`: a fatal
 * error for every visitor of a web server, and on the command line it printed `options` and ended.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { SECRET, testService, type TestService } from '../../support/app.ts'
import { ensurePrograms, needProgram } from '../../support/programs.mjs'
import { freePort } from '../../support/ports.mjs'
import { listening } from '../../support/redis.ts'
import { token } from '../../support/visitor.ts'

const EXAMPLE = join(import.meta.dirname, '../../../examples/verify/verify.php')
const HANDLER = `<?php
require ${JSON.stringify(EXAMPLE)};
$verdict = verify($_POST['svc-response'] ?? null, getenv('HV_URL'), getenv('HV_SECRET'), 'sign-up', ['shop.example.com']);
http_response_code($verdict === 'accepted' ? 200 : 422);
echo 'handled: ', $verdict;
`

let service: TestService
let folder: string
beforeAll(async () => {
  ensurePrograms(['php'])
  service = await testService()
  folder = mkdtempSync(join(tmpdir(), 'hv-php-'))
  writeFileSync(join(folder, 'index.php'), HANDLER)
}, 600_000)
afterAll(async () => {
  await service.stop(0)
  rmSync(folder, { recursive: true, force: true })
})

test('included by a page of php -S: a visitor is accepted once, and nobody else', async () => {
  const port = await freePort()
  const env = { PATH: process.env['PATH'], HV_URL: service.base, HV_SECRET: SECRET }
  const server = spawn(needProgram('php'), ['-S', `127.0.0.1:${port}`, '-t', folder], { env, stdio: 'ignore' })
  try {
    await listening(port)
    const send = async (fields: Record<string, string>) => {
      const res = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: new URLSearchParams(fields) })
      return [res.status, await res.text()]
    }
    const response = await token(service.ask)
    expect(await send({ 'svc-response': response })).toEqual([200, 'handled: accepted'])
    expect(await send({ 'svc-response': response })).toEqual([422, 'handled: fresh'])
    expect(await send({ 'svc-response[]': response })).toEqual([422, 'handled: response'])
    expect(await send({})).toEqual([422, 'handled: response'])
  } finally {
    server.kill()
    await once(server, 'exit')
  }
})
