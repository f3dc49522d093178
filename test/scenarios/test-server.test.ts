/** `hv test-server`: one command, nothing else, and an address and a table to go by. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from '@jest/globals'
import { ROWS } from '../../src/scenarios/table.ts'
import { post, token } from '../support/visitor.ts'

const PROGRAM = join(import.meta.dirname, '../../dist/main.js')
const folder = mkdtempSync(join(tmpdir(), 'hv-test-server-'))
const children: ChildProcess[] = []
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit')
  }
  expect(readdirSync(folder)).toEqual([])
  rmSync(folder, { recursive: true })
})

/** Runs it in an empty folder, with nothing of ours in the environment. */
function run(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [PROGRAM, 'test-server', '--listen', '127.0.0.1:0', ...args], {
    cwd: folder,
    env,
  })
  children.push(child)
  const said = { out: '', err: '' }
  child.stdout.on('data', (chunk: Buffer) => (said.out += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (said.err += chunk.toString()))
  return { child, said }
}

test('is up with its address and the table, loud that it protects nothing, and ends cleanly', async () => {
  const { child, said } = run(['--hostname', 'web.internal'])
  for (const end = Date.now() + 10_000; !said.out.includes('judged for real') && Date.now() < end;) {
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  const base = /^human-verification test server: (http:\S+)$/m.exec(said.out)![1]!
  for (const { sitekey, secret, says } of ROWS) {
    for (const text of [sitekey, secret, says]) expect(said.out).toContain(text)
  }
  expect(said.err).toContain('TEST MODE: this service protects nothing')

  const [, sitekey = '', secret = ''] = /^ {2}(hv_site_\S+) +(hv_secret_\S+)\n +judged for real/m.exec(said.out)!
  const ask = { base, sitekey, origin: 'http://web.internal:3000', action: 'sign-up' }
  const fields = { secret, response: await token(ask), action: 'sign-up' }
  expect((await post(`${base}/api/v1/siteverify`, fields)).body).toMatchObject({
    success: true,
    hostname: 'web.internal',
  })
  const scenario = { secret: 'hv_secret_test_low-score_for_tests_only', response: 'hv_test_response' }
  expect((await post(`${base}/api/v1/siteverify`, scenario)).body).toMatchObject({ 'error-codes': ['low-score'] })
  expect((await fetch(`${base}/assets/captcha.js?v=1`)).status).toBe(200)

  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
})
