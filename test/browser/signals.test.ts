import { expect, test } from '@jest/globals'
import type { CDPSession, Page } from 'playwright-core'
import { SIGNALS } from '../../src/score/signals.ts'
import type { WireSignals } from '../../src/wire.ts'
import { begin, form, inChromium, on } from './stage.ts'

/** What the widget sees of a visit in Chromium, what it does not tell, and what the page notices of it: nothing. */
inChromium(() => begin())

/** The summary that was handed in. */
async function summary(): Promise<WireSignals> {
  await on.until('ready')
  await on.page.getByText('Send').click()
  await on.arrived(1)
  const body = new URLSearchParams(on.calls('solve')[0]!.postData()!)
  return JSON.parse(body.get('signals')!) as WireSignals
}

async function open(): Promise<void> {
  await on.page.goto(on.customer.url)
  await on.until('idle')
}

test('a driver that types and clicks shows itself in several ways', async () => {
  await open()
  const email = on.page.getByLabel('Email')
  await email.click()
  await email.pressSequentially('ADA@Example.com', { delay: 20 })
  const { automation, input } = await summary()
  expect(automation).toMatchObject({ webdriver: 1, console: 1, artefacts: 0 })
  expect(input!.centred).toBe(2)
  expect(input!.keys).toBe(15)
  expect(input!.untrusted).toBeUndefined()
})

test('a script of the page makes untrusted events only', async () => {
  on.customer.page += `<script>addEventListener('load', () => setTimeout(() => {
    const field = document.querySelector('[name=email]')
    for (const name of ['pointermove', 'pointerdown', 'keydown', 'keyup', 'click', 'input']) field.dispatchEvent(new Event(name, { bubbles: true }))
    document.title = 'done'
  }, 1500))</script>`
  await open()
  await on.page.waitForFunction("document.title === 'done'")
  await on.page.getByLabel('Email').focus()
  expect((await summary()).input!.untrusted).toBe(6)
})

test('no typed text, no place and no movement leaves the browser: whole numbers only, 2 kB at most', async () => {
  await open()
  await on.page.getByLabel('Email').pressSequentially('private@example.com')
  await on.page.mouse.move(321, 123, { steps: 30 })
  const told = await summary()
  // The proof's answers are lists; all else is a family of names and numbers.
  const values = Object.values(told).flatMap((family) => (Object.values(family as object) as unknown[]).flat())
  expect(values.filter((value) => !Number.isInteger(value))).toEqual([])
  expect(JSON.stringify(told)).not.toMatch(/private|example/)
  expect(JSON.stringify(told).length).toBeLessThan(2048)
})

test('the page notices nothing: no node of ours outside the container, no property of its objects changed', async () => {
  await on.page.addInitScript(() => {
    const look = (): string =>
      [window, document, navigator, Navigator.prototype, Document.prototype, Event.prototype, Error]
        .map((of) => Object.getOwnPropertyNames(of).join())
        .join('\n')
    const seen: string[] = []
    Object.assign(window, { seen, before: '', look })
    document.addEventListener('DOMContentLoaded', () => {
      new MutationObserver((records) => {
        for (const { target, addedNodes } of records)
          // The proof lays something out off screen, and has taken it away before anybody can look.
          if (!(target as Element).closest('.svc-captcha'))
            seen.push(...[...addedNodes].filter((node) => node.isConnected).map((node) => node.nodeName))
      }).observe(document, { childList: true, subtree: true })
    })
  })
  await open()
  const before = await on.page.evaluate('look()')
  await on.page.getByLabel('Email').pressSequentially('a@example.com')
  await on.until('ready')
  expect(await on.page.evaluate('look()')).toBe(before)
  expect(await on.page.evaluate('seen')).toEqual([])
  expect(await on.page.evaluate('frames.length')).toBe(0)
})

test.each([{ page: 'without a console', script: 'window.console = undefined' }])(
  'a page $page still gets its token',
  async ({ script }) => {
    on.customer.page = `<script>${script}</script>${form(on.service.base)}`
    await on.page.goto(on.customer.url)
    await on.page.getByLabel('Email').fill('a@example.com')
    expect(await summary()).toMatchObject({ v: 1, work: {} })
  },
)

/** What a visit does between the loading of the page and the submit. */
type Visit = (page: Page, devtools: CDPSession) => Promise<void>

/** The members that a visit reports, as `family.name`; a member of an input that never happened is left out by the widget. */
async function reported(visit: Visit): Promise<string[]> {
  await begin()
  await open()
  await visit(on.page, await on.page.context().newCDPSession(on.page))
  return Object.entries(await summary()).flatMap(([family, members]) =>
    family === 'v' || family === 'proof' ? [] : Object.keys(members as object).map((name) => `${family}.${name}`),
  )
}

/** Types, presses, moves in a line of even steps, pastes, touches. */
async function useAll(page: Page, devtools: CDPSession): Promise<void> {
  const email = page.getByLabel('Email')
  await email.click()
  await email.pressSequentially('ADA@Example.com', { delay: 20 })
  // Two keys held at once.
  await page.keyboard.down('a')
  await page.keyboard.down('b')
  await page.keyboard.up('a')
  await page.keyboard.up('b')
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.press('ControlOrMeta+C')
  await page.keyboard.press('ControlOrMeta+V')
  await page.mouse.move(20, 20)
  for (let i = 1; i <= 20; i++) await page.mouse.move(20 + 15 * i, 20 + 10 * i)
  await page.mouse.down()
  await page.mouse.up()
  const move = (x: number): Promise<unknown> =>
    devtools.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x, y: 30, pointerType: 'mouse' })
  await Promise.all(Array.from({ length: 40 }, (_, i) => move(30 + 3 * i)))
  // A press without pressure, as debuggers make it: Playwright's own have some.
  const button = { x: 30, y: 30, button: 'left', buttons: 1, clickCount: 1, pointerType: 'mouse', force: 0 } as const
  await devtools.send('Input.dispatchMouseEvent', { type: 'mousePressed', ...button })
  await devtools.send('Input.dispatchMouseEvent', { type: 'mouseReleased', ...button })
  const touchPoints = [{ x: 5, y: 5 }]
  await devtools.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints })
  await devtools.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
}

/** A script of the page. */
const useOddly: Visit = async (page) => {
  await page.getByLabel('Email').press('x')
  await page.evaluate(() => document.body.dispatchEvent(new Event('click', { bubbles: true })))
}

/** Only a second try, by a ticket, has these members. */
const OF_A_STEP = 'step'

test('each member of SIGNALS is measured in one of two visits', async () => {
  const all = Object.entries(SIGNALS).flatMap(([family, members]) =>
    family === OF_A_STEP ? [] : Object.keys(members).map((name) => `${family}.${name}`),
  )
  const seen = new Set(await reported(useOddly))
  const missing = (): string[] => all.filter((name) => !seen.has(name))
  // Two moves in one frame need a moment in which the machine draws none.
  for (let tries = 0; tries < 8 && missing().length > 0; tries++)
    for (const name of await reported(useAll)) seen.add(name)
  expect(missing()).toEqual([])
}, 180_000)
