import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Page, type Request } from 'playwright-core'
import { loadAssets } from '../../src/http/assets.ts'
import { site, testService, type TestService } from '../support/app.ts'
import { needProgram } from '../support/install.ts'
import { container, type Customer, startCustomer } from '../widget/customer.ts'

const ASSETS = fileURLToPath(new URL('../../dist/assets', import.meta.url))

/** A real Chromium. */
export const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: needProgram('chromium'),
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  })

/** A customer's page in a tab, the customer, and the service behind both. */
export interface Stage {
  readonly service: TestService
  readonly customer: Customer
  readonly page: Page
  readonly requests: Request[]
  /** What stands in the page's console. */
  readonly said: string[]
  /** The addresses of all workers that were started. */
  readonly workers: string[]
  /** The addresses of all frames there ever were, the page's own left out. */
  readonly frames: string[]
  /** Added to the service's clock, milliseconds. */
  ahead: number
  until(state: string): Promise<void>
  /** The calls of one operation. */
  calls(operation: string): Request[]
  /** Waits for so many forms at the customer's. */
  received(count: number): Promise<void>
  close(): Promise<void>
}

/** The whole service, a customer with a form, and an empty tab. */
export async function stage(
  browser: Browser,
  change: Parameters<typeof site>[0] = {},
  parts: Parameters<typeof testService>[0] = {},
): Promise<Stage> {
  if (!existsSync(`${ASSETS}/captcha.js`)) throw new Error('dist/assets is empty: npm run build:widget makes it')
  const time = { ahead: 0 }
  const service = await testService({
    // What a driven browser scores is not the question here.
    siteList: [site({ hostnames: ['127.0.0.1'], scoreThreshold: 0, ...change })],
    assets: await loadAssets(ASSETS),
    nowMs: () => Date.now() + time.ahead,
    ...parts,
  })
  const customer = await startCustomer(service.base)
  customer.page = form(service.base)
  const page = await browser.newPage()
  const requests: Request[] = []
  const said: string[] = []
  const workers: string[] = []
  const frames: string[] = []
  page.on('request', (request) => requests.push(request))
  page.on('console', (message) => said.push(message.text()))
  page.on('worker', (worker) => workers.push(worker.url()))
  page.on('framenavigated', (frame) => {
    if (frame.parentFrame()) frames.push(frame.url())
  })
  return Object.assign(time, {
    service,
    customer,
    page,
    requests,
    said,
    workers,
    frames,
    until: (state: string) =>
      page.locator(`.svc-captcha >> nth=0 >> .box.${state}`).waitFor({ state: 'attached', timeout: 15_000 }),
    calls: (operation: string) => requests.filter((one) => one.url().endsWith(`/api/v1/${operation}`)),
    async received(count: number) {
      for (let waited = 0; customer.submissions.length < count && waited < 10_000; waited += 50)
        await page.waitForTimeout(50)
      if (customer.submissions.length !== count) throw new Error(`${customer.submissions.length} forms, not ${count}`)
    },
    async close() {
      await page.close()
      await customer.close()
      await service.stop(0)
    },
  })
}

/** A form with a widget. */
export const form = (base: string, attributes = ''): string => `<form method="post" action="/handle" id="form">
  <input name="email" aria-label="Email">
  ${container(base, attributes)}
  <button>Send</button>
</form>`
