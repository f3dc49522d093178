import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals'
import type { Browser, Page, Request } from 'playwright-core'
import { loadAssets } from '../../src/http/assets.ts'
import { SECRET, site, testService, type TestService } from '../support/app.ts'
import type { TestRedis } from '../support/redis.ts'
import { redisStores } from '../support/redis-stores.ts'
import { launch } from '../support/chromium.ts'
import { container, type Customer, startCustomer } from '../support/customer.ts'

const ASSETS = fileURLToPath(new URL('../../dist/assets', import.meta.url))

export { launch }

/** What stands behind a page, whatever the browser: a customer's site, the service and its Redis. */
export interface Backstage {
  readonly service: TestService
  /** What the service keeps its ledger and its limits in. */
  readonly redis: TestRedis
  readonly customer: Customer
  /** Added to the service's clock, milliseconds. */
  ahead: number
  /** Waits for so many forms at the customer's. */
  received(count: number): Promise<void>
  /** What a form carried in the widget's field. */
  tokenOf(index: number): string
  /** What the service says of a token, asked as the customer does: whether it is accepted. */
  verified(token: string): Promise<boolean>
  close(): Promise<void>
}

/** The whole service on a Redis of its own, and a customer with a form. */
export async function backstage(
  change: Parameters<typeof site>[0] = {},
  parts: Parameters<typeof testService>[0] = {},
): Promise<Backstage> {
  if (!existsSync(`${ASSETS}/captcha.js`)) throw new Error('dist/assets is empty: npm run build:widget makes it')
  const time = { ahead: 0 }
  const stores = await redisStores()
  const service = await testService({
    // What a driven browser scores is not the question here.
    siteList: [site({ hostnames: ['127.0.0.1'], scoreThreshold: 0, ...change })],
    assets: loadAssets(ASSETS),
    nowMs: () => Date.now() + time.ahead,
    ...(await stores.open()),
    ...parts,
  })
  const customer = await startCustomer(service.base)
  customer.page = form(service.base)
  return Object.assign(time, {
    service,
    redis: stores.redis,
    customer,
    async received(count: number) {
      for (let waited = 0; customer.submissions.length < count && waited < 10_000; waited += 50) await sleep(50)
      if (customer.submissions.length !== count) throw new Error(`${customer.submissions.length} forms, not ${count}`)
    },
    tokenOf: (index: number) =>
      customer.submissions[index]?.fields.find(([name]) => name === 'svc-response')?.[1] ?? '',
    async verified(response: string) {
      const body = new URLSearchParams({ secret: SECRET, response, action: 'sign-up' })
      const answer = await fetch(`${service.base}/api/v1/siteverify`, { method: 'POST', body })
      return ((await answer.json()) as { success: boolean }).success
    },
    async close() {
      await customer.close()
      await service.stop(0)
      await stores.close()
    },
  })
}

/** The same with a tab of Chromium before it. */
export interface Stage extends Backstage {
  readonly page: Page
  readonly requests: Request[]
  /** What stands in the page's console, the widget's probes left out. */
  readonly said: string[]
  /** The widget's questions whether anybody reads the console. docs/widget/widget.md, "The console" */
  readonly probes: string[]
  /** The addresses of all workers that were started. */
  readonly workers: string[]
  /** The addresses of all frames there ever were, the page's own left out. */
  readonly frames: string[]
  open(): Promise<unknown>
  until(state: string): Promise<void>
  /** Of a widget of the page, the first one when nothing is said. */
  state(index?: number): Promise<string>
  /** What the first one's visitor reads. */
  status(): Promise<string>
  /** The calls of one operation. */
  calls(operation: string): Request[]
  /** Waits until so many calls of one operation are answered. */
  answered(operation: string, count: number): Promise<void>
  /** `received` for a form that leaves the page; Chromium cannot always close a page that is on its way to the next. */
  arrived(count: number): Promise<void>
  /** Presses "Send", and says what the customer was told of the form, the first one; `ACCEPTED` is as it should be. */
  sent(): Promise<{ success: unknown; codes: unknown; tokens: number }>
}

export const ACCEPTED = { success: true, codes: [], tokens: 1 }

