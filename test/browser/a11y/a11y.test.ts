/**
 * WCAG 2.2 AA, as far as a machine can see it: the real widget in Chromium against the real service, in every state.
 *
 * `A11Y_WRITE=1 npm run test:only -- test/browser/a11y` writes what is measured here into docs/widget/accessibility.md; otherwise
 * that page must be current. `SCREENSHOTS=1` leaves pictures in build/screenshots/, and renews those of README.
 */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { appearing, mediaOf, pressedByLetters, turned } from '../../support/access.ts'
import { askAxe, brokenRules } from '../../support/axe.ts'
import { browser, inChromium } from '../stage.ts'
import {
  announced,
  contrasts,
  focusRing,
  listen,
  misfits,
  ratioOf,
  readAloud,
  targets,
} from './measure.ts'
import { report, withResults } from './report.ts'
import {
  bring,
  cutOff,
  type Looks,
  put,
  reached,
  send,
  type Shown,
  SHOWN,
  SIZES,
  type Stage,
  startStage,
} from './stage.ts'

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa', 'best-practice']
const THEMES = ['light', 'dark'] as const
const PICTURES = process.env['SCREENSHOTS'] && 'build/screenshots'

let stage: Stage
let context: BrowserContext
let page: Page

inChromium()
beforeAll(async () => {
  stage = await startStage()
  if (PICTURES) mkdirSync(PICTURES, { recursive: true })
})

async function openPage(options: BrowserContextOptions = {}): Promise<void> {
  await context?.close()
  context = await browser.newContext({ ...(PICTURES && { deviceScaleFactor: 2 }), ...options })
  page = await context.newPage()
}
const reach = (shown: Shown, looks?: Looks): Promise<void> => bring(page, stage, shown, looks)
const until = (state: string): Promise<void> => reached(page, state)
const openButton = () => page.locator('.svc-captcha .asking .retry[aria-disabled=false]')

/** What has the focus: a class, an id or a name. */
const focused = (): Promise<string> =>
  page.evaluate(() => {
    let one = document.activeElement
    while (one?.shadowRoot?.activeElement) one = one.shadowRoot.activeElement
    return one?.className || one?.id || one?.getAttribute('name') || ''
  })
/** Puts the focus into the field, and presses Tab. */
async function tabFromField(times: number): Promise<void> {
  await page.locator('[name=email]').focus()
  for (let time = 0; time < times; time++) await page.keyboard.press('Tab')
}

const moving = (): Promise<number> =>
  page.locator('.svc-captcha .box').evaluate((box) => box.getAnimations({ subtree: true }).length)

/** The button beside the box, by its text. */
const buttonOf = (shown: Shown): string | undefined => {
  if (shown === 'asked' || shown === 'asking') return 'Please confirm'
  return ['failed', 'unsent', 'lost', 'refused', 'offline'].includes(shown)
    ? 'Try again'
    : undefined
}
const isBusy = (shown: Shown): boolean =>
  ['working', 'holding', 'waiting', 'confirmed'].includes(shown)

/** By size: the heights of the states of a visit without errors. */
let heights: Record<string, Set<number>> = {}
async function noteHeights(shown: Shown): Promise<void> {
  if (!['idle', 'working', 'holding', 'ready', 'verified'].includes(shown)) return
  await page.setViewportSize({ width: 420, height: 600 })
  for (const size of ['normal', 'compact', 'flexible']) {
    await put(page, 'size', size)
    const { height } = (await page.locator('.svc-captcha').boundingBox())!
    ;(heights[size] ??= new Set()).add(height)
  }
}
const jumps = (): string[] => Object.keys(heights).filter((size) => heights[size]!.size > 1)

/** WCAG 1.4.12. */
const SPACED =
  '* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important }'

/** Looks at a small screen in every size, as after a zoom of 400 %, with text of 200 % and with spaced text. */
async function smallScreenMisfits(): Promise<unknown[]> {
  const all: unknown[] = []
  await page.setViewportSize({ width: 320, height: 256 })
  for (const fontSize of ['', '200%']) {
    await page.evaluate((to) => {
      document.documentElement.style.fontSize = to
    }, fontSize)
    for (const size of SIZES) {
      await put(page, 'size', size)
      const found = (await misfits(page)).filter(
        (one) => !fontSize || !one.startsWith('the page is'),
      )
      all.push(...found.map((misfit) => ({ size, fontSize, misfit })))
    }
  }
  await page.setViewportSize({ width: 640, height: 512 })
  await put(page, 'size', 'normal')
  await page.evaluate((rules) => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(rules)
    const root = document
      .querySelector('.svc-captcha')!
      .shadowRoot!.querySelector('svc-captcha-box')!.shadowRoot!
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet]
  }, SPACED)
  return [...all, ...(await misfits(page))]
}

