/**
 * A stock driver that keeps out what can be kept out and presses the step's button: unmodified Playwright, with a window and
 * without, under other agent strings.
 */
import { expect, jest, test } from '@jest/globals'
import { type Browser, chromium } from 'playwright-core'
import { RELEASED } from '../../src/score/weight-changes.ts'
import { seconds } from '../../src/domain/words.ts'
import { chromiumProgram, FLAGS } from '../support/chromium.ts'
import { startScreen } from '../support/screen.ts'
import { backstage } from './stage.ts'

jest.setTimeout(180_000)

const agent = (system: string, more = '') =>
  `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0${more} Safari/537.36`
const AGENTS = [
  agent('Windows NT 10.0; Win64; x64'),
  agent('Macintosh; Intel Mac OS X 10_15_7'),
  agent('X11; Linux x86_64'),
  agent('Linux; Android 10; K', ' Mobile'),
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:153.0) Gecko/20100101 Firefox/153.0',
]

const display = await startScreen()
const work = { level: 0, maxLevel: 2, humanCost: seconds(2), fallback: true }
const on = await backstage({ scoreThreshold: 0.5, stepUp: 'managed', weights: RELEASED, work })

/** Fills in the form and presses the buttons. @returns the score that the customer gets. */
async function visit(browser: Browser, userAgent: string): Promise<number> {
  const context = await browser.newContext({ userAgent })
  const page = await context.newPage()
  // Whatever is asked for beside the script.
  await page.route(/assets\/captcha[.-](?!js)/, (route) => route.abort())
  const before = on.customer.submissions.length
  await page.goto(on.customer.url)
  await page.getByLabel('Email').fill('a@example.com')
  await page.getByRole('button', { name: 'Send' }).click()
  const step = page.locator('.svc-captcha .retry:not([aria-disabled=true])')
  const isSent = on.received(before + 1).then(() => false)
  const isAsked = step.waitFor({ timeout: 15_000 }).then(() => true)
  for (const each of [isSent, isAsked]) each.catch(() => {})
  if (await Promise.race([isSent, isAsked])) await step.click()
  const { verdict } = await on.received(before + 1)
  await page.getByRole('heading', { name: 'received' }).waitFor()
  await context.close()
  return verdict['score'] as number
}

test.each([
  ['with a window', false],
  ['without a window', true],
])('%s each visit stays below 0.5, whatever browser it says it is', async (_how, headless) => {
  const program = chromiumProgram()
  const env = { ...program.env, DISPLAY: display }
  const browser = await chromium.launch({ ...program, headless, args: FLAGS, env })
  const scores: number[] = []
  for (const userAgent of AGENTS) scores.push(await visit(browser, userAgent))
  await browser.close()
  expect(scores.map((score) => score < 0.5)).toEqual(AGENTS.map(() => true))
})
