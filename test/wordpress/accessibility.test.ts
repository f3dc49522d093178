/** The forms of WordPress with the box of the plug-in: what an engine can tell of WCAG 2.2 AA. The page around them is WordPress' own. */
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { loadAssets } from '../../src/http/assets.ts'
import { appearing, cutOff, mediaOf, pressedByLetters, turned, walk } from '../support/access.ts'
import { testService, type TestService } from '../support/app.ts'
import { axeFinds } from '../support/axe.ts'
import { launch } from '../support/chromium.ts'
import { closeLater } from '../support/close-later.ts'
import { ROOT } from '../support/root.ts'
import { FORMS, login, person } from './core-forms.ts'
import { REFUSED, SITES, useSite } from './sites.ts'
import { startWordPress, type WordPress } from './start.ts'

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa']

let wordpress: WordPress
let service: TestService
let browser: Browser

beforeAll(async () => {
  service = await testService({ siteList: SITES, assets: loadAssets(join(ROOT, 'dist/assets')) })
  wordpress = await startWordPress()
  browser = await launch()
}, 300_000)

const use = (name: string): Promise<void> =>
  useSite(wordpress, { name, forms: Object.keys(FORMS), url: service.base })

async function newPage(options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
  return closeLater(context, (it) => it.close()).newPage()
}

/** Types into whatever has the focus, and goes on by Tab, until a control that a selector names has it. */
async function fillByKeyboard(page: Page, fields: Readonly<Record<string, string>>, last: string) {
  for (let stops = 0; stops < 40; stops++) {
    const name = await page.evaluate(() => document.activeElement?.getAttribute('name') ?? '')
    const text = fields[name]
    if (text !== undefined) await page.keyboard.insertText(text)
    if (await page.locator(`${last}:focus`).count()) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not reach ${last}`)
}

describe.each(Object.entries(FORMS))('%s', (_name, { at, done, fields, button }) => {
  const root = `form:has(${button})`
  beforeEach(() => use('people'))
  async function open(options: BrowserContextOptions = {}): Promise<Page> {
    const page = await newPage(options)
    await page.goto(wordpress.url + at)
    await page.locator(`${root} svc-captcha-box .box`).waitFor()
    return page
  }

  test.each([{ colorScheme: 'light' }, { forcedColors: 'active' }] as const)(
    'axe-core finds nothing in the form with its box: %j',
    async (looks) => {
      const page = await open(looks)
      // Under forced colours axe-core takes a colour that is not drawn (`-webkit-text-fill-color`).
      const rules = { 'color-contrast': { enabled: !('forcedColors' in looks) } }
      expect(await axeFinds(page, { runOnly: { type: 'tag', values: TAGS }, rules })).toEqual([])
    },
  )

  test('is filled in and sent by keyboard alone', async () => {
    const page = await open()
    await fillByKeyboard(page, fields(), button)
    await page.keyboard.press('Enter')
    await page.waitForURL(done)
    expect(page.url()).toMatch(done)
  })

  test('Tab stops where it is seen, and leaves the page', async () => {
    const page = await open()
    const { stops, faults } = await walk(page)
    expect(stops).toContain('button mark')
    expect(faults).toEqual([])
  })

  test('nothing is cut off at 200 and 400 %, or with spaced text', async () => {
    expect(await cutOff(await open(), root)).toEqual([])
  })

  test('the form says the same upright and lengthwise, and has no picture, sound or video', async () => {
    const page = await open()
    expect(await mediaOf(page, root)).toEqual([])
    const [upright, wide] = await turned(page, root)
    expect(upright).toBe(wide)
  })

  test('letters alone press nothing, and no text appears where the pointer rests', async () => {
    const page = await open()
    expect(await pressedByLetters(page)).toEqual([])
    expect(await appearing(page, root)).toEqual([])
  })

  test('a refusal is a sentence that says what to do, on a page without a fault', async () => {
    await use('drivers')
    const page = await open()
    await fillByKeyboard(page, fields(), button)
    await page.keyboard.press('Enter')
    await page.getByText(REFUSED).waitFor()
    expect(await axeFinds(page, { runOnly: { type: 'tag', values: TAGS } })).toEqual([])
  })
})

test('axe-core finds nothing in the settings of the plug-in', async () => {
  await use('people')
  const page = await newPage()
  await page.goto(wordpress.url + login.at)
  await fillByKeyboard(page, person('admin'), login.button)
  await page.keyboard.press('Enter')
  await page.waitForURL(/wp-admin/)
  await page.goto(`${wordpress.url}/wp-admin/options-general.php?page=human-verification`)
  await page.getByLabel('Sitekey', { exact: true }).waitFor()
  const within = '#wpbody-content .wrap'
  expect(await axeFinds(page, { runOnly: { type: 'tag', values: TAGS } }, within)).toEqual([])
})