/** Under forced colours: what each state draws. */
const drawings = new Map<string, Shown>()

describe.each(SHOWN)('%s', (shown) => {
  beforeAll(async () => {
    // Without transitions, so that every colour is final.
    await openPage({ reducedMotion: 'reduce' })
    await reach(shown)
  })

  test.each(THEMES)('axe-core finds no violation, %s', async (theme) => {
    await put(page, 'theme', theme)
    if (PICTURES) {
      const path = `${PICTURES}/${theme}-${shown}.png`
      await page.locator('.svc-captcha .box').screenshot({ path })
      if (shown === 'verified') copyFileSync(path, `docs/pictures/widget-${theme}.png`)
    }
    const results = await askAxe(page, { runOnly: { type: 'tag', values: TAGS } })
    expect(brokenRules(results)).toEqual([])
    const rules = results.passes.map(({ id }) => id)
    // The rules that look into the widget did look.
    expect(rules).toEqual(
      expect.arrayContaining(['aria-allowed-attr', 'color-contrast', 'button-name', 'target-size']),
    )
    report.rules.push(rules.length)
    report.version = results.testEngine.version
  })

  test.each(THEMES)('text and marks stand out, with forced colours too, %s', async (theme) => {
    await put(page, 'theme', theme)
    const found = await contrasts(page)
    expect(found.map(({ what }) => what)).toEqual(expect.arrayContaining(['label', 'status']))
    await page.emulateMedia({ contrast: 'more', reducedMotion: 'reduce' })
    const more = await contrasts(page)
    await page.emulateMedia({ contrast: null, reducedMotion: 'reduce' })
    await page.emulateMedia({ forcedColors: 'active', colorScheme: theme, reducedMotion: 'reduce' })
    const forced = await contrasts(page)
    // Before and after its button is enabled, the button announces the step.
    const drawing = await page
      .locator(`.svc-captcha ${shown.startsWith('ask') ? '.retry' : '.mark'}`)
      .screenshot()
    await page.emulateMedia({ forcedColors: 'none', colorScheme: 'light', reducedMotion: 'reduce' })
    expect([...found, ...more, ...forced].filter(({ ratio, least }) => !(ratio >= least))).toEqual(
      [],
    )
    // The states differ by more than colour.
    const isOwn = [
      'idle',
      'working',
      'asked',
      'asking',
      'ready',
      'verified',
      'expired',
      'failed',
    ].includes(shown)
    const drawn = theme + drawing.toString('base64')
    expect(isOwn ? drawings.get(drawn) : undefined).toBeUndefined()
    if (isOwn) drawings.set(drawn, shown)
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
    const tree = await readAloud(page)
    const of = (role: string) => tree.filter((node) => node['role'] === role)
    const names = (nodes: typeof tree): string[] => nodes.map((node) => node['name']!)
    expect(names(of('group'))).toEqual(['Human verification'])
    expect(of('checkbox')).toMatchObject([{ name: 'I am human', checked: String(isDone) }])
    expect(/^(true|1)$/.test(of('checkbox')[0]!['busy'] ?? '')).toBe(isBusy(shown))
    const isLive = (node: (typeof tree)[0]) =>
      /^(status|alert)$/.test(node['role']!) || node['live'] === 'assertive'
    expect(tree.filter(isLive)).toMatchObject([{ role: 'status', live: 'polite' }])
    expect(names(of('button')).sort()).toEqual([buttonOf(shown) ?? [], 'Send'].flat().sort())
    const disabled = tree.filter((node) => node['disabled'] === 'true')
    expect(names(disabled)).toEqual(shown === 'asked' ? ['Please confirm'] : [])
    // Drawings are silent.
    expect(tree.filter((node) => /^(img|image|graphics)/i.test(node['role']!))).toEqual([])
  })

  test('nothing is cut off on a small screen, with large text or with spaced text', async () => {
    await noteHeights(shown)
    expect(await smallScreenMisfits()).toEqual([])
  })

  test('it says the same upright and lengthwise, and has no picture, sound or video', async () => {
    const [upright, wide] = await turned(page, '.svc-captcha .box')
    expect([upright, await mediaOf(page, '.svc-captcha')]).toEqual([wide, []])
  })

  test('nothing flashes: what moves again and again takes a third of a second or more', async () => {
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    const times = await page
      .locator('.svc-captcha .box')
      .evaluate((box) =>
        box.getAnimations({ subtree: true }).map(({ effect }) => effect!.getComputedTiming()),
      )
    await page.emulateMedia({ reducedMotion: 'reduce' })
    const repeated = times.filter(({ iterations }) => iterations !== 1)
    expect(repeated.length > 0).toBe(isBusy(shown))
    expect(repeated.filter(({ duration }) => Number(duration) < 1000 / 3)).toEqual([])
  })
})

