/** `hv test-server`: one command, nothing else, and an address and a table to go by. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test } from '@jest/globals'
import { ROWS } from '../../../src/scenarios/table.ts'
import { CONFIG, NotStarted, startService } from '../../support/process.ts'
import { post, token } from '../../support/visitor.ts'

const PROGRAM = join(import.meta.dirname, '../../../dist/main.js')
const folder = mkdtempSync(join(tmpdir(), 'hv-test-server-'))
const children: ChildProcess[] = []
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit')
  }
})
afterAll(() => {
  // It keeps nothing.
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
  // Judged for real: this visitor has no browser that could answer the proof, and is told so.
  expect((await post(`${base}/api/v1/siteverify`, fields)).body).toMatchObject({
    success: false,
    score_threshold: 0.5,
    'error-codes': ['low-score'],
  })
  const scenario = { secret: 'hv_secret_test_low-score_for_tests_only', response: 'hv_test_response' }
  expect((await post(`${base}/api/v1/siteverify`, scenario)).body).toMatchObject({ 'error-codes': ['low-score'] })
  expect((await fetch(`${base}/assets/captcha.js?v=1`)).status).toBe(200)

  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
})

test('is refused with NODE_ENV=production', async () => {
  const { child, said } = run([], { NODE_ENV: 'production' })
  expect(await once(child, 'close')).toEqual([1, null])
  expect(said.err).toContain('wants production while NODE_ENV is production')
})

test('a wrong hostname or address is refused with a sentence', async () => {
  const { child, said } = run(['--hostname', 'https://shop.test'])
  expect(await once(child, 'close')).toEqual([1, null])
  expect(said.err).toContain('no scheme: shop.test')
})

test('hv serve with `mode: test` says so in its log and in /health; with NODE_ENV=production it does not start', async () => {
  const config = { ...CONFIG, mode: 'test' }
  const refused = startService({ config, env: { NODE_ENV: 'production' } })
  await expect(refused).rejects.toThrow(NotStarted)
  await expect(refused).rejects.toThrow('test mode protects nothing')

  const service = await startService({ config })
  expect(await service.line('TEST MODE: this service protects nothing')).toMatchObject({ level: 'error' })
  expect(await (await fetch(`${service.url}/health`)).json()).toEqual({ status: 'ok', test: true })
  expect(await service.stop()).toBe(0)
})

test('a reload turns no service into one of test mode, or back', async () => {
  const scenario = { secret: 'hv_secret_test_pass_for_tests_only', response: 'hv_test_response' }
  const service = await startService({ config: CONFIG })
  writeFileSync(service.configFile, JSON.stringify({ ...CONFIG, mode: 'test' }))
  service.signal('SIGHUP')
  await service.line('sites reloaded')
  const { body } = await post(`${service.url}/api/v1/siteverify`, scenario)
  expect(body).toEqual({ success: false, 'error-codes': ['invalid-input-secret'] })
  await service.stop()
})
