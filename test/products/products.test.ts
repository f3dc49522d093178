/**
 * Products with a captcha field, unmodified, from the registries, with our addresses typed in: a person in a real Chromium is accepted,
 * a replay, a wrong secret and a service that is away are refused. docs/start/products.md lists them.
 */
import { execFileSync, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { beforeAll, describe, expect, test } from '@jest/globals'
import type { BrowserContext } from 'playwright-core'
import { loadAssets } from '../../src/http/assets.ts'
import type { Action } from '../../src/domain/words.ts'
import { SECRET, site, SITEKEY, testService } from '../support/app.ts'
import { launch } from '../support/chromium.ts'
import { closeLater, newFolder } from '../support/close-later.ts'
import { freePort } from '../support/ports.mjs'
import { findProgram, needProgram } from '../support/programs.mjs'
import { ROOT } from '../support/root.ts'
import {
  buildGitea,
  GITEA,
  installProducts,
  MODULES,
  PYTHON,
  startFront,
  trusting,
  untilPrinted,
} from './front.ts'
import { PRODUCTS, type Product } from './table.ts'

const HAS_GO = findProgram('go') !== undefined
const RUN = PRODUCTS.filter(({ language }) => language !== 'Go' || HAS_GO)
const WRONG_SECRET = `hv_secret_${'W'.repeat(43)}`

/** What each program prints once it listens. */
const LISTENS = /^listening$|Running on http|Development Server .+ started|now listening on TCP/m

/** Starts a program of this folder. @returns the address of its pages, once it listens. */
async function startSite(program: string, front: { origin: string; cert: string }, secret: string) {
  const port = await freePort()
  const env = {
    PATH: process.env['PATH'],
    TMPDIR: newFolder(),
    HV_ORIGIN: front.origin,
    HV_SITEKEY: SITEKEY,
    HV_SECRET: secret,
    HV_MODULES: MODULES,
    PYTHONPATH: PYTHON,
    ...trusting(front.cert),
  }
  const file = join(import.meta.dirname, program)
  const php = ['-d', `openssl.cafile=${front.cert}`, '-S', `127.0.0.1:${port}`, file]
  const [command, ...args] = {
    py: ['python3', file, String(port)],
    mjs: [process.execPath, file, String(port)],
    php: [needProgram('php'), ...php],
    '': [GITEA, String(port)],
  }[extname(program).slice(1) as 'py' | 'mjs' | 'php' | '']
  const child = spawn(command!, args, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  // With all that it has started.
  closeLater(child.pid!, (pid) => process.kill(-pid, 'SIGKILL'))
  await untilPrinted(child, LISTENS)
  return `http://localhost:${port}`
}

let front: Awaited<ReturnType<typeof startFront>>
let context: BrowserContext
/** The pages of each program, with the right secret and with a wrong one. */
const sites = new Map<string, readonly [right: string, wrong: string]>()
beforeAll(async () => {
  installProducts()
  buildGitea()
  const service = await testService({
    // The score of a driven browser does not matter.
    siteList: [
      site({ hostnames: ['localhost'], scoreThreshold: 0, defaultAction: 'sign-up' as Action }),
    ],
    assets: loadAssets(join(ROOT, 'dist/assets')),
  })
  front = await startFront(service.base)
  const programs = [...new Set(RUN.map((each) => each.program))]
  const secrets = [SECRET, WRONG_SECRET]
  const start = async (program: string) => {
    const [right, wrong] = secrets.map((secret) => startSite(program, front, secret))
    sites.set(program, await Promise.all([right!, wrong!]))
  }
  await Promise.all(programs.map(start))
  context = await (await launch()).newContext({ ignoreHTTPSErrors: true })
  // Where there is no other network, a page must not wait for its pictures.
  await context.route(
    (url) => url.hostname !== 'localhost',
    (route) => route.abort(),
  )
  // The test has a limit already.
  context.setDefaultTimeout(0)
}, 600_000)

const isAnswered = ({ accepts = /^accepted$/ }: Product, status: number, said: string) =>
  status === 200 && accepts.test(said)

/**
 * Opens a product's page as a person does, and presses its button.
 *
 * @returns whether it accepts, the form that was sent, and to where.
 */
async function visit(product: Product, address: string) {
  const { path, field, sendsItself } = product
  const page = await context.newPage()
  const posted = page.waitForRequest((one) => one.method() === 'POST' && one.isNavigationRequest())
  await page.goto(address + path, { waitUntil: 'commit' })
  if (sendsItself !== true) {
    await page.waitForFunction(
      (name) => document.querySelector<HTMLInputElement>(`[name="${name}"]`)?.value,
      field,
    )
    await page.getByRole('button', { name: 'Send', exact: true }).click()
  }
  const sent = await posted
  const answer = (await sent.response())!
  const isAccepted = isAnswered(product, answer.status(), await answer.text())
  await page.close()
  return { isAccepted, form: sent.postData() ?? '', action: sent.url() }
}

/** What the lists of this folder, or Debian, have installed. */
function installed({ registry, name, version }: Product): boolean {
  const lists = (file: string, line: string) =>
    readFileSync(join(import.meta.dirname, file), 'utf8').includes(line)
  switch (registry) {
    case 'PyPI':
      return lists('requirements.txt', `\n${name}==${version}\n`)
    case 'npm':
      return lists('package.json', `"${name}": "${version}"`)
    case 'Go module':
      return lists('gitea/go.mod', ` v${version}\n`)
    case 'Debian':
      return execFileSync('dpkg-query', ['-W', name], { encoding: 'utf8' }).includes(
        `\t${version}-`,
      )
  }
}
test('the table has the versions that run', () => {
  expect(PRODUCTS.filter((product) => !installed(product))).toEqual([])
})

/** Returns what a row says to type, by names and paths that its program must have too. */
const typed = ({ types, keys }: Product): readonly string[] => [
  ...keys,
  ...types.flatMap((line) => /^[\w.]+/.exec(line) ?? []),
  ...types.flatMap((line) => /(?<=VERIFY)\/(?!SITEKEY)[\w./?=&-]+/.exec(line) ?? []),
]
test('the programs have what the table says to type', () => {
  const missing = PRODUCTS.flatMap((product) => {
    const { name, program } = product
    const file = program === 'gitea' ? 'gitea/main.go' : program
    const source = readFileSync(join(import.meta.dirname, file), 'utf8')
    const absent = typed(product).filter((text) => !source.includes(text))
    return absent.map((text) => `${name}: ${text}`)
  })
  expect(missing).toEqual([])
})

describe.each(PRODUCTS)('$name $version, $path', (product) => {
  const check = RUN.includes(product) ? test : test.skip
  const sends = async (action: string, body: string) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await fetch(action, { method: 'POST', headers, body })
    return isAnswered(product, answer.status, await answer.text())
  }

  check('accepts a person once, and refuses the replay, and a form without a token', async () => {
    const { isAccepted, form, action } = await visit(product, sites.get(product.program)![0])
    const fields = new URLSearchParams(form)
    expect(fields.get(product.field)).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/)
    fields.delete(product.field)
    const others = [await sends(action, form), await sends(action, fields.toString())]
    expect([isAccepted, ...others]).toEqual([true, false, false])
  })
  check('refuses a person when its secret is wrong', async () => {
    const { isAccepted } = await visit(product, sites.get(product.program)![1])
    expect(isAccepted).toBe(false)
  })
  check('refuses a person while the service is away', async () => {
    front.isAway = true
    try {
      const { isAccepted } = await visit(product, sites.get(product.program)![0])
      expect(isAccepted).toBe(false)
    } finally {
      front.isAway = false
    }
  })
})