test('the page does not jump while all goes well', () => {
  expect([Object.keys(heights), jumps()]).toEqual([['normal', 'compact', 'flexible'], []])
})

/** States whose line or button differs most. */
test.each([
  ['de', ['idle', 'working', 'holding', 'asking', 'ready', 'verified', 'unsent', 'misplaced']],
  ['ar', ['idle', 'working', 'holding', 'ready', 'verified', 'asking', 'unsent']],
] as const)(
  'in %s nothing is cut off on a small screen, and the page does not jump',
  async (language, states) => {
    await openPage({ reducedMotion: 'reduce' })
    heights = {}
    for (const shown of states) {
      await reach(shown, { language })
      await noteHeights(shown)
      expect({ shown, misfits: await smallScreenMisfits() }).toEqual({ shown, misfits: [] })
    }
    expect(jumps()).toEqual([])
  },
)

describe('the live region', () => {
  beforeEach(() => openPage())

  test('announces each thing once, through a whole flow', async () => {
    await reach('idle')
    await listen(page)
    await page.getByLabel('Email').fill('a@example.com')
    await until('ready')
    await send(page)
    await until('verified')
    const lines = await announced(page)
    expect(lines).toEqual([
      'Checking…',
      'Ready',
      expect.stringContaining('your form is sent'),
      'Verified',
    ])
    report.lines.push(...lines)
  })

  test('announces once that a form was not sent, and nothing else about it', async () => {
    await reach('ready')
    await listen(page)
    await cutOff(page)
    await send(page)
    await until('failed')
    const lines = await announced(page)
    expect(lines.filter((line, at) => line === lines[at - 1])).toEqual([])
    expect(lines.filter((line) => line.includes('was not sent'))).toHaveLength(1)
    report.lines.push(...lines)
  })

  test('announces each part of the step once', async () => {
    await reach('ready', { step: true })
    await listen(page)
    await send(page)
    await openButton().click()
    await until('verified')
    const lines = await announced(page)
    const held = expect.stringContaining('your form is sent')
    expect(lines).toEqual([held, 'Please confirm', held, 'Verified'])
    report.lines.push(...lines)
  })

  test('is silent while progress moves', async () => {
    await reach('working')
    await listen(page)
    await page.waitForTimeout(1500)
    expect(await announced(page)).toEqual([])
  })
})

