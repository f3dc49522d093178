/** The examples that make passes: siteverify accepts what they print, once. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { SECRET, site, SITEKEY, testService, type TestService } from '../../support/app.ts'
import { PASS_KEY, PASS_PRIVATE_KEY } from '../../support/pass.ts'
import { ensurePrograms } from '../../support/programs.mjs'
import { post } from '../../support/visitor.ts'

const FOLDER = join(import.meta.dirname, '../../../examples/verify')
const folder = mkdtempSync(join(tmpdir(), 'hv-pass-'))
const keyFile = join(folder, 'pass-key.json')
let service: TestService
beforeAll(async () => {
  writeFileSync(keyFile, JSON.stringify(PASS_PRIVATE_KEY))
  service = await testService({ siteList: [site({ passKeys: [PASS_KEY] })] })
  // The ledger's generation is older than a pass by a minute.
  service.parts.ledger.beganAt = () => 1 as never
})
afterAll(async () => {
  await service.stop(0)
  rmSync(folder, { recursive: true })
})

const verify = async (response: string) =>
  (await post(`${service.base}/api/v1/siteverify`, { secret: SECRET, response, action: 'sign-up' })).body

test('pass.mjs makes a pass that siteverify accepts, once', async () => {
  const args = [join(FOLDER, 'pass.mjs'), keyFile, SITEKEY, 'sign-up', 'shop.example.com']
  const made = execFileSync(process.execPath, args, { encoding: 'utf8' }).trim()
  expect(await verify(made)).toMatchObject({ success: true, hostname: 'shop.example.com', score: 0.5 })
  expect(await verify(made)).toEqual({ success: false, 'error-codes': ['timeout-or-duplicate'] })
})

// Their libraries come from other registries, so that here only the languages look at them.
test.each([
  ['python', 'python3', ['-m', 'py_compile', join(FOLDER, 'pass.py')]],
  ['php', 'php', ['-l', join(FOLDER, 'pass.php')]],
] as const)('%s compiles its example', (program, command, args) => {
  ensurePrograms([program])
  const env = { PATH: process.env['PATH'], PYTHONPYCACHEPREFIX: folder }
  expect(() => execFileSync(command, args, { env, stdio: 'pipe' })).not.toThrow()
})
