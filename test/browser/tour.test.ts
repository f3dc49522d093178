/** The demonstration site in a real Chromium: by keyboard, light and dark, on a narrow telephone, with axe. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from '@jest/globals'
import { DEMO_SECRET, DEMO_SITEKEY } from '../../src/demo/credentials.ts'
import { demoSite, LOCAL } from '../../src/demo/site.ts'
import type { DecisionRecord } from '../../src/score/decision-record.ts'
import { site } from '../support/app.ts'
import { axeFinds } from '../support/axe.ts'
import { serve } from '../support/serve.ts'
import { begin, inChromium, on } from './stage.ts'

inChromium()

test.each([
  ['light', 1100],
  ['dark', 1100],
  ['light', 320],
] as const)('the whole tour with the keyboard alone, %s, %i pixels wide', async (theme, width) => {
  // A driven browser would be refused; the tour is for people.
  const policy = site(
    { sitekey: DEMO_SITEKEY as never, hostnames: ['127.0.0.1'], scoreThreshold: 0 },
    DEMO_SECRET,
  )
  await begin({}, { siteList: [policy] })
  const { page, service, said } = on
  page.on('pageerror', (error) => said.push(error.message))
  const lastDecision = (): DecisionRecord =>
    service.lines().findLast(({ decision }) => decision !== undefined)![
      'decision'
    ] as DecisionRecord
  const demo = await serve(
    demoSite({ ...LOCAL, own: service.base, page: service.base }, { of: lastDecision }),
  )
  const outcome = (): Promise<string | null> =>
    page.locator('[data-outcome]').getAttribute('data-outcome')
  const check = async (): Promise<void> => {
    // Axe finds nothing, no policy is broken and no error is logged.
    expect([await axeFinds(page), said.filter((line) => !line.includes('422'))]).toEqual([[], []])
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
  }
  await page.setViewportSize({ width, height: 700 })
  await page.emulateMedia({ colorScheme: theme })
  await page.goto(`${demo.url}/`)
  await page.locator('.svc-captcha .box').waitFor()
  await check()

  await page.getByRole('button', { name: 'Call an API without the form' }).press('Enter')
  await page.getByText('Green tea for a person, score').waitFor()
  await check()

  await page.locator('#name').focus()
  await page.keyboard.type('Ada')
  await page.keyboard.press('Tab')
  await page.keyboard.type('ada@example.com')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/sign-up**')
  expect(await outcome()).toBe('accepted')
  expect(await page.locator('main li code').count()).toBeGreaterThan(0)
  expect(await page.locator('main').innerText()).toContain('What the score was made of')
  await check()

  // README: "Run the `curl` line that the page shows".
  const line = await page.locator('main pre').innerText()
  const { stdout } = await promisify(execFile)('bash', ['-c', line])
  expect(stdout).toBe('{"success":false,"error-codes":["timeout-or-duplicate"]}')

  await page.getByRole('button', { name: 'Send the same token again' }).focus()
  await page.keyboard.press('Enter')
  await page.waitForURL('**/again**')
  expect(await outcome()).toBe('refused')
  expect(await page.locator('[data-outcome]').innerText()).toContain('timeout-or-duplicate')
  await check()
})