/** The whole service, a customer with a form, and an empty tab. */
export async function stage(browser: Browser, ...of: Parameters<typeof backstage>): Promise<Stage> {
  const behind = await backstage(...of)
  const { customer } = behind
  const closeAll = behind.close.bind(behind)
  const page = await browser.newPage()
  const requests: Request[] = []
  const answers: string[] = []
  const said: string[] = []
  const probes: string[] = []
  const workers: string[] = []
  const frames: string[] = []
  page.on('request', (request) => requests.push(request))
  page.on('requestfinished', (request) => answers.push(request.url()))
  page.on('console', (message) => {
    const text = message.text()
    if (text.includes('a probe, no error')) probes.push(text)
    else said.push(text)
  })
  page.on('worker', (worker) => workers.push(worker.url()))
  page.on('framenavigated', (frame) => {
    if (frame.parentFrame()) frames.push(frame.url())
  })
  return Object.assign(behind, {
    page,
    requests,
    said,
    probes,
    workers,
    frames,
    open: () => page.goto(customer.url),
    until: (state: string) =>
      page.locator(`.svc-captcha >> nth=0 >> .box.${state}`).waitFor({ state: 'attached', timeout: 45_000 }),
    state: (index = 0) =>
      page
        .locator('.svc-captcha .box')
        .nth(index)
        .evaluate((box) => box.className.split(' ').pop() ?? ''),
    status: () => page.getByRole('status').first().innerText(),
    calls: (operation: string) => requests.filter((one) => one.url().endsWith(`/api/v1/${operation}`)),
    async answered(operation: string, count: number) {
      while (answers.filter((url) => url.endsWith(`/api/v1/${operation}`)).length < count)
        await page.waitForEvent('requestfinished', { timeout: 45_000 })
    },
    async arrived(count: number) {
      await behind.received(count)
      await page.getByRole('heading', { name: 'received' }).waitFor()
    },
    async sent() {
      await page.getByRole('button', { name: 'Send', exact: true }).click({ noWaitAfter: true })
      await this.arrived(1)
      const { fields, verdict } = customer.submissions[0]!
      const tokens = fields.filter(([name]) => name === 'svc-response').length
      return { success: verdict['success'], codes: verdict['error-codes'], tokens }
    },
    async close() {
      // Chromium may never close a page that is on its way to the next; the browser's own end takes such a page along.
      await Promise.race([page.close(), sleep(10_000, undefined, { ref: false })])
      await closeAll()
    },
  })
}

/** The Chromium of a test file, and what is before the test that runs: `inChromium` and `begin` put them here. */
export let browser: Browser
export let on: Stage

/**
 * Opens one Chromium for the tests of a file.
 *
 * @param prepare runs before each test; left out: each test begins by itself.
 */
export function inChromium(prepare?: () => Promise<unknown>, flags: readonly string[] = []): void {
  beforeAll(async () => {
    browser = await launch(flags)
  })
  afterAll(() => browser.close())
  if (prepare) beforeEach(() => prepare())
  afterEach(end)
}

/** Sets the stage of a test, in place of the one that there is. */
export async function begin(...of: Parameters<typeof backstage>): Promise<void> {
  await end()
  on = await stage(browser, ...of)
}

async function end(): Promise<void> {
  const ended: Stage | undefined = on
  on = undefined as never
  await ended?.close()
}

/** The same with a form of two buttons. */
export async function beginWithButtons(change: Parameters<typeof backstage>[0] = {}): Promise<void> {
  await begin(change)
  on.customer.page = twoButtons(on.service.base)
}

/** A form with a widget. */
export const form = (base: string, attributes = ''): string => `<form method="post" action="/handle" id="form">
  <input name="email" aria-label="Email">
  ${container(base, attributes)}
  <button>Send</button>
</form>`

/** A form with a field that has to be filled in, and two buttons that differ in value and address. */
export const twoButtons = (base: string, attributes = ''): string => `<form method="post" action="/handle" id="form">
  <input name="email" aria-label="Email" required>
  ${container(base, attributes)}
  <button name="plan" value="free">Free</button>
  <button name="plan" value="paid" formaction="/paid">Paid</button>
</form>`

/** The same, but it stays on the page, as forms of single-page applications do. */
export const fetchForm = (base: string): string => `${twoButtons(base)}<script>
  document.getElementById('form').addEventListener('submit', (event) => {
    event.preventDefault()
    fetch('/ajax', { method: 'POST', body: new URLSearchParams(new FormData(event.target, event.submitter)) })
  })</script>`
