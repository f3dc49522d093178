/**
 * WCAG 2.2 AA, as far as a machine can see it: the real widget in Chromium against the real service, in every state.
 * What is measured here is written to docs/widget/accessibility.md by `A11Y_WRITE=1 npm run test:only -- test/browser/a11y`; without it, the page is held to be current.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { askAxe, brokenRules } from '../../support/axe.ts'
import { announced, contrasts, focusRing, listen, misfits, ratioOf, readAloud, targets } from './measure.ts'
import { keepReport, report } from './report.ts'
import {
  bring,
  cutOff,
  isOfStep,
  openChromium,
  putSize,
  putTheme,
  type Shown,
  SIZES,
  type Stage,
  startStage,
  STATES,
} from './stage.ts'

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa', 'best-practice']
const THEMES = ['light', 'dark'] as const

let browser: Browser
let stage: Stage
let context: BrowserContext
let page: Page

beforeAll(async () => {
  browser = await openChromium()
  stage = await startStage()
})
afterAll(async () => {
  await browser.close()
  await stage.close()
})

const openPage = async (options: Parameters<Browser['newContext']>[0] = {}): Promise<void> => {
  await context?.close()
  context = await browser.newContext(options)
  page = await context.newPage()
}

/** What has the focus: a class, an id or a name. */
const focused = (): Promise<string> =>
  page.evaluate(() => {
    const host = document.activeElement
    return (host?.shadowRoot?.activeElement ?? host)?.className || host?.id || host?.getAttribute('name') || ''
  })

/** Waits for one form more than `before`. */
async function submitted(before: number): Promise<void> {
  while (stage.customer.submissions.length === before) await page.waitForTimeout(50)
  expect(stage.customer.submissions).toHaveLength(before + 1)
}

const moving = (): Promise<number> =>
  page.locator('.svc-captcha .box').evaluate((box) => box.getAnimations({ subtree: true }).length)

/** The button beside the box, by what it says. */
const buttonOf = (shown: Shown): string | undefined => {
  if (shown === 'asked' || shown === 'asking') return 'Please confirm'
  return ['failed', 'unsent', 'lost'].includes(shown) ? 'Try again' : undefined
}
const isBusy = (shown: Shown): boolean => ['working', 'holding', 'waiting', 'confirmed'].includes(shown)

describe.each(STATES)('%s', (shown) => {
  beforeAll(async () => {
    // Without transitions, so that every colour is the one that stays.
    await openPage({ reducedMotion: 'reduce' })
    await bring(page, stage, shown)
  }, 60_000)

  test.each(THEMES)('axe-core finds no violation, %s', async (theme) => {
    await putTheme(page, theme)
    const results = await askAxe(page, { runOnly: { type: 'tag', values: TAGS } })
    expect(brokenRules(results)).toEqual([])
    const { passes, testEngine } = results
    const rules = passes.map(({ id }) => id)
    // The rules that look into the widget did look.
    expect(rules).toEqual(expect.arrayContaining(['aria-allowed-attr', 'color-contrast', 'button-name', 'target-size']))
    report.axe.push({ shown, theme, rules: rules.length, version: testEngine.version })
  })

  test.each(THEMES)('text and marks stand out, with forced colours too, %s', async (theme) => {
    await putTheme(page, theme)
    const found = await contrasts(page)
    expect(found.map(({ what }) => what)).toEqual(expect.arrayContaining(['label', 'status']))
    await page.emulateMedia({ forcedColors: 'active', colorScheme: theme, reducedMotion: 'reduce' })
    const forced = await contrasts(page)
    await page.emulateMedia({ forcedColors: 'none', colorScheme: 'light', reducedMotion: 'reduce' })
    expect([...found, ...forced].filter(({ ratio, least }) => !(ratio >= least))).toEqual([])
    for (const one of found) report.contrasts.push({ shown, theme, ...one })
    report.forced.push(...forced.map(({ ratio }) => ratio))
  })

  test('what can be pressed measures 24 px at least', async () => {
    const found = await targets(page)
    expect(found.length).toBe(buttonOf(shown) ? 2 : 1)
    expect(found.filter(({ width, height }) => width < 24 || height < 24)).toEqual([])
    report.targets.push(...found)
  })

  test('a screen reader meets one group, one named check box and one polite live region', async () => {
    const isDone = shown === 'ready' || shown === 'verified'
    // Not in the tree that the protocol shows; read first, as the end of a session tells the page that it is online.
    const isReadOnly = await page.locator('.svc-captcha .mark').getAttribute('aria-readonly')
    expect(isReadOnly).toBe(String(isBusy(shown) || isDone))
    const tree = await readAloud(page)
    const of = (role: string) => tree.filter((node) => node.role === role)
    expect(of('group').map(({ name }) => name)).toEqual(['Human verification'])
    expect(of('checkbox')).toMatchObject([{ name: 'I am human', checked: String(isDone) }])
    expect(of('checkbox')[0]!.busy).toBe(isBusy(shown))
    expect(
      tree.filter(({ role, live }) => role === 'status' || role === 'alert' || live === 'assertive'),
    ).toMatchObject([{ role: 'status', live: 'polite' }])
    const buttons = of('button').map(({ name }) => name)
    expect(buttons.sort()).toEqual([buttonOf(shown) ?? [], 'Send'].flat().sort())
    expect(tree.filter(({ disabled }) => disabled).map(({ name }) => name)).toEqual(
      shown === 'asked' ? ['Please confirm'] : [],
    )
    // Drawings say nothing.
    expect(tree.filter(({ role }) => /^(img|image|graphics)/i.test(role))).toEqual([])
  })
})

