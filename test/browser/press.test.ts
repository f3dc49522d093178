/** A press on "Send" is answered: in the background too, where the visitor looks, and as long as the press counts. */
import { afterEach, describe, expect, test } from '@jest/globals'
import puppeteer, { type Browser, type Page } from 'puppeteer-core'
import { seconds } from '../../src/domain/words.ts'
import type { SvcCaptcha } from '../../widget/captcha.d.ts'
import { ENGLISH } from '../../widget/src/texts.ts'
import { container } from '../support/customer.ts'
import { chromiumProgram, FLAGS } from '../support/chromium.ts'
import { type Backstage, backstage, begin, inChromium, MANAGED, on } from './stage.ts'

declare const svcCaptcha: SvcCaptcha

// Playwright switches the popup blocker off.
inChromium(undefined, [], ['--disable-popup-blocking'])

describe('in a tab that the visitor leaves', () => {
  /** About a second of work, so that the tab is left in the midst of it. */
  const WORK = { level: 6, maxLevel: 8, humanCost: seconds(60), fallback: false }
  let browser: Browser
  let behind: Backstage
  let page: Page
  // Playwright emulates the focus, and its tabs are never hidden.
  async function open(): Promise<void> {
    behind = await backstage({ work: WORK })
    browser = await puppeteer.launch({ ...chromiumProgram(), headless: true, args: [...FLAGS] })
    page = await browser.newPage()
    await page.goto(behind.customer.url)
    await page.waitForFunction(() => 'svcCaptcha' in window)
  }
  async function leave(): Promise<void> {
    await (await browser.newPage()).bringToFront()
    expect(await page.evaluate(() => document.hidden)).toBe(true)
  }
  afterEach(async () => {
    await browser.close()
    await behind.close()
  })

  test('a pressed form is sent', async () => {
    await open()
    await page.focus('[name=email]')
    await page.keyboard.press('Enter')
    await leave()
    expect((await behind.received(1)).verdict['success']).toBe(true)
  })

  test('a form that is only being filled in costs nothing until the visitor is back', async () => {
    await open()
    const state = () =>
      page.evaluate(
        () =>
          document
            .querySelector('.svc-captcha')!
            .shadowRoot!.querySelector('svc-captcha-box')!
            .shadowRoot!.querySelector('.box')!.className,
      )
    await leave()
    // A field of a hidden tab cannot be focused.
    await page.$eval('[name=email]', (field) =>
      field.dispatchEvent(new Event('input', { bubbles: true })),
    )
    await new Promise((resolve) => setTimeout(resolve, 3000))
    expect(await state()).toContain('working')
    await page.bringToFront()
    while (!(await state()).includes('ready'))
      await new Promise((resolve) => setTimeout(resolve, 50))
  })
})

