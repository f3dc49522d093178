import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { seconds } from '../../src/domain/words.ts'
import { memoryLimiter } from '../../src/store/limits.ts'
import { SITEKEY } from '../support/app.ts'
import { form, launch, type Stage, stage } from './stage.ts'

/** People behind an address that is over its budget: nobody is turned away, they wait. docs/api/api.md, "Limits" */
let browser: Browser
let on: Stage
beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser.close())
afterEach(() => on.close())

const many = { points: 1000, per: seconds(60) }

/** Uses up the visits of this machine's address, as its neighbours would. */
async function spend(): Promise<void> {
  for (let asked = 0; asked < 50; asked++) {
    const body = new URLSearchParams({ sitekey: SITEKEY, action: 'sign-up' })
    const headers = { Origin: on.customer.url.slice(0, -1) }
    const { status } = await fetch(`${on.service.base}/api/v1/challenge`, { method: 'POST', body, headers })
    if (status === 429) return
  }
  throw new Error('the budget was not used up')
}

test('waits its turn, says so, and sends the form without an error', async () => {
  const budgets = { challenge: { points: 3, per: seconds(12) }, solve: many, siteverify: many }
  const limiter = memoryLimiter({ ...budgets, fallback: many, junk: many, ticket: many, invalidSecret: many })
  on = await stage(browser, {}, { limiter })
  on.customer.page = form(on.service.base, 'data-start="load"')
  await on.page.addInitScript(() => {
    const errors: unknown[] = []
    Object.assign(window, { errors })
    document.addEventListener('svc-captcha:error', (event) => errors.push((event as CustomEvent).detail))
  })
  await spend()
  await on.open()
  await on.until('waiting')
  expect(await on.status()).toBe('Busy, trying again…')
  await on.until('ready')
  expect(await on.page.evaluate('errors')).toEqual([])
  await on.page.getByText('Send', { exact: true }).click()
  await on.arrived(1)
  expect(on.customer.submissions[0]!.verdict['success']).toBe(true)
  const statuses = await Promise.all(on.calls('challenge').map(async (one) => (await one.response())?.status()))
  expect(statuses[0]).toBe(429)
  expect(statuses.at(-1)).toBe(200)
})
