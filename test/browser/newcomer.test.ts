/** docs/start/own-site.md: its commands, as they stand there, in an empty folder and a real browser. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { start } from '../published/examples/projects.ts'
import { newFolder } from '../support/close-later.ts'
import { ROOT } from '../support/root.ts'
import { browser, inChromium } from './stage.ts'

inChromium()

const folder = newFolder()
/** `npx hv` finds the program in `bin`, as it does in a clone. */
const env = { PATH: `${join(folder, 'bin')}:${process.env['PATH']}`, HV_OPS_LISTEN: '127.0.0.1:0' }

/** Whole command lines, without the comments behind them. */
const commands = [
  ...readFileSync(join(ROOT, 'docs/start/own-site.md'), 'utf8').matchAll(
    /^```sh\n([\s\S]*?)^```/gm,
  ),
]
  .flatMap(([, block]) => block!.trim().split('\n'))
  .map((line) => line.replace(/\s{2,}#.*$/, ''))

/** Runs a command that adds a site, and returns what it prints. */
function add(line: string): { sitekey: string; secret: string } {
  const out = execFileSync('bash', ['--norc', '-euc', line], { cwd: folder, env, encoding: 'utf8' })
  const printed = (name: string): string => new RegExp(`^${name}: +(\\S+)$`, 'm').exec(out)![1]!
  return { sitekey: printed('sitekey'), secret: printed('secret') }
}
/** Runs a command that stays, at another port than the page's, which may be taken. @returns its address */
async function stay(line: string, HV_URL = ''): Promise<string> {
  const args = ['-c', `HV_LISTEN=127.0.0.1:%PORT% exec env ${line}`]
  return (await start(folder, args, { ...env, HV_URL }, 'bash')).url
}
function edit(file: string, from: RegExp, to: string): void {
  writeFileSync(join(folder, file), readFileSync(join(folder, file), 'utf8').replace(from, to))
}

test('from nothing to a second site whose form is verified', async () => {
  for (const each of ['bin', 'config', 'node_modules/@human-verification'])
    mkdirSync(join(folder, each), { recursive: true })
  // npx itself would look for the package in the registry: here there is no clone around us.
  const npx = `#!/bin/sh\n[ "$1" = hv ] && shift && exec ${process.execPath} ${ROOT}/dist/main.js "$@"\n`
  writeFileSync(join(folder, 'bin/npx'), npx, { mode: 0o755 })
  symlinkSync(process.execPath, join(folder, 'bin/node'))
  for (const each of ['serve.mjs', 'plain'])
    cpSync(join(ROOT, 'examples', each), join(folder, 'examples', each), { recursive: true })
  symlinkSync(
    join(ROOT, 'packages/client'),
    join(folder, 'node_modules/@human-verification/client'),
  )

  const [install, addFirst, serve, addSecond, customer, ...more] = commands as [
    string,
    string,
    string,
    string,
    string,
  ]
  expect([install, more]).toEqual(['npm ci', []])
  const first = add(addFirst)
  const service = await stay(serve)
  const second = add(addSecond)
  expect(second.sitekey).not.toBe(first.sitekey)
  // The score of a driven browser does not matter here.
  edit('config/config.yaml', / {4}actions:/g, '    score_threshold: 0\n    actions:')
  edit('examples/plain/index.html', /(?<=data-sitekey=")[^"]*/, second.sitekey)
  const url = await stay(
    customer.replace('HV_SECRET=SECRET', `HV_SECRET=${second.secret}`),
    service,
  )
  // The service looks for changes once a second.
  await sleep(3000)
  const page = await browser.newPage()
  await page.goto(url)
  await page.getByLabel('Email').fill('ada@example.com')
  await page.getByRole('button', { name: 'Sign up' }).click()
  await page.getByText('Thank you.').waitFor({ timeout: 30_000 })
}, 120_000)
