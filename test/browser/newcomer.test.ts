/** docs/start/own-site.md: its commands, as they stand there, in an empty folder and a real browser. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { freePort } from '../support/ports.mjs'
import { sleep } from '../support/process.ts'
import { launch } from './stage.ts'

const root = resolve(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'hv-newcomer-'))
const running: ChildProcess[] = []
let ports: { service: number; page: number }

const section = readFileSync(join(root, 'docs/start/own-site.md'), 'utf8')
/** Whole command lines, without the comments behind them. */
const commands = [...section.matchAll(/^```sh\n([\s\S]*?)^```/gm)]
  .flatMap(([, block]) => block!.trim().split('\n'))
  .map((line) => line.replace(/\s{2,}#.*$/, ''))
const [install, addFirst, serve, addSecond, customer, ...more] = commands as [string, string, string, string, string]

/** On ports that are free: the page's may be taken by a service that runs here. */
const onOurPorts = (line: string): string => line.replaceAll('127.0.0.1:8080', `127.0.0.1:${ports.service}`)
const ENV = () => ({
  // `npx hv` finds the program here, as it does in a clone.
  PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
  HV_LISTEN: `127.0.0.1:${ports.service}`,
  HV_OPS_LISTEN: '127.0.0.1:0',
  HV_URL: `http://127.0.0.1:${ports.service}`,
  PORT: String(ports.page),
})
const run = (line: string): string =>
  execFileSync('bash', ['--norc', '-euc', onOurPorts(line)], { cwd: folder, env: ENV(), encoding: 'utf8' })
function stay(line: string): void {
  running.push(spawn('bash', ['-c', `exec ${onOurPorts(line)}`], { cwd: folder, env: ENV(), stdio: 'ignore' }))
}
async function answers(url: string): Promise<void> {
  for (const end = Date.now() + 30_000; Date.now() < end; await sleep(100)) {
    if (
      await fetch(url).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return
  }
  throw new Error(`nobody answers at ${url}`)
}
const printed = (out: string) => ({
  sitekey: /^sitekey: +(\S+)$/m.exec(out)![1]!,
  secret: /^secret: +(\S+)$/m.exec(out)![1]!,
})

beforeAll(async () => {
  ports = { service: await freePort(), page: await freePort() }
  mkdirSync(join(folder, 'bin'))
  mkdirSync(join(folder, 'config'))
  // npx itself would look for the package in the registry: here there is no clone around us.
  writeFileSync(
    join(folder, 'bin/npx'),
    `#!/bin/sh\n[ "$1" = hv ] && shift && exec ${process.execPath} ${root}/dist/main.js "$@"\n`,
    { mode: 0o755 },
  )
  symlinkSync(process.execPath, join(folder, 'bin/node'))
  for (const each of ['serve.mjs', 'plain'])
    cpSync(join(root, 'examples', each), join(folder, 'examples', each), { recursive: true })
  mkdirSync(join(folder, 'node_modules/@human-verification'), { recursive: true })
  symlinkSync(join(root, 'packages/client'), join(folder, 'node_modules/@human-verification/client'))
})
afterAll(async () => {
  for (const child of running) child.kill('SIGTERM')
  await sleep(200)
  rmSync(folder, { recursive: true, force: true })
})

test('from nothing to a second site whose form is verified', async () => {
  expect(install).toBe('npm ci && npm run build')
  expect(more).toEqual([])
  const first = printed(run(addFirst))
  stay(serve)
  await answers(`http://127.0.0.1:${ports.service}/health`)

  const second = printed(run(addSecond))
  expect(second.sitekey).not.toBe(first.sitekey)
  // What a driven browser scores is not the question here.
  const file = join(folder, 'config/config.yaml')
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll('    actions:', '    score_threshold: 0\n    actions:'))

  const html = join(folder, 'examples/plain/index.html')
  writeFileSync(html, readFileSync(html, 'utf8').replace(/(?<=data-sitekey=")[^"]*/, second.sitekey))
  stay(`env ${customer.replace('HV_SECRET=SECRET', `HV_SECRET=${second.secret}`)}`)
  await answers(`http://127.0.0.1:${ports.page}/`)
  const browser = await launch()
  try {
    const page = await browser.newPage()
    // The service looks for changes once a second.
    await sleep(3000)
    await page.goto(`http://127.0.0.1:${ports.page}/`)
    await page.getByLabel('Email').fill('ada@example.com')
    await page.getByRole('button', { name: 'Sign up' }).click()
    await page.getByText('Thank you.').waitFor({ timeout: 30_000 })
  } finally {
    await browser.close()
  }
}, 120_000)
