/** docs/start/library.md: the service inside real frameworks, from the package as it is packed; a visit by a browser, a replay, an end. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { launch } from '../../support/chromium.ts'
import { newFolder as newTemporary } from '../../support/close-later.ts'
import { freePort } from '../../support/ports.mjs'
import { CONFIG, siteWith } from '../../support/process.ts'
import { listening } from '../../support/redis.ts'
import { ensurePrograms } from '../../support/programs.mjs'
import {
  GUIDE,
  installFrameworks,
  installServer,
  LIBRARY,
  newFolder,
  PACKAGE,
  ROOT,
  run,
  start,
  write,
} from './projects.ts'

const NEXT = join(import.meta.dirname, 'node_modules/next/dist/bin/next')

interface Recipe {
  readonly name: string
  readonly from: string
  readonly change?: (text: string) => string
  /** Where the service is mounted. */
  readonly base: string
  readonly isNext?: true
}
const RECIPES: readonly Recipe[] = [
  { name: 'Express 5', from: 'express/', base: '/hv/' },
  { name: 'the first tab of the guide', from: 'inside/', base: '/hv/' },
  {
    name: 'Express 4',
    from: 'express/',
    base: '/hv/',
    change: (text) => text.replace(`'express'`, `'express-4'`),
  },
  { name: 'Fastify', from: 'fastify/', base: '/hv/' },
  { name: 'Hono', from: 'hono/', base: '/' },
  { name: 'Next.js', from: 'next/', base: '/hv/', isNext: true },
]

const pageOf = (base: string): string => `<!doctype html>
<html lang="en"><title>Sign up</title><script src="${base}assets/captcha.js?v=1" defer></script>
<form method="post" action="/sign-up"><label>Email <input name="email" type="email" required></label>
<div class="svc-captcha" data-sitekey="${CONFIG.sites[0]!.sitekey}" data-action="sign-up" data-api-base="${base}"></div>
<button>Sign up</button></form>`

async function startRecipe({ from, change = (text) => text, isNext }: Recipe) {
  const folder = newFolder()
  const ownPort = await freePort()
  for (const block of from === 'inside/' ? GUIDE : LIBRARY) {
    if (block.kind === 'file' && block.name.startsWith(from))
      write(
        folder,
        block.name.slice(from.length),
        change(block.text).replace('8080', String(ownPort)),
      )
  }
  // A driven browser is refused by its score.
  const site = siteWith('x'.repeat(40), { hostnames: ['localhost'], score_threshold: 0 })
  write(
    folder,
    'hv.yaml',
    JSON.stringify({ ...CONFIG, trusted_proxies: ['127.0.0.1/32'], sites: [site] }),
  )
  write(folder, 'package.json', '{ "type": "module" }')
  if (!isNext) return start(folder, ['server.js'], {})
  const layout = 'export default ({ children }) => <html><body>{children}</body></html>'
  write(folder, 'app/layout.jsx', layout)
  await run(process.execPath, [NEXT, 'build'], folder)
  const server = await start(folder, [NEXT, 'start', '--hostname', '127.0.0.1'], {})
  // Next.js takes requests a moment before its `register` has ended.
  await listening(ownPort)
  return server
}

beforeAll(() => {
  ensurePrograms(['chromium'])
  installFrameworks()
  installServer()
}, 300_000)

describe.each(RECIPES)('$name', (recipe) => {
  test('a browser’s visit is accepted, a replay is refused, and the program exits', async () => {
    const server = await startRecipe(recipe)
    const url = server.url.replace('127.0.0.1', 'localhost')
    const page = await (await launch()).newPage()
    const form = { body: pageOf(recipe.base), contentType: 'text/html' }
    await page.route(`${url}/form`, (route) => route.fulfill(form))
    const sent: string[] = []
    page.on(
      'request',
      (one) => void (one.url() === `${url}/sign-up` && sent.push(one.postData() ?? '')),
    )
    await page.goto(`${url}/form`)
    await page.getByLabel('Email').fill('ada@example.com')
    await page.getByRole('button', { name: 'Sign up' }).click()
    await page.getByText('Welcome, ada%40example.com').waitFor({ timeout: 20_000 })

    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    const post = (body: string) => fetch(`${url}/sign-up`, { method: 'POST', body, headers: type })
    for (const body of [sent[0]!, 'email=bot%40example.com']) {
      const answer = await post(body)
      expect([answer.status, await answer.text()]).toEqual([
        422,
        'We could not process your request. Please try again.',
      ])
    }
    const code = await server.end()
    // Next.js ends itself, by the signal; the guide's tab has no handler of it.
    const ends = recipe.isNext || recipe.from === 'inside/' ? [code] : [0]
    expect(ends).toContain(code)
  }, 180_000)
})

