import type { RequestListener } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeAll, beforeEach } from '@jest/globals'
import type { Browser, Request } from 'playwright-core'
import { loadAssets } from '../../src/http/assets.ts'
import { applyWeightChanges } from '../../src/score/weight-changes.ts'
import type { WireSignals } from '../../src/wire.ts'
import { SECRET, site, testService } from '../support/app.ts'
import { launch } from '../support/chromium.ts'
import { container, startCustomer, type Submission } from '../support/customer.ts'
import { redisStores } from '../support/redis-stores.ts'
import { serve } from '../support/serve.ts'

export type Backstage = Awaited<ReturnType<typeof backstage>>

/**
 * Weights under which a driven browser is a visitor whom nothing speaks against, and little for: its first visit scores
 * below 0.5, and a step lifts it above.
 */
const UNSURE = applyWeightChanges({
  bounds: { automation: [0, 0], input: [0, 0], request: [0, 0.6], page: [0, 0.3], work: [0, 0] },
})
/** A site that asks a driven browser for the step of a second try. */
export const MANAGED = { stepUp: 'managed', weights: UNSURE, scoreThreshold: 0.5 } as const

/** The Redis of all stages of a test file, each with its own key prefix. */
const stores = await redisStores()
let stages = 0

/** Starts the whole service on a real Redis, and a customer with a form. */
export async function backstage(
  change: Parameters<typeof site>[0] = {},
  parts: Parameters<typeof testService>[0] = {},
) {
  const time = { ahead: 0 }
  const service = await testService({
    // By default the score of a driven browser does not matter.
    siteList: [site({ hostnames: ['127.0.0.1'], scoreThreshold: 0, ...change })],
    assets: loadAssets('dist/assets'),
    nowMs: () => Date.now() + time.ahead,
    ...(await stores.open(`hv${++stages}`)),
    ...parts,
  })
  const customer = await startCustomer(service.base)
  customer.page = form(service.base)
  /** `ahead` is added to the service's clock, in milliseconds. */
  return Object.assign(time, {
    service,
    /** Keeps the service's ledger and limits. */
    redis: stores.redis,
    customer,
    /** Waits for so many forms at the customer's. @returns the last. */
    async received(count: number, withinMs = 10_000): Promise<Submission> {
      const until = Date.now() + withinMs
      while (customer.submissions.length < count && Date.now() < until) await sleep(50)
      if (customer.submissions.length !== count)
        throw new Error(`${customer.submissions.length} forms, not ${count}`)
      return customer.submissions[count - 1]!
    },
    tokenOf: (index: number): string =>
      customer.submissions[index]?.fields.find(([name]) => name === 'svc-response')?.[1] ?? '',
    /** Asks the service as the customer does. */
    async verified(response: string, action = 'sign-up'): Promise<boolean> {
      const body = new URLSearchParams({ secret: SECRET, response, action })
      const answer = await fetch(`${service.base}/api/v1/siteverify`, { method: 'POST', body })
      return ((await answer.json()) as { success: boolean }).success
    },
    async close(): Promise<void> {
      await customer.close()
      await service.stop(0)
    },
  })
}

/** An event of a widget: its name without `svc-captcha:`, and its detail. */
type Heard = Readonly<{ name: string; code?: number; message?: string; directives?: string[] }>

export type Stage = Awaited<ReturnType<typeof stage>>

/** How a form arrives at a customer: with one token, which is accepted. */
export const ACCEPTED = { success: true, codes: [], tokens: 1 }