describe('the live region', () => {
  beforeEach(() => openPage())

  test('says each thing once, through a whole flow', async () => {
    await bring(page, stage, 'idle')
    await listen(page)
    await page.getByLabel('Email').fill('a@example.com')
    await page.locator('.svc-captcha .box.ready').waitFor()
    await page.locator('#send').click()
    await page.locator('.svc-captcha .box.verified').waitFor()
    const lines = await announced(page)
    expect(lines).toEqual(['Checking…', 'Ready', expect.stringContaining('your form is sent'), 'Verified'])
    report.lines.push(...lines)
  })

  test('says that a form was not sent, once, and nothing else of it is announced', async () => {
    await bring(page, stage, 'ready')
    await listen(page)
    await cutOff(page)
    await page.locator('#send').click()
    await page.locator('.svc-captcha .box.failed').waitFor({ timeout: 20_000 })
    const lines = await announced(page)
    expect(lines.filter((line, at) => line === lines[at - 1])).toEqual([])
    expect(lines.filter((line) => line.includes('was not sent'))).toHaveLength(1)
    report.lines.push(...lines)
  })

  test('says each thing of the step once', async () => {
    await bring(page, stage, 'ready', { step: true })
    await listen(page)
    await page.locator('#send').click()
    await page.locator('.svc-captcha .asking .retry[aria-disabled=false]').click()
    await page.locator('.svc-captcha .box.verified').waitFor({ timeout: 20_000 })
    const lines = await announced(page)
    const held = expect.stringContaining('your form is sent')
    expect(lines).toEqual([held, 'Please confirm', held, 'Verified'])
    report.lines.push(...lines)
  })

  test('is silent while progress moves', async () => {
    await bring(page, stage, 'working')
    await listen(page)
    await page.waitForTimeout(1500)
    expect(await announced(page)).toEqual([])
  })
})

describe('the keyboard alone', () => {
  beforeEach(() => openPage({ reducedMotion: 'reduce' }))
  test('reaches the check box between field and button, and leaves again both ways', async () => {
    await bring(page, stage, 'idle')
    const order: string[] = []
    for (let step = 0; step < 3; step++) {
      await page.keyboard.press('Tab')
      order.push(await focused())
    }
    expect(order).toEqual(['email', 'mark', 'send'])
    await page.keyboard.press('Shift+Tab')
    expect(await focused()).toBe('mark')
    await page.keyboard.press('Shift+Tab')
    expect(await focused()).toBe('email')
  })

  test.each(['Space', 'Enter'])('%s on the check box renews what has expired', async (key) => {
    await bring(page, stage, 'expired')
    await page.locator('[name=email]').focus()
    await page.keyboard.press('Tab')
    expect(await focused()).toBe('mark')
    const before = stage.customer.submissions.length
    await page.keyboard.press(key)
    await page.locator('.svc-captcha .box.ready').waitFor({ state: 'attached' })
    expect(await focused()).toBe('mark')
    expect(stage.customer.submissions).toHaveLength(before)
  })

  test('"Try again" is reached, sends the held form, and the focus does not fall out of the widget', async () => {
    await bring(page, stage, 'unsent')
    const before = stage.customer.submissions.length
    await page.locator('[name=email]').focus()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    expect(await focused()).toBe('retry')
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.keyboard.press('Enter')
    await page.locator('.svc-captcha .box.verified').waitFor({ state: 'attached' })
    expect(await focused()).toBe('mark')
    await submitted(before)
    expect(stage.customer.submissions.at(-1)).toMatchObject({ verdict: { success: true } })
  })

  test.each(['Space', 'Enter'])(
    '%s on the step does nothing while its button takes no press, and then sends the held form',
    async (key) => {
      await bring(page, stage, 'ready', { step: true })
      const before = stage.customer.submissions.length
      await page.locator('#send').click()
      await page.locator('.svc-captcha .asking .retry').waitFor()
      await page.locator('[name=email]').focus()
      await page.keyboard.press('Tab')
      await page.keyboard.press('Tab')
      expect(await focused()).toBe('retry')
      await page.keyboard.press(key)
      await page.locator('.svc-captcha .asking .retry[aria-disabled=false]').waitFor()
      await page.keyboard.press(key)
      await page.locator('.svc-captcha .box.verified').waitFor({ state: 'attached', timeout: 20_000 })
      expect(await focused()).toBe('mark')
      await submitted(before)
    },
  )

  test.each(THEMES)('shows where it is, %s', async (theme) => {
    await bring(page, stage, 'unsent', { theme })
    const box = page.locator('.svc-captcha')
    await page.locator('[name=email]').focus()
    const before = await box.screenshot()
    for (const what of ['mark', 'retry']) {
      await page.keyboard.press('Tab')
      expect(await focused()).toBe(what)
      const ring = await focusRing(page)
      expect(ring?.px).toBeGreaterThanOrEqual(2)
      const ratio = ratioOf(ring!.over, ring!.under)
      expect(ratio).toBeGreaterThanOrEqual(3)
      expect((await box.screenshot()).equals(before)).toBe(false)
      report.contrasts.push({ shown: 'unsent', theme, what: `focus ring, ${what}`, ratio, least: 3 })
    }
  })
})

