/** docs/design/work.md, "Work in part": a device that cannot finish in its time hands in a part, and gets a lower score instead of a failure. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { seconds } from '../../src/domain/words.ts'
import { launch, stage } from './stage.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser.close())

test('a device whose time is over gets a token, for a lower score', async () => {
  const on = await stage(browser, { work: { level: 3, maxLevel: 3, humanCost: seconds(60), fallback: true } })
  // As if it were over at once, for the browser and by the clock of the service, which takes no part before its time: the
  // machine of these tests is too fast, and its workers cannot be slowed down.
  await on.page.route('**/api/v1/challenge', async (route) => {
    const answer = await route.fetch()
    const body = (await answer.json()) as { work: { b: number } }
    on.ahead = body.work.b
    body.work.b = 1
    await route.fulfill({ response: answer, json: body })
  })
  await on.open()
  await on.page.getByLabel('Email').fill('a@example.com')
  await on.page.getByText('Send').click({ noWaitAfter: true })
  await on.arrived(1)
  expect(on.customer.submissions[0]).toMatchObject({ verdict: { success: true } })
  const line = on.service.lines().find(({ code }) => code === 'solved')
  expect(JSON.stringify(line?.['decision'])).toContain('work-in-part')
  await on.close()
}, 60_000)
