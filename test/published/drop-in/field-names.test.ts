/** docs/start/migrate.md: the widget writes the field that a customer's handler already reads. Real widget, Chromium, service. */
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { loadAssets } from '../../../src/http/assets.ts'
import { SECRET, site, testService, type TestService } from '../../support/app.ts'
import { launch } from '../../support/chromium.ts'
import { post } from '../../support/visitor.ts'
import { container, type Customer, startCustomer } from '../../support/customer.ts'

const ASSETS = fileURLToPath(new URL('../../../dist/assets', import.meta.url))

let browser: Browser
let service: TestService
let customer: Customer
beforeAll(async () => {
  browser = await launch()
  service = await testService({
    // What a driven browser scores is not the question here.
    siteList: [site({ hostnames: ['127.0.0.1'], scoreThreshold: 0 })],
    assets: loadAssets(ASSETS),
  })
  customer = await startCustomer(service.base)
})
afterAll(async () => {
  await browser.close()
  await customer.close()
  await service.stop(0)
})

test.each(['g-recaptcha-response', 'h-captcha-response', 'cf-turnstile-response'])('%s', async (name) => {
  customer.page = `<form method="post" action="/handle"><input name="email" aria-label="Email">
    ${container(service.base, `data-response-field-name="${name}"`)}<button>Send</button></form>`
  const page = await browser.newPage()
  await page.goto(customer.url)
  await page.getByLabel('Email').fill('a@example.com')
  await page.getByText('Send').click()
  await page.getByText('received').waitFor()
  await page.close()

  const fields = customer.submissions.at(-1)!.fields
  expect(fields.map(([field]) => field)).toEqual(['email', name])
  const verify = { secret: SECRET, response: fields[1]![1], action: 'sign-up' }
  expect((await post(`${service.base}/api/v1/siteverify`, verify)).body).toMatchObject({ success: true })
})
