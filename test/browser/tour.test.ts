/**
 * The demonstration site in a real Chromium: by keyboard, light and dark, on a narrow telephone, with axe. Pictures are
 * in build/screenshots/tour-*.png.
 */
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { axeFinds } from '../support/axe.ts'
import { DEMO_SECRET, DEMO_SITEKEY } from '../../src/demo/credentials.ts'
import type { DecisionRecord } from '../../src/score/decision-record.ts'
import { demoSite } from '../../src/demo/site.ts'
import { loadAssets } from '../../src/http/assets.ts'
import { type Listening, listen } from '../../src/http/listen.ts'
import { site, testService, type TestService } from '../support/app.ts'
import { openChromium } from './a11y/stage.ts'

const ASSETS = fileURLToPath(new URL('../../dist/assets', import.meta.url))
const PICTURES = fileURLToPath(new URL('../../build/screenshots', import.meta.url))

let service: TestService
let demo: Listening
let browser: Browser
let page: Page
const said: string[] = []

beforeAll(async () => {
  mkdirSync(PICTURES, { recursive: true })
  // A driven browser is refused; the tour is about the way of a person.
  const policy = site({ sitekey: DEMO_SITEKEY as never, hostnames: ['127.0.0.1'], scoreThreshold: 0 }, DEMO_SECRET)
  service = await testService({ siteList: [policy], assets: loadAssets(ASSETS) })
  const lastDecision = (): DecisionRecord =>
    service.lines().findLast(({ decision }) => decision !== undefined)!['decision'] as DecisionRecord
  demo = await listen(demoSite(service.base, { of: lastDecision }), { host: '127.0.0.1', port: 0 })
  browser = await openChromium()
  page = await browser.newPage({ viewport: { width: 1100, height: 900 } })
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('422')) said.push(message.text())
  })
  page.on('pageerror', (error) => said.push(error.message))
}, 60_000)
afterAll(async () => {
  await browser.close()
  await demo.stop(0)
  await service.stop(0)
})

const picture = (name: string) => page.screenshot({ path: `${PICTURES}/tour-${name}.png`, fullPage: true })
const outcome = (): Promise<string | null> => page.locator('[data-outcome]').getAttribute('data-outcome')

test.each(['light', 'dark'] as const)(
  'the whole tour with the keyboard alone, %s',
  async (theme) => {
    await page.setViewportSize({ width: 1100, height: 900 })
    await page.emulateMedia({ colorScheme: theme })
    await page.goto(`${demo.url}/`)
    await page.locator('.svc-captcha .box').waitFor()
    expect(await axeFinds(page)).toEqual([])
    await picture(theme)

    await page.locator('#name').focus()
    await page.keyboard.type('Ada')
    await page.keyboard.press('Tab')
    await page.keyboard.type('ada@example.com')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/sign-up**')
    expect(await outcome()).toBe('accepted')
    expect(await page.locator('main li code').count()).toBeGreaterThan(0)
    expect(await page.locator('main').innerText()).toContain('What the score was made of')
    expect(await axeFinds(page)).toEqual([])
    await picture(`accepted-${theme}`)

    await page.getByRole('button', { name: 'Send the same token again' }).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/again**')
    expect(await outcome()).toBe('refused')
    expect(await page.locator('[data-outcome]').innerText()).toContain('timeout-or-duplicate')
    expect(await axeFinds(page)).toEqual([])
  },
  60_000,
)

test('nothing is wider than 320 pixels', async () => {
  await page.setViewportSize({ width: 320, height: 700 })
  const fits = () => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)
  await page.goto(`${demo.url}/`)
  await page.locator('.svc-captcha .box').waitFor()
  expect(await fits()).toBe(true)
  await picture('narrow')
  await page.locator('#name').fill('Ada')
  await page.locator('#email').fill('ada@example.com')
  await page.getByRole('button', { name: 'Sign up' }).press('Enter')
  await page.waitForURL('**/sign-up**')
  expect([await fits(), await axeFinds(page)]).toEqual([true, []])
  await picture('accepted-narrow')
}, 60_000)

test('it breaks no policy and logs no error', () => {
  expect(said).toEqual([])
})
