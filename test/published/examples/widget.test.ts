/** The small sites of examples/ in the browsers of visitors: real service, real server of the customer, nothing stubbed. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { launch } from '../../support/chromium.ts'
import { prepareSite, type RunningSite, startSite } from './widget-site.ts'

const THANKS = 'Thank you.'

let site: RunningSite

describe('in Chromium', () => {
  let browser: Browser
  let page: Page
  let mistakes: string[]
  beforeAll(async () => {
    browser = await launch()
  })
  afterAll(() => browser.close())
  beforeEach(async () => {
    mistakes = []
    page = await browser.newPage()
    page.on('pageerror', (error) => mistakes.push(error.message))
    page.on('console', (message) => message.type() === 'error' && mistakes.push(message.text()))
  })
  afterEach(async () => {
    await page.close()
    await site.close()
    expect(mistakes).toEqual([])
  })
  const open = async (name: string): Promise<void> => {
    prepareSite(name)
    site = await startSite(name)
    await page.goto(site.url)
  }
  const send = (): Promise<void> => page.getByRole('button', { name: 'Sign up' }).click()

  test('plain: the form is accepted', async () => {
    await open('plain')
    await page.getByLabel('Email').fill('a@example.com')
    await send()
    await page.getByText(THANKS).waitFor()
    expect(site.verdicts()).toEqual(['accepted'])
  })

  describe.each(['fetch-form', 'react', 'vue'])('%s', (name) => {
    test('a form is accepted twice, each time with a token of its own', async () => {
      await open(name)
      for (const count of [1, 2]) {
        await page.getByLabel('Email').fill(`${count}@example.com`)
        await send()
        for (let waited = 0; site.verdicts().length < count && waited < 10_000; waited += 50)
          await page.waitForTimeout(50)
        await page.getByText(THANKS).waitFor()
      }
      expect(site.verdicts()).toEqual(['accepted', 'accepted'])
    }, 120_000)
  })

  describe.each(['react', 'vue'])('%s', (name) => {
    test('mounts one widget, takes it away with its component, and mounts it anew', async () => {
      await open(name)
      const boxes = page.locator('form .box')
      await boxes.waitFor()
      // React's StrictMode, which the example runs under, has mounted it twice by now.
      expect(await boxes.count()).toBe(1)
      expect(await page.locator('[name=svc-response]').count()).toBe(1)
      for (let round = 0; round < 5; round++) {
        await page.getByRole('button', { name: 'Close' }).click()
        await boxes.waitFor({ state: 'detached' })
        await page.getByRole('button', { name: 'Open' }).click()
        await boxes.waitFor()
      }
      expect(await boxes.count()).toBe(1)
      await page.getByLabel('Email').fill('a@example.com')
      await send()
      await page.getByText(THANKS).waitFor()
      expect(site.verdicts()).toEqual(['accepted'])
    }, 120_000)
  })
})