describe('an answer to the press is seen, and can be pressed, where the box is', () => {
  const BOX = container('SERVICE', 'ATTRIBUTES')
  const GO = '<button id="go">Send</button>'
  const PLACES = {
    'beside the button': BOX + GO,
    'in a step that is over': `<div hidden>${BOX}</div>${GO}`,
    'in a closed details': `<details><summary>More</summary>${BOX}</details>${GO}`,
    'in a details inside another one': `<details><summary>a</summary><details><summary>b</summary>${BOX}</details></details>${GO}`,
    'far below the button': `${GO}<div style="height: 3000px"></div>${BOX}`,
    'in a column that scrolls': `<div style="height: 50px; overflow: auto"><div style="height: 500px"></div>${BOX}</div>${GO}`,
    'under a dialog': `${BOX}<dialog>${GO.replace('>', ' form="form">')}</dialog>`,
    inert: `<div inert>${BOX}</div>${GO}`,
    'off canvas': `<div style="position: fixed; left: -9999px">${BOX}</div>${GO}`,
    'without height': `<div style="height: 0; overflow: hidden">${BOX}</div>${GO}`,
    'without opacity': `<div style="opacity: 0">${BOX}</div>${GO}`,
    'in a part that is not rendered': `<div style="content-visibility: hidden">${BOX}</div>${GO}`,
  }
  const open = (place: keyof typeof PLACES, attributes = ''): Promise<unknown> =>
    on.open(`<form id="form" method="post" action="/handle"><input name="email">${PLACES[place].replace('ATTRIBUTES', attributes)}</form>
      <script>document.querySelector('dialog')?.showModal()</script>`)
  /** Whether the middle of the box is what the visitor sees there. */
  const isSeen = (): Promise<boolean> =>
    on.page.locator('svc-captcha-box .box').evaluate((box) => {
      const { left, top, width, height } = box.getBoundingClientRect()
      let hit = document.elementFromPoint(left + width / 2, top + height / 2)
      while (hit?.shadowRoot)
        hit = hit.shadowRoot.elementFromPoint(left + width / 2, top + height / 2)
      return box.checkVisibility({ opacityProperty: true }) && !!hit && box.contains(hit)
    })
  const HIDDEN = /step|dialog|inert|canvas|height|opacity|rendered/

  test.each(Object.keys(PLACES) as (keyof typeof PLACES)[])(
    '%s, when the service is away',
    async (place) => {
      await begin()
      await open(place, 'data-retry="never"')
      await on.page.route('**/api/v1/**', (route) => route.abort())
      await on.page.locator('#go').click()
      await on.until('failed')
      expect([await isSeen(), await on.status()]).toEqual([true, ENGLISH.unsent])
      expect(on.said.join().includes('svc-captcha: 110')).toBe(HIDDEN.test(place))
      await on.page.unroute('**/api/v1/**')
      await on.page.getByRole('button', { name: ENGLISH.retry }).click()
      expect((await on.arrived(1)).verdict['success']).toBe(true)
    },
  )

  test.each([
    'in a step that is over',
    'in a closed details',
    'far below the button',
    'under a dialog',
  ] as const)('%s, when the step is asked for', async (place) => {
    await begin(MANAGED)
    await open(place)
    await on.page.locator('#go').click()
    await on.until('asking')
    expect(await isSeen()).toBe(true)
    await on.page.getByRole('status').getByText(ENGLISH.confirm).waitFor({ state: 'attached' })
    await on.confirm()
    expect((await on.arrived(1)).verdict['success']).toBe(true)
  })

  test('a box that had to be moved goes back, and takes the focus with it only from the button', async () => {
    await begin()
    await open('in a step that is over', 'data-retry="never"')
    await on.page.route('**/api/v1/**', (route) => route.abort())
    await on.page.locator('#go').press('Enter')
    await on.until('failed')
    const focused = () => on.page.evaluate(() => document.activeElement!.localName)
    expect(await focused()).toBe('svc-captcha-box')
    expect(
      await on.page.evaluate(() => document.querySelector('#go')!.nextElementSibling!.localName),
    ).toBe('svc-captcha-box')
    await on.page.evaluate(() => svcCaptcha.reset())
    await on.page.waitForFunction(() => document.querySelector('form > svc-captcha-box') === null)
  })
})

describe('a submit that opens a window', () => {
  const blank = (target: string): string =>
    `<form method="post" action="/handle" target="${target}"><input name="email">${container('SERVICE')}<button>Send</button></form><iframe name="inside"></iframe>`
  /** Holds the form for longer than Chromium remembers a press, 5 s. Nothing may be evaluated meanwhile: it counts as a press. */
  async function holdFor(operation: string, target = '_blank'): Promise<void> {
    await begin()
    await on.page.route(`**/api/v1/${operation}`, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 6000))
      await route.continue()
    })
    await on.open(blank(target))
    await on.until('idle')
    const answered = on.page.waitForEvent('requestfinished', (one) =>
      one.url().endsWith(`/${operation}`),
    )
    await on.press()
    await answered
    await new Promise((resolve) => setTimeout(resolve, 2000))
    await on.page.unroute(`**/api/v1/${operation}`)
  }

  test.each([
    ['challenge', 0],
    ['solve', 1],
  ])(
    'and is held for too long by %s asks for one more press, and sends that',
    async (operation, solves) => {
      await holdFor(operation)
      expect([await on.status(), on.calls('solve').length]).toEqual([ENGLISH.again, solves])
      expect(on.customer.submissions).toEqual([])
      await on.press()
      expect((await on.received(1)).verdict['success']).toBe(true)
      expect(on.calls('solve')).toHaveLength(1)
    },
  )

  test('is sent immediately after a fresh press, or late if it uses a frame of the page', async () => {
    await begin()
    await on.open(blank('_blank'))
    await on.press()
    expect((await on.received(1)).verdict['success']).toBe(true)
    await holdFor('challenge', 'inside')
    expect((await on.received(1)).verdict['success']).toBe(true)
  })
})
