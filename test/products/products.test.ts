/**
 * Products with a captcha field, unmodified, from the registries, with our addresses typed in: a person in a real Chromium is accepted,
 * a replay, a wrong secret and a service that is away are refused. docs/start/products.md lists them.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from '@jest/globals'
import type { BrowserContext } from 'playwright-core'
import { loadAssets } from '../../src/http/assets.ts'
import type { Action } from '../../src/domain/words.ts'
import { SECRET, site, SITEKEY, testService } from '../support/app.ts'
import { launch } from '../support/chromium.ts'
import { closeLater } from '../support/close-later.ts'
import { freePort } from '../support/ports.mjs'
import { listening } from '../support/redis.ts'
import { ROOT } from '../support/root.ts'
import { installProducts, MODULES, PYTHON, startFront, trusting } from './front.ts'
import { PRODUCTS, type Product } from './table.ts'

const WRONG_SECRET = `hv_secret_${'W'.repeat(43)}`

/** Starts a program of this folder. @returns the address of its pages. */
async function startSite(program: string, front: { origin: string; cert: string }, secret: string) {
  const port = await freePort()
  const command = program.endsWith('.py') ? 'python3' : process.execPath
  const env = {
    PATH: process.env['PATH'],
    HV_ORIGIN: front.origin,
    HV_SITEKEY: SITEKEY,
    HV_SECRET: secret,
    HV_MODULES: MODULES,
    PYTHONPATH: PYTHON,
    ...trusting(front.cert),
  }
  const args = [join(import.meta.dirname, program), String(port)]
  const child = spawn(command, args, { env, stdio: 'ignore' })
  closeLater(child, (it) => it.kill('SIGKILL'))
  await listening(port)
  return `http://localhost:${port}`
}

let front: Awaited<ReturnType<typeof startFront>>
let context: BrowserContext
/** The pages of each program, with the right secret and with a wrong one. */
const sites = new Map<string, readonly [right: string, wrong: string]>()
beforeAll(async () => {
  installProducts()
  const service = await testService({
    // The score of a driven browser does not matter.
    siteList: [
      site({ hostnames: ['localhost'], scoreThreshold: 0, defaultAction: 'sign-up' as Action }),
    ],
    assets: loadAssets(join(ROOT, 'dist/assets')),
  })
  front = await startFront(service.base)
  const programs = [...new Set(PRODUCTS.map((each) => each.program))]
  await Promise.all(
    programs.map(async (program) => {
      const [right, wrong] = [SECRET, WRONG_SECRET].map((each) => startSite(program, front, each))
      sites.set(program, [await right!, await wrong!])
    }),
  )
  context = await (await launch()).newContext({ ignoreHTTPSErrors: true })
}, 300_000)

/** Opens a product's page as a person does, and presses its button. @returns what the page says then, and the form that was sent. */
async function visit({ path, field }: Product, address: string) {
  const page = await context.newPage()
  await page.goto(address + path)
  const token = page.locator(`[name="${field}"]`)
  await token.first().waitFor({ state: 'attached' })
  await page.waitForFunction(
    (name) => document.querySelector<HTMLInputElement>(`[name="${name}"]`)?.value,
    field,
  )
  const posted = page.waitForRequest(
    (one) => one.method() === 'POST' && one.url() === address + path,
  )
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  const sent = await posted
  const answer = await sent.response()
  const form = sent.postData() ?? ''
  const said = (await answer?.text()) ?? ''
  await page.close()
  return { isAccepted: answer?.status() === 200 && said === 'accepted', form }
}

describe.each(PRODUCTS)('$name $version, $path', (product) => {
  const send = async (body: string) => {
    const [right] = sites.get(product.program)!
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await fetch(right + product.path, { method: 'POST', headers, body })
    return (await answer.text()) === 'accepted'
  }

  test('accepts a person once, and refuses the replay, and a form without a token', async () => {
    const { isAccepted, form } = await visit(product, sites.get(product.program)![0])
    expect(new URLSearchParams(form).get(product.field)).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/)
    expect([isAccepted, await send(form), await send('')]).toEqual([true, false, false])
  })
  test('refuses a person when its secret is wrong', async () => {
    const { isAccepted } = await visit(product, sites.get(product.program)![1])
    expect(isAccepted).toBe(false)
  })
  test('refuses a person while the service is away', async () => {
    front.isAway = true
    try {
      const { isAccepted } = await visit(product, sites.get(product.program)![0])
      expect(isAccepted).toBe(false)
    } finally {
      front.isAway = false
    }
  })
})
