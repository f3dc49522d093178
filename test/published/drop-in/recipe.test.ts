/** docs/start/testing.md, "Playwright": its two files, as they stand there, with Playwright's own test runner and Chromium. */
import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from '@jest/globals'
import { FLAGS } from '../../support/chromium.ts'
import { needProgram } from '../../support/programs.mjs'
import { freePort } from '../../support/ports.mjs'
import { FOLDER, installThirdParty } from './third-party.ts'

const ROOT = join(FOLDER, '../../..')
/** A customer's project: the two files, a server, and installed packages. */
const PROJECT = join(ROOT, 'build/recipe')

beforeAll(installThirdParty, 300_000)

/** The n-th code block of a language. */
const block = (page: string, language: string, index: number): string =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))][index]![1]!

/** The page's configuration, with this machine's browser, this checkout's `hv` and what each site prints. */
const AROUND = `
import recipe from './recipe.config.ts'
const [verify, ...sites] = recipe.webServer
export default {
  ...recipe,
  use: { launchOptions: JSON.parse(process.env.LAUNCH) },
  webServer: [
    { ...verify, command: verify.command.replace('npx hv', process.env.HV) },
    ...sites.map((site) => ({ ...site, stdout: 'pipe' })),
  ],
}
`

test('the recipe passes as it is written', async () => {
  const page = readFileSync(join(ROOT, 'docs/start/testing.md'), 'utf8')
  const ports: Readonly<Record<string, number>> = { 8082: await freePort(), 3000: await freePort() }
  // In one go: a free port may contain the digits of the other.
  const config = block(page, 'ts', 0).replaceAll(/8082|3000/g, (port) => String(ports[port]))
  rmSync(PROJECT, { recursive: true, force: true })
  mkdirSync(PROJECT, { recursive: true })
  symlinkSync(join(FOLDER, 'node_modules'), join(PROJECT, 'node_modules'))
  copyFileSync(join(FOLDER, 'server.js'), join(PROJECT, 'server.js'))
  writeFileSync(join(PROJECT, 'package.json'), '{"type":"module"}')
  writeFileSync(join(PROJECT, 'recipe.config.ts'), config)
  writeFileSync(join(PROJECT, 'sign-up.spec.ts'), block(page, 'ts', 1))
  writeFileSync(join(PROJECT, 'playwright.config.ts'), AROUND)

  const cli = join(PROJECT, 'node_modules/@playwright/test/cli.js')
  const args = [cli, 'test', '--reporter=line', '--workers=1', '--timeout=60000']
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: process.env['HOME'] ?? '/tmp',
    HV: `${process.execPath} ${join(ROOT, 'dist/main.js')}`,
    LAUNCH: JSON.stringify({ executablePath: needProgram('chromium'), args: FLAGS }),
  }
  const said = await new Promise<string>((resolve) => {
    execFile(process.execPath, args, { cwd: PROJECT, env }, (_error, stdout, stderr) =>
      resolve(stdout + stderr),
    )
  })
  rmSync(PROJECT, { recursive: true, force: true })
  expect(said).toMatch(/^ {2}5 passed/m)
  expect(said).not.toMatch(/failed|flaky|skipped/)
  // A form without a token would be refused, too: every outcome was the service's verdict about a genuine visit.
  const codes = ['low-score', 'timeout-or-duplicate', 'rate-limit-exceeded', 'database-unavailable']
  expect([...said.matchAll(/verdict (.*)/g)].map((match) => match[1])).toEqual([
    'true ',
    ...codes.map((code) => `false ${code}`),
  ])
}, 240_000)
