/** The gate's page and the demonstration: what an engine can tell of WCAG 2.2 AA. The widget in them has tests of its own. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { DEMO_SECRET, DEMO_SITEKEY } from '../../../src/demo/credentials.ts'
import { demoSite, LOCAL } from '../../../src/demo/site.ts'
import { loadAssets } from '../../../src/http/assets.ts'
import { site, testService } from '../../support/app.ts'
import { appearing, cutOff, mediaOf, pressedByLetters, turned, walk } from '../../support/access.ts'
import { axeFinds } from '../../support/axe.ts'
import { launch } from '../../support/chromium.ts'
import { closeLater } from '../../support/close-later.ts'
import { serve } from '../../support/serve.ts'
import { ENGLISH } from '../../../widget/src/texts.ts'
import { startGatedSite } from './gated-site.ts'

const chromium = await launch()

async function startDemonstration(): Promise<string> {
  const policy = site(
    { sitekey: DEMO_SITEKEY as never, hostnames: ['127.0.0.1'], scoreThreshold: 0 },
    DEMO_SECRET,
  )
  const service = await testService({ siteList: [policy], assets: loadAssets('dist/assets') })
  const addresses = { ...LOCAL, own: service.base, page: service.base }
  return `${(await serve(demoSite(addresses, { of: () => undefined as never }))).url}/`
}

const PAGES = [
  {
    name: 'the gate’s page',
    url: await startGatedSite(),
    stops: ['button mark'],
    title: '127.0.0.1',
    heading: '127.0.0.1',
  },
  {
    name: 'the demonstration',
    url: await startDemonstration(),
    stops: ['input name', 'input email', 'button mark', 'button Sign up', 'button call'],
    title: 'Create your account · Harbour Tea',
    heading: 'Create your account',
  },
]

/** Returns the types of the events that the window's listeners wait for. */
async function listenedTo(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page)
  const { result } = await session.send('Runtime.evaluate', { expression: 'window' })
  const { listeners } = await session.send('DOMDebugger.getEventListeners', {
    objectId: result.objectId!,
  })
  await session.detach()
  return listeners.map(({ type }) => type)
}

describe.each(PAGES)('$name', ({ url, stops, title, heading }) => {
  async function open(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await chromium.newContext({ reducedMotion: 'reduce', ...options })
    const page = await closeLater(context, (it) => it.close()).newPage()
    await page.goto(url)
    await page.locator('svc-captcha-box .box').waitFor()
    return page
  }

  test.each([
    { colorScheme: 'light' },
    { colorScheme: 'dark' },
    { colorScheme: 'light', contrast: 'more' },
    { colorScheme: 'dark', forcedColors: 'active' },
  ] as const)('axe-core finds nothing, targets of 24 px included: %j', async (looks) => {
    const page = await open(looks)
    // Under forced colours axe-core takes a colour that is not drawn (`-webkit-text-fill-color`).
    const isForced = 'forcedColors' in looks
    const rules = { 'target-size': { enabled: true }, 'color-contrast': { enabled: !isForced } }
    expect(await axeFinds(page, { rules })).toEqual([])
  })

  test('has a title and a heading that say what it is', async () => {
    const page = await open()
    expect(await page.title()).toBe(title)
    expect(await page.getByRole('heading').first().innerText()).toBe(heading)
  })

  test('Tab stops at each control once, where it is seen, and leaves the page', async () => {
    const page = await open()
    expect(await walk(page)).toEqual({ stops, faults: [] })
  })

  test('nothing is cut off at 200 and 400 %, or with spaced text', async () => {
    expect(await cutOff(await open())).toEqual([])
  })

  test('the page says the same upright and lengthwise', async () => {
    const [upright, wide] = await turned(await open())
    expect(upright).toBe(wide)
  })

  test('there is no picture, sound or video', async () => {
    expect(await mediaOf(await open())).toEqual([])
  })

  test('letters alone press nothing', async () => {
    expect(await pressedByLetters(await open())).toEqual([])
  })

  test('no text appears where the pointer rests', async () => {
    expect(await appearing(await open())).toEqual([])
  })

  test('nothing moves by itself, and no motion of the device is listened to', async () => {
    const page = await open({ reducedMotion: 'no-preference' })
    expect(await page.evaluate(() => document.getAnimations().length)).toBe(0)
    const types = await listenedTo(page)
    expect(types).not.toEqual([])
    expect(types.filter((type) => type.startsWith('device'))).toEqual([])
  })
})

test('the gate’s page is passed by two keys', async () => {
  const page = await closeLater(await chromium.newContext(), (it) => it.close()).newPage()
  await page.goto(PAGES[0]!.url)
  await page.locator('svc-captcha-box .box').waitFor()
  for (const key of ['Tab', 'Space']) await page.keyboard.press(key)
  await page.getByRole('heading', { name: 'the site' }).waitFor()
  expect(await page.title()).toBe('the site')
})

test('a press that leaves the check box presses nothing, and one click does, without a path or a drag', async () => {
  const page = await closeLater(await chromium.newContext(), (it) => it.close()).newPage()
  await page.goto(PAGES[0]!.url)
  const mark = page.locator('svc-captcha-box .mark')
  await mark.hover()
  await page.mouse.down()
  await page.mouse.move(0, 0)
  await page.mouse.up()
  expect(await page.locator('svc-captcha-box .box.idle, svc-captcha-box .box.ready').count()).toBe(
    1,
  )
  await mark.hover()
  await page.mouse.down()
  await page.mouse.up()
  await page.getByRole('heading', { name: 'the site' }).waitFor()
})

test('no text of the widget or the gate points to a shape, a colour, a size, a place or a sound', () => {
  const sentences = (
    JSON.parse(readFileSync('packages/gate/page/texts/sentences.json', 'utf8')) as {
      en: Record<string, string>
    }
  ).en
  const texts = Object.values({ ...ENGLISH, ...sentences, dir: '' })
  expect(texts.length).toBeGreaterThan(20)
  const pointing =
    /\b(left|right(?! now)|above|below|top|bottom|corner|side|round|square|circle|big|small|red|green|blue|grey|beep|sound)\b/i
  expect(texts.filter((text) => pointing.test(text))).toEqual([])
})
