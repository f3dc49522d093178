/**
 * WCAG 2.2 AA, as far as a machine can see it: the real widget in Chromium against the real service, in every state.
 * What is measured here is written to docs/widget/accessibility.md by `A11Y_WRITE=1 npm run test:only -- test/browser/a11y`; without it, the page is held to be current.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { askAxe, brokenRules } from '../../support/axe.ts'
import { announced, contrasts, focusRing, listen, misfits, ratioOf, readAloud, targets } from './measure.ts'
import { keepReport, report } from './report.ts'
import { bring, cutOff, isOfStep, openChromium, type Shown, SIZES, type Stage, startStage, STATES } from './stage.ts'

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa', 'best-practice']
const THEMES = ['light', 'dark'] as const
const ALL = THEMES.flatMap((theme) => STATES.map((shown) => ({ theme, shown })))

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

const moving = (): Promise<number> =>
  page.locator('.svc-captcha .box').evaluate((box) => box.getAnimations({ subtree: true }).length)

/** The button beside the box, by what it says. */
const buttonOf = (shown: Shown): string | undefined => {
  if (shown === 'asked' || shown === 'asking') return 'Please confirm'
  return ['failed', 'unsent', 'lost'].includes(shown) ? 'Try again' : undefined
}
const isBusy = (shown: Shown): boolean => ['working', 'holding', 'waiting', 'confirmed'].includes(shown)

describe.each(ALL)('$shown, $theme', ({ shown, theme }) => {
  beforeAll(async () => {
    // Without transitions, so that every colour is the one that stays.
    await openPage({ reducedMotion: 'reduce' })
    await bring(page, stage, shown, { theme })
  }, 60_000)

  test('axe-core finds no violation', async () => {
    const results = await askAxe(page, { runOnly: { type: 'tag', values: TAGS } })
    expect(brokenRules(results)).toEqual([])
    const { passes, testEngine } = results
    const rules = passes.map(({ id }) => id)
    // The rules that look into the widget did look.
    expect(rules).toEqual(expect.arrayContaining(['aria-allowed-attr', 'color-contrast', 'button-name', 'target-size']))
    report.axe.push({ shown, theme, rules: rules.length, version: testEngine.version })
  })

  test('text and marks stand out', async () => {
    const found = await contrasts(page)
    expect(found.filter(({ ratio, least }) => !(ratio >= least))).toEqual([])
    expect(found.map(({ what }) => what)).toEqual(expect.arrayContaining(['label', 'status']))
    for (const one of found) report.contrasts.push({ shown, theme, ...one })
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

  test('text and marks stand out with forced colours, too', async () => {
    await page.emulateMedia({ forcedColors: 'active', colorScheme: theme, reducedMotion: 'reduce' })
    const found = await contrasts(page)
    expect(found.filter(({ ratio, least }) => !(ratio >= least))).toEqual([])
    report.forced.push(...found.map(({ ratio }) => ratio))
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
    const submitted = stage.customer.submissions.length
    await page.keyboard.press(key)
    await page.locator('.svc-captcha .box.ready').waitFor({ state: 'attached' })
    expect(await focused()).toBe('mark')
    expect(stage.customer.submissions).toHaveLength(submitted)
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
    for (let waited = 0; stage.customer.submissions.length === before && waited < 5000; waited += 50)
      await page.waitForTimeout(50)
    expect(stage.customer.submissions.at(-1)).toMatchObject({ verdict: { success: true } })
  })

  test.each(['Space', 'Enter'])(
    '%s on the step sends the held form, and the focus stays in the widget',
    async (key) => {
      await bring(page, stage, 'asked')
      const before = stage.customer.submissions.length
      await page.locator('[name=email]').focus()
      await page.keyboard.press('Tab')
      await page.keyboard.press('Tab')
      // The button can be found while it does not take a press yet; a press does nothing then.
      expect(await focused()).toBe('retry')
      await page.keyboard.press(key)
      expect(await page.locator('.svc-captcha .box.asking').count()).toBe(1)
      await bring(page, stage, 'asking')
      await page.locator('[name=email]').focus()
      await page.keyboard.press('Tab')
      await page.keyboard.press('Tab')
      await page.keyboard.press(key)
      await page.locator('.svc-captcha .box.verified').waitFor({ state: 'attached', timeout: 20_000 })
      expect(await focused()).toBe('mark')
      while (stage.customer.submissions.length === before) await page.waitForTimeout(50)
      expect(stage.customer.submissions.length).toBe(before + 1)
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

describe('a small screen', () => {
  const SMALL = ['idle', 'holding', 'asking', 'ready', 'unsent', 'misplaced'] as const
  /** They look like others of `SMALL`, and take five seconds each to reach: in one size. */
  const OF_STEP = ['asked', 'confirmed', 'lost'] as const
  beforeEach(() => openPage({ viewport: { width: 320, height: 256 }, reducedMotion: 'reduce' }))

  test.each(SIZES)(
    'of 320 px, as after a zoom of 400 %%, shows all of it in every state, %s',
    async (size) => {
      for (const shown of size === 'normal' ? [...SMALL, ...OF_STEP] : SMALL) {
        await bring(page, stage, shown, { sizes: [size] })
        expect({ shown, misfits: await misfits(page) }).toEqual({ shown, misfits: [] })
      }
      report.fits.push(`320 CSS pixels wide, size ${size}`)
    },
    150_000,
  )

  test.each(SIZES)(
    'of 320 px with text of 200 %% shows all of it in every state, %s',
    async (size) => {
      for (const shown of SMALL) {
        for (const language of ['en', 'de']) {
          await bring(page, stage, shown, { sizes: [size], language })
          await page.evaluate(() => (document.documentElement.style.fontSize = '200%'))
          const wide = (await misfits(page)).filter((one) => !one.startsWith('the page is'))
          expect({ shown, language, misfits: wide }).toEqual({ shown, language, misfits: [] })
        }
      }
      report.fits.push(`200 % text on 320 CSS pixels, size ${size}`)
    },
    150_000,
  )

  test.each(['en', 'de', 'ar'])(
    'shows text of 200 %%, and spaced as WCAG 1.4.12 says, in full: %s',
    async (language) => {
      await page.setViewportSize({ width: 640, height: 512 })
      for (const shown of ['ready', 'asking', 'unsent'] as const) {
        await bring(page, stage, shown, { language })
        await page.evaluate(() => {
          document.documentElement.style.fontSize = '200%'
          const sheet = new CSSStyleSheet()
          sheet.replaceSync(
            '* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important }',
          )
          const root = document.querySelector('.svc-captcha > svc-captcha-box')!.shadowRoot!
          root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet]
        })
        expect({ shown, misfits: await misfits(page) }).toEqual({ shown, misfits: [] })
      }
      report.fits.push(`200 % text with the spacing of 1.4.12, ${language}`)
    },
    150_000,
  )
})

describe('the page around it', () => {
  test.each(['normal', 'compact', 'flexible'] as const)(
    'does not jump while all goes well, %s',
    async (size) => {
      for (const language of ['en', 'de', 'ar']) {
        const heights = new Map<string, number>()
        for (const shown of ['idle', 'working', 'holding', 'ready', 'verified'] as const) {
          await openPage({ viewport: { width: 420, height: 600 }, reducedMotion: 'reduce' })
          await bring(page, stage, shown, { sizes: [size], language })
          heights.set(shown, (await page.locator('.svc-captcha').boundingBox())!.height)
        }
        expect({ language, heights: new Set(heights.values()).size, of: [...heights] }).toMatchObject({ heights: 1 })
      }
    },
    60_000,
  )
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