test('the commands of the page make a program in an empty folder, of the size that it says', async () => {
  const page = readFileSync(join(ROOT, 'docs/start/library.md'), 'utf8')
  const folder = newTemporary()
  const clone = newTemporary()
  const release = join(clone, 'build/release')
  mkdirSync(release, { recursive: true })
  const pack = ['pack', '--ignore-scripts', '--pack-destination', release]
  for (const workspace of [[], ['--workspace=@human-verification/client']])
    execFileSync('npm', [...pack, ...workspace], { cwd: ROOT, stdio: 'pipe' })
  let printed = ''
  for (const block of LIBRARY) {
    if (block.kind !== 'command') continue
    const env = { ...process.env, npm_config_fund: 'false', npm_config_audit: 'false' }
    // Every command must succeed, as when a person enters them one by one.
    const script = `set -e\n${block.text.replaceAll('CLONE', clone)}`
    printed += execFileSync('/bin/sh', ['-c', script], { cwd: folder, env, encoding: 'utf8' })
  }
  expect(printed).toMatch(/hv_site_\S+/)
  const recipe = LIBRARY.find(
    (block) => block.kind === 'file' && block.name === 'express/server.js',
  )
  write(folder, 'server.js', recipe!.text)
  const server = await start(folder, ['server.js'], {})
  expect((await fetch(`${server.url}/hv/assets/captcha.js?v=1`)).status).toBe(200)
  expect(await server.end()).toBe(0)

  const [, packages, all, ours] = /has (\d+) packages and ([\d.]+) MB, of which ([\d.]+) MB/.exec(
    page,
  )!
  const lock = readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8')
  const installed = Object.keys((JSON.parse(lock) as { packages: object }).packages)
  expect(Math.abs(installed.length - Number(packages))).toBeLessThan(5)
  const modules = join(folder, 'node_modules')
  expect(Math.abs(megabytesIn(modules) - Number(all))).toBeLessThan(1)
  expect(Math.abs(megabytesIn(join(modules, '@human-verification')) - Number(ours))).toBeLessThan(
    0.2,
  )
}, 300_000)

function megabytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size / 1e6, 0)
}

test('its types are found by a strict compiler, without those of Express', () => {
  const folder = newTemporary()
  const modules = join(folder, 'node_modules')
  for (const scope of ['@human-verification', '@sinclair', '@types'])
    mkdirSync(join(modules, scope), { recursive: true })
  // Copied: what it imports must be found from here.
  cpSync(PACKAGE, join(modules, '@human-verification/server'), { recursive: true })
  for (const name of ['@sinclair/typebox', 'prom-client', '@types/node'])
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name))
  const program = `import { createService, type EmbeddedService } from '@human-verification/server'
    const hv: EmbeddedService = await createService({ config: 'hv.yaml' })
    const { success } = await hv.verify({ response: 'x', action: 'sign-up' })
    const isAccepted: boolean = success
    // @ts-expect-error -- an action is required
    await hv.verify({ response: 'x' })
    export { isAccepted }`
  write(folder, 'program.ts', program)
  write(folder, 'package.json', '{ "type": "module" }')
  const options =
    '--ignoreConfig --noEmit --strict --module nodenext --target es2022 --types node'.split(' ')
  const tsc = [join(ROOT, 'node_modules/typescript/bin/tsc'), ...options, 'program.ts']
  expect(execFileSync(process.execPath, tsc, { cwd: folder, encoding: 'utf8' })).toBe('')
})
