/** Whoever looks at a page in test mode sees it. Real widget, Chromium, service. */
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { scenarioSites } from '../../src/domain/scenarios.ts'
import { loadAssets } from '../../src/http/api/assets.ts'
import { site, testService } from '../support/app.ts'
import { launch } from '../support/chromium.ts'
import { container, startCustomer } from '../support/customer.ts'

const ASSETS = fileURLToPath(new URL('../../dist/assets', import.meta.url))

let browser: Browser
beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser.close())

test.each([
  { testMode: true, mark: 'TEST' },
  { testMode: false, mark: '' },
])(
  'the widget shows "$mark" when test mode is $testMode',
  async ({ testMode, mark }) => {
    const own = site({ hostnames: ['127.0.0.1'] })
    const service = await testService({
      testMode,
      siteList: testMode ? [own, ...scenarioSites([])] : [own],
      assets: await loadAssets(ASSETS),
    })
    const customer = await startCustomer(service.base)
    customer.page = `<form><input aria-label="Email">${container(service.base, 'data-start="load"')}</form>`
    const page = await browser.newPage()
    await page.goto(customer.url)
    await page.locator('.svc-captcha .box.ready').waitFor({ state: 'attached' })
    expect(await page.locator('.svc-captcha .test').textContent()).toBe(mark)
    expect(await page.locator('.svc-captcha .test').isVisible()).toBe(testMode)
    await page.close()
    await customer.close()
    await service.stop(0)
  },
  60_000,
)