describe('the keyboard alone', () => {
  beforeEach(() => openPage({ reducedMotion: 'reduce' }))

  test('reaches the check box between field and button, and leaves again both ways', async () => {
    await reach('idle')
    const order: string[] = []
    for (const key of ['Tab', 'Tab', 'Tab', 'Shift+Tab', 'Shift+Tab']) {
      await page.keyboard.press(key)
      order.push(await focused())
    }
    expect(order).toEqual(['email', 'mark', 'send', 'mark', 'email'])
  })

  test.each(['Space', 'Enter'])('%s on the check box renews what has expired', async (key) => {
    await reach('expired')
    await tabFromField(1)
    expect(await focused()).toBe('mark')
    const before = stage.customer.submissions.length
    await page.keyboard.press(key)
    await until('ready')
    expect(await focused()).toBe('mark')
    expect(stage.customer.submissions).toHaveLength(before)
  })

  test('"Try again" is reached, sends the held form, and the focus does not fall out of the widget', async () => {
    await reach('unsent')
    const before = stage.customer.submissions.length
    await tabFromField(2)
    expect(await focused()).toBe('retry')
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.keyboard.press('Enter')
    await until('verified')
    expect(await focused()).toBe('mark')
    await stage.received(before + 1)
    expect(stage.customer.submissions.at(-1)).toMatchObject({ verdict: { success: true } })
  })

  test.each(['Space', 'Enter'])(
    '%s on the step does nothing while its button is disabled, and then sends the held form',
    async (key) => {
      await reach('ready', { step: true })
      const before = stage.customer.submissions.length
      await send(page)
      await page.locator('.svc-captcha .asking .retry').waitFor()
      await tabFromField(2)
      expect(await focused()).toBe('retry')
      await page.keyboard.press(key)
      await openButton().waitFor()
      await page.keyboard.press(key)
      await until('verified')
      expect(await focused()).toBe('mark')
      await stage.received(before + 1)
    },
  )

  test.each(THEMES)('shows where it is, %s', async (theme) => {
    await reach('unsent', { theme })
    const box = page.locator('.svc-captcha')
    await tabFromField(0)
    const before = await box.screenshot()
    for (const what of ['mark', 'retry']) {
      await page.keyboard.press('Tab')
      expect(await focused()).toBe(what)
      const ring = await focusRing(page)
      expect(ring?.px).toBeGreaterThanOrEqual(2)
      const ratio = ratioOf(ring!.over, ring!.under)
      expect(ratio).toBeGreaterThanOrEqual(3)
      expect((await box.screenshot()).equals(before)).toBe(false)
      report.contrasts.push({
        shown: 'unsent',
        theme,
        what: `focus ring, ${what}`,
        ratio,
        least: 3,
      })
    }
  })
})

test('no text appears where the pointer rests', async () => {
  await openPage({ reducedMotion: 'reduce' })
  await reach('expired')
  expect(await appearing(page, '.svc-captcha .box')).toEqual([])
})

test('letters alone press nothing', async () => {
  await openPage({ reducedMotion: 'reduce' })
  await reach('expired')
  expect(await pressedByLetters(page)).toEqual([])
  await until('expired')
})

test.each([
  ['de', 'ltr'],
  ['ar', 'rtl'],
])('its texts are marked with their own language: %s', async (language, dir) => {
  await openPage({ reducedMotion: 'reduce' })
  // The page around it is in English.
  await reach('idle', { language })
  const texts = JSON.parse(readFileSync(`widget/src/texts/${language}.json`, 'utf8')) as {
    label: string
  }
  const box = page.locator(`.svc-captcha .box[lang=${language}][dir=${dir}]`)
  expect(await box.locator('.label').innerText()).toBe(texts.label)
})

test('two keys, pressed as a switch steps and selects, send the form and take the step', async () => {
  await openPage({ reducedMotion: 'reduce' })
  await reach('idle', { step: true })
  const before = stage.customer.submissions.length
  /** Steps until the wanted control has the focus, and selects it. */
  async function select(wanted: string): Promise<void> {
    for (let steps = 0; (await focused()) !== wanted; steps++) {
      if (steps > 20) throw new Error(`${wanted} is not reached`)
      await page.keyboard.press('Tab')
    }
    await page.keyboard.press('Space')
  }
  await select('send')
  await openButton().waitFor()
  await page.locator('h1').click()
  await select('retry')
  await until('verified')
  await stage.received(before + 1)
  expect(stage.customer.submissions).toHaveLength(before + 1)
})

test('nothing moves for those who asked for it, and something does for the others', async () => {
  await openPage()
  await reach('working')
  expect(await moving()).toBeGreaterThan(0)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  expect(await moving()).toBe(0)
  expect(await page.locator('.svc-captcha [role=status]').innerText()).toBe('Checking…')
})

test('docs/widget/accessibility.md has every state, and what was measured', () => {
  const file = 'docs/widget/accessibility.md'
  const measured = withResults(readFileSync(file, 'utf8'))
  if (process.env['A11Y_WRITE'] === '1') writeFileSync(file, measured)
  expect(readFileSync(file, 'utf8')).toBe(measured)
  expect(SHOWN.filter((shown) => !measured.includes(`\n| ${shown} |`))).toEqual([])
})