/** Starts a service and a customer with a form, and opens an empty tab. */
export async function stage(browser: Browser, ...of: Parameters<typeof backstage>) {
  const behind = await backstage(...of)
  const { customer } = behind
  const closeAll = behind.close.bind(behind)
  const page = await browser.newPage()
  const requests: Request[] = []
  const answers: string[] = []
  const said: string[] = []
  const probes: string[] = []
  const workers: string[] = []
  page.on('request', (request) => requests.push(request))
  page.on('requestfinished', (request) => answers.push(request.url()))
  page.on('console', (message) => {
    const text = message.text()
    ;(text.includes('a probe, no error') ? probes : said).push(text)
  })
  page.on('worker', (worker) => workers.push(worker.url()))
  await page.addInitScript(() => {
    const events: Heard[] = []
    Object.assign(window, { events })
    for (const name of ['statechange', 'solved', 'expired', 'error', 'reset'])
      document.addEventListener(`svc-captcha:${name}`, ({ detail }: CustomEventInit<object>) =>
        events.push({ name, ...detail }),
      )
  })
  const heard = (): Promise<Heard[]> => page.evaluate('events')
  const calls = (operation: string): Request[] =>
    requests.filter((one) => one.url().endsWith(`/api/v1/${operation}`))
  return Object.assign(behind, {
    page,
    requests,
    /** The lines of the console, but for the widget's probes. */
    said,
    /** The widget's probes of the console. docs/widget/widget.md, "The console" */
    probes,
    workers,
    heard,
    /** Without changes of state. */
    events: async (): Promise<Heard[]> =>
      (await heard()).filter(({ name }) => name !== 'statechange'),
    /** Opens the customer's page, or the one that is given, in which `SERVICE` is the address of the service. */
    open(html = customer.page): Promise<unknown> {
      customer.page = html.replaceAll('SERVICE', behind.service.base)
      return page.goto(customer.url)
    },
    /** Opens a page with a form whose container has more attributes. */
    openForm(attributes = ''): Promise<unknown> {
      return this.open(form(behind.service.base, attributes))
    },
    /** Starts another server. @returns its address */
    serve: async (app: RequestListener): Promise<string> => (await serve(app)).url,
    fill: (): Promise<void> => page.getByLabel('Email').fill('a@example.com'),
    /** Fills the form in, and waits for the work. */
    async prepare(): Promise<void> {
      await this.fill()
      await this.until('ready')
    },
    /** Presses "Send" and does not wait for the page to leave. */
    press: (): Promise<void> =>
      page.getByRole('button', { name: 'Send', exact: true }).click({ noWaitAfter: true }),
    until: (state: string): Promise<void> =>
      page
        .locator(`svc-captcha-box .box.${state}`)
        .first()
        .waitFor({ state: 'attached', timeout: 45_000 }),
    status: (): Promise<string> => page.locator('svc-captcha-box .status').first().innerText(),
    /** Presses the button of the step as soon as it is enabled. */
    confirm: (): Promise<void> =>
      page.locator('svc-captcha-box .retry:not([aria-disabled=true])').click(),
    calls,
    async answered(operation: string, count: number): Promise<void> {
      while (answers.filter((url) => url.endsWith(`/api/v1/${operation}`)).length < count)
        await page.waitForEvent('requestfinished', { timeout: 45_000 })
    },
    /** The signals of a call of solve; -1 is the last. */
    signals: (index = -1): WireSignals =>
      JSON.parse(
        new URLSearchParams(calls('solve').at(index)!.postData()!).get('signals')!,
      ) as WireSignals,
    /** Waits for so many forms that leave the page, and returns the last; Chromium cannot always close a page that is leaving. */
    async arrived(count: number): Promise<Submission> {
      const last = await behind.received(count)
      await page.getByRole('heading', { name: 'received' }).waitFor()
      return last
    },
    /** Presses "Send", and returns what the customer was told of the form, the first one; `ACCEPTED` if all is well. */
    async sent(): Promise<{ success: unknown; codes: unknown; tokens: number }> {
      await this.press()
      const { fields, verdict } = await this.arrived(1)
      const tokens = fields.filter(([name]) => name === 'svc-response').length
      return { success: verdict['success'], codes: verdict['error-codes'], tokens }
    },
    async close(): Promise<void> {
      // Chromium may never close a page that is leaving; the end of the browser does.
      await Promise.race([page.close(), sleep(10_000, undefined, { ref: false })])
      await closeAll()
    },
  })
}

/** The Chromium of a test file, and the stage of the current test. */
export let browser: Browser
export let on: Stage

/**
 * Opens one Chromium for the tests of a file.
 *
 * @param prepare runs before each test; without it each test begins by itself.
 */
export function inChromium(
  prepare?: () => Promise<unknown>,
  ...options: Parameters<typeof launch>
): void {
  beforeAll(async () => {
    browser = await launch(...options)
  })
  if (prepare) beforeEach(() => prepare())
  afterEach(end)
}

/** Sets the stage of a test, and replaces an earlier one. */
export async function begin(...of: Parameters<typeof backstage>): Promise<void> {
  await end()
  on = await stage(browser, ...of)
}

async function end(): Promise<void> {
  const ended: Stage | undefined = on
  on = undefined as never
  await ended?.close()
}

export const form = (
  base: string,
  attributes = '',
): string => `<form method="post" action="/handle" id="form">
  <input name="email" aria-label="Email">
  ${container(base, attributes)}
  <button>Send</button>
</form>`

/** A form with a field that has to be filled in, and two buttons that differ in value and address. */
export const twoButtons = (
  base: string,
  attributes = '',
): string => `<form method="post" action="/handle" id="form">
  <input name="email" aria-label="Email" required>
  ${container(base, attributes)}
  <button name="plan" value="free">Free</button>
  <button name="plan" value="paid" formaction="/paid">Paid</button>
</form>`

/** The same form, but it stays on the page. */
export const fetchForm = (base: string): string => `${twoButtons(base)}<script>
  document.getElementById('form').addEventListener('submit', (event) => {
    event.preventDefault()
    fetch('/ajax', { method: 'POST', body: new URLSearchParams(new FormData(event.target, event.submitter)) })
  })</script>`
