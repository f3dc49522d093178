/** docs/start/own-site.md: its commands, as they stand there, in an empty folder and a real browser. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { freePort } from '../support/ports.mjs'
import { sleep } from '../support/process.ts'
import { browser, inChromium } from './stage.ts'

inChromium()

const root = resolve(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'hv-newcomer-'))
const running: ChildProcess[] = []
let port: { service: number; page: number }
let env: NodeJS.ProcessEnv

/** Whole command lines, without the comments behind them. */
const commands = [...readFileSync(join(root, 'docs/start/own-site.md'), 'utf8').matchAll(/^```sh\n([\s\S]*?)^```/gm)]
  .flatMap(([, block]) => block!.trim().split('\n'))
  .map((line) => line.replace(/\s{2,}#.*$/, ''))

/** The page's port may be taken by a service that runs here. */
const onOurPort = (line: string): string => line.replaceAll('127.0.0.1:8080', `127.0.0.1:${port.service}`)
/** Runs a command that adds a site, and returns what it prints. */
function add(line: string): { sitekey: string; secret: string } {
  const out = execFileSync('bash', ['--norc', '-euc', onOurPort(line)], { cwd: folder, env, encoding: 'utf8' })
  const printed = (name: string): string => new RegExp(`^${name}: +(\\S+)$`, 'm').exec(out)![1]!
  return { sitekey: printed('sitekey'), secret: printed('secret') }
}
async function start(line: string, url: string): Promise<void> {
  running.push(spawn('bash', ['-c', `exec ${onOurPort(line)}`], { cwd: folder, env, stdio: 'ignore' }))
  for (const end = Date.now() + 30_000; Date.now() < end; await sleep(100))
    if ((await fetch(url).catch(() => undefined))?.ok) return
  throw new Error(`nobody answers at ${url}`)
}

beforeAll(async () => {
  port = { service: await freePort(), page: await freePort() }
  env = {
    // `npx hv` finds the program here, as it does in a clone.
    PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
    HV_LISTEN: `127.0.0.1:${port.service}`,
    HV_OPS_LISTEN: '127.0.0.1:0',
    HV_URL: `http://127.0.0.1:${port.service}`,
    PORT: String(port.page),
  }
  for (const each of ['bin', 'config', 'node_modules/@human-verification'])
    mkdirSync(join(folder, each), { recursive: true })
  // npx itself would look for the package in the registry: here there is no clone around us.
  const npx = `#!/bin/sh\n[ "$1" = hv ] && shift && exec ${process.execPath} ${root}/dist/main.js "$@"\n`
  writeFileSync(join(folder, 'bin/npx'), npx, { mode: 0o755 })
  symlinkSync(process.execPath, join(folder, 'bin/node'))
  for (const each of ['serve.mjs', 'plain'])
    cpSync(join(root, 'examples', each), join(folder, 'examples', each), { recursive: true })
  symlinkSync(join(root, 'packages/client'), join(folder, 'node_modules/@human-verification/client'))
})
afterAll(async () => {
  for (const child of running) child.kill('SIGTERM')
  await sleep(200)
  rmSync(folder, { recursive: true, force: true })
})

/** Changes a file of the newcomer. */
function edit(file: string, from: RegExp, to: string): void {
  writeFileSync(join(folder, file), readFileSync(join(folder, file), 'utf8').replace(from, to))
}

test('from nothing to a second site whose form is verified', async () => {
  const [install, addFirst, serve, addSecond, customer, ...more] = commands as [string, string, string, string, string]
  expect([install, more]).toEqual(['npm ci && npm run build', []])
  const first = add(addFirst)
  await start(serve, `${env['HV_URL']}/health`)
  const second = add(addSecond)
  expect(second.sitekey).not.toBe(first.sitekey)
  // The score of a driven browser does not matter here.
  edit('config/config.yaml', / {4}actions:/g, '    score_threshold: 0\n    actions:')
  edit('examples/plain/index.html', /(?<=data-sitekey=")[^"]*/, second.sitekey)
  const url = `http://127.0.0.1:${port.page}/`
  await start(`env ${customer.replace('HV_SECRET=SECRET', `HV_SECRET=${second.secret}`)}`, url)
  // The service looks for changes once a second.
  await sleep(3000)
  const page = await browser.newPage()
  await page.goto(url)
  await page.getByLabel('Email').fill('ada@example.com')
  await page.getByRole('button', { name: 'Sign up' }).click()
  await page.getByText('Thank you.').waitFor({ timeout: 30_000 })
}, 120_000)