/** Of each language, the states that are looked at on a small screen: those whose line or button differs most. */
const SMALL = {
  en: ['idle', 'holding', 'asking', 'ready', 'unsent', 'misplaced', 'asked', 'confirmed', 'lost'],
  de: ['idle', 'holding', 'asking', 'ready', 'unsent', 'misplaced'],
  ar: ['ready', 'asking', 'unsent'],
} as const
/** WCAG 1.4.12. */
const SPACED = '* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important }'

describe.each(Object.entries(SMALL))('a small screen, %s', (language, states) => {
  beforeEach(() => openPage({ viewport: { width: 320, height: 256 }, reducedMotion: 'reduce' }))

  test.each(states)(
    'shows all of it in every size, as after a zoom of 400 %%, with text of 200 %% and with spaced text: %s',
    async (shown) => {
      await bring(page, stage, shown, { language })
      for (const size of SIZES) {
        await putSize(page, size)
        expect({ size, misfits: await misfits(page) }).toEqual({ size, misfits: [] })
      }
      await page.evaluate(() => (document.documentElement.style.fontSize = '200%'))
      for (const size of SIZES) {
        await putSize(page, size)
        const wide = (await misfits(page)).filter((one) => !one.startsWith('the page is'))
        expect({ size, misfits: wide }).toEqual({ size, misfits: [] })
      }
      await page.setViewportSize({ width: 640, height: 512 })
      await putSize(page, 'normal')
      await page.evaluate((rules) => {
        const sheet = new CSSStyleSheet()
        sheet.replaceSync(rules)
        const root = document.querySelector('.svc-captcha > svc-captcha-box')!.shadowRoot!
        root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet]
      }, SPACED)
      expect(await misfits(page)).toEqual([])
      report.fits.push(language)
    },
  )
})

describe('the page around it', () => {
  test.each(['en', 'de', 'ar'])('does not jump while all goes well, %s', async (language) => {
    await openPage({ viewport: { width: 420, height: 600 }, reducedMotion: 'reduce' })
    const heights = new Map<string, number[]>()
    for (const shown of ['idle', 'working', 'holding', 'ready', 'verified'] as const) {
      await bring(page, stage, shown, { language })
      for (const size of ['normal', 'compact', 'flexible'] as const) {
        await putSize(page, size)
        const { height } = (await page.locator('.svc-captcha').boundingBox())!
        heights.set(size, [...(heights.get(size) ?? []), height])
      }
    }
    expect([...heights].filter(([, all]) => new Set(all).size > 1)).toEqual([])
  })
})

describe('the wishes of the system', () => {
  test('nothing moves for those who asked for it, and something does for the others', async () => {
    await openPage()
    await bring(page, stage, 'working')
    expect(await moving()).toBeGreaterThan(0)
    await openPage({ reducedMotion: 'reduce' })
    await bring(page, stage, 'working')
    expect(await moving()).toBe(0)
    expect(await page.locator('.svc-captcha [role=status]').innerText()).toBe('Checking…')
  })

  test('forced colours: the states differ by more than colour', async () => {
    await openPage({ reducedMotion: 'reduce', forcedColors: 'active' })
    const drawn = new Map<string, string>()
    for (const shown of ['idle', 'working', 'asked', 'asking', 'ready', 'verified', 'expired', 'failed'] as const) {
      await bring(page, stage, shown)
      // The step is told by its button, before and after it takes a press.
      const drawing = page.locator(`.svc-captcha ${isOfStep(shown) ? '.retry' : '.mark'}`)
      const picture = await drawing.screenshot()
      const same = [...drawn].find(([, other]) => other === picture.toString('base64'))
      expect(same?.[0]).toBeUndefined()
      drawn.set(shown, picture.toString('base64'))
    }
  }, 60_000)
})

test('docs/widget/accessibility.md says what was measured (A11Y_WRITE=1 npm run test:only -- test/browser/a11y writes it)', () => {
  const { written, kept } = keepReport(process.env['A11Y_WRITE'] === '1')
  expect(kept).toBe(written)
})
