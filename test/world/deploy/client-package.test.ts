/** The customers' package: what a customer installs has no dependency, and is taken by `import` and `require`, with types. */
import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { SECRET, testService, type TestService } from '../../support/app.ts'
import { token } from '../../support/visitor.ts'
import { ROOT } from './root.ts'

/** Bytes that it may take when it is installed. */
const MOST = 200_000

let folder: string
let service: TestService
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hv-client-'))
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  const pack = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder]
  const tarball = execFileSync('npm', pack, { cwd: join(ROOT, 'packages/client'), encoding: 'utf8' }).trim()
  const options = ['--offline', '--ignore-scripts', '--no-audit', '--no-fund']
  execFileSync('npm', ['install', ...options, join(folder, tarball)], { cwd: folder, stdio: 'pipe' })
  service = await testService()
}, 120_000)
afterAll(async () => {
  await service.stop(0)
  rmSync(folder, { recursive: true, force: true })
})

function bytesIn(path: string): number {
  const stat = statSync(path)
  return stat.isDirectory() ? readdirSync(path).reduce((sum, name) => sum + bytesIn(join(path, name)), 0) : stat.size
}

test('it is one package of at most 200 kB, without any dependency', () => {
  const installed = readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))
  expect(installed).toEqual(['@human-verification'])
  expect(readdirSync(join(folder, 'node_modules/@human-verification'))).toEqual(['client'])
  expect(bytesIn(join(folder, 'node_modules'))).toBeLessThan(MOST)
})

const CALL = `verify({ url: process.env.HV_URL, secret: process.env.HV_SECRET, response: process.env.TOKEN,
  action: 'sign-up', hostnames: ['shop.example.com'] }).then(({ accepted, rule }) => console.log(accepted || rule))`
const GATES = ['express', 'fastify', 'hono', 'next']

test.each([
  {
    file: 'ours.mjs',
    text: `import { verify } from '@human-verification/client'
${GATES.map((name) => `import { requireHuman as ${name} } from '@human-verification/client/${name}'`).join('\n')}
import '@human-verification/client/widget'
if ([${GATES.join()}].some((gate) => typeof gate !== 'function')) throw new Error('no gate')
${CALL}`,
  },
  {
    file: 'ours.cjs',
    text: `const { verify } = require('@human-verification/client')
const gates = ${JSON.stringify(GATES)}.map((name) => require('@human-verification/client/' + name).requireHuman)
require('@human-verification/client/widget')
if (gates.some((gate) => typeof gate !== 'function')) throw new Error('no gate')
${CALL}`,
  },
])('$file verifies a visitor, once', async ({ file, text }) => {
  writeFileSync(join(folder, file), text)
  const env = { PATH: process.env['PATH'], HV_URL: service.base, HV_SECRET: SECRET, TOKEN: await token(service.ask) }
  // Not waited for by a blocked thread: the service is in this process.
  const run = async () => (await promisify(execFile)(process.execPath, [file], { cwd: folder, env })).stdout.trim()
  expect([await run(), await run()]).toEqual(['true', 'fresh'])
})

describe('its types', () => {
  const PROGRAM = `import { type Refusal, verify } from '@human-verification/client'
import { requireHuman } from '@human-verification/client/express'
import type { SvcCaptcha } from '@human-verification/client/widget'
const options = { url: 'https://a.example', secret: 's', action: 'sign-up', hostnames: ['a.example'] as [string] }
export const gate = requireHuman({ ...options, onRefusal: ({ retryable }: Refusal) => retryable })
export const score: Promise<number> = verify({ ...options, response: 'x' }).then((v) => (v.accepted ? v.score : 0))
export type Widget = SvcCaptcha
// @ts-expect-error an action is required
void verify({ url: '', secret: '', response: '', hostnames: ['a.example'] })
`
  test.each([
    ['node16', 'node16', 'program.mts'],
    ['node16', 'node16', 'program.cts'],
    ['nodenext', 'nodenext', 'program.mts'],
    ['nodenext', 'nodenext', 'program.cts'],
    ['esnext', 'bundler', 'program.ts'],
  ])('are found with module %s, resolution %s, by %s', (module, moduleResolution, file) => {
    writeFileSync(join(folder, file), PROGRAM)
    const compilerOptions = {
      module,
      moduleResolution,
      strict: true,
      noEmit: true,
      target: 'es2022',
      lib: ['es2022', 'dom'],
      types: [],
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [file] }))
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
    const compile = () => execFileSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8', stdio: 'pipe' })
    expect(outputOf(compile)).toBe('')
  })
})

/** What a compiler says, whether it fails or not. */
function outputOf(run: () => string): string {
  try {
    return run()
  } catch (error) {
    return String((error as { stdout?: string }).stdout)
  }
}
