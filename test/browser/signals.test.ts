import { describe, expect, test } from '@jest/globals'
import type { CDPSession, Page } from 'playwright-core'
import { SIGNALS } from '../../src/score/signals.ts'
import type { WireSignals } from '../../src/wire.ts'
import type { SvcCaptcha } from '../../widget/captcha.d.ts'
import { begin, inChromium, on } from './stage.ts'

declare const svcCaptcha: SvcCaptcha

/** What the widget measures of a visit in Chromium, and that the page notices nothing of it. */
inChromium(() => begin())

/** Sends the form, and returns the signals that went with it. */
async function summary(): Promise<WireSignals> {
  await on.until('ready')
  await on.press()
  await on.arrived(1)
  return on.signals()
}

test('a script of the page makes untrusted events only', async () => {
  await on.open()
  await on.page.evaluate(() => {
    const field = document.querySelector('[name=email]')!
    for (const name of ['pointermove', 'pointerdown', 'keydown', 'keyup', 'click', 'input'])
      field.dispatchEvent(new Event(name, { bubbles: true }))
  })
  await on.page.getByLabel('Email').focus()
  expect((await summary()).input!.untrusted).toBe(6)
})

test('no typed text, no place and no movement leaves the browser: whole numbers only, and the whole proof, in 2 kB', async () => {
  await on.open()
  await on.page.getByLabel('Email').click()
  await on.page.getByLabel('Email').pressSequentially('private@Example.com')
  await on.page.mouse.move(321, 123, { steps: 30 })
  const told = await summary()
  expect(told.proof).toHaveLength(3)
  // A driver shows itself in several ways.
  expect(told.automation).toMatchObject({ webdriver: 1, console: 1, artefacts: 0 })
  expect(told.input).toMatchObject({ centred: 2, keys: 19 })
  expect(told.input).not.toHaveProperty('untrusted')
  // The proof's answers are lists; all else is a family of names and numbers.
  const values = Object.values(told).flatMap((family) =>
    (Object.values(family as object) as unknown[]).flat(),
  )
  expect(values.filter((value) => !Number.isInteger(value))).toEqual([])
  expect(JSON.stringify(told)).not.toMatch(/private|example/)
  expect(JSON.stringify(told).length).toBeLessThan(2048)
})

test('the page is left unchanged: no node outside the container, no property of its objects', async () => {
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
          // The proof lays something out off screen, and removes it in the same task.
          if (!(target as Element).closest('.svc-captcha'))
            seen.push(
              ...[...addedNodes].filter((node) => node.isConnected).map((node) => node.nodeName),
            )
      }).observe(document, { childList: true, subtree: true })
    })
  })
  await on.open()
  const before = await on.page.evaluate('look()')
  await on.page.getByLabel('Email').pressSequentially('a@example.com')
  await on.until('ready')
  expect(await on.page.evaluate('[look(), seen, frames.length]')).toEqual([before, [], 0])
})

/** Types, presses, moves in a line of even steps, pastes, touches. */
async function useAll(page: Page, devtools: CDPSession): Promise<void> {
  const email = page.getByLabel('Email')
  await email.click()
  await email.pressSequentially('ADA@Example.com', { delay: 20 })
  // Two keys held at once.
  for (const key of ['a', 'b']) await page.keyboard.down(key)
  for (const key of ['a', 'b']) await page.keyboard.up(key)
  for (const key of ['A', 'C', 'V']) await page.keyboard.press(`ControlOrMeta+${key}`)
  await page.mouse.move(20, 20)
  for (let i = 1; i <= 20; i++) await page.mouse.move(20 + 15 * i, 20 + 10 * i)
  await page.mouse.down()
  await page.mouse.up()
  const move = (x: number): Promise<unknown> =>
    devtools.send('Input.dispatchMouseEvent', {
      type: 'mouseMoved',
      x,
      y: 30,
      pointerType: 'mouse',
    })
  await Promise.all(Array.from({ length: 40 }, (_, i) => move(30 + 3 * i)))
  // A press without pressure, as debuggers make it: Playwright's own have some.
  const button = {
    x: 30,
    y: 30,
    button: 'left',
    buttons: 1,
    clickCount: 1,
    pointerType: 'mouse',
    force: 0,
  } as const
  await devtools.send('Input.dispatchMouseEvent', { type: 'mousePressed', ...button })
  await devtools.send('Input.dispatchMouseEvent', { type: 'mouseReleased', ...button })
  const touchPoints = [{ x: 5, y: 5 }]
  await devtools.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints })
  await devtools.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
}

/** A driver that fills in at once, and a script of the page. */
async function useOddly(page: Page): Promise<void> {
  await page.getByLabel('Email').press('x')
  await page.getByLabel('Email').fill('ada@example.com')
  await page.evaluate(() => document.body.dispatchEvent(new Event('click', { bubbles: true })))
}

/** A script that fills in, and nobody who types. */
async function useByScript(page: Page): Promise<void> {
  await page.getByLabel('Email').evaluate((field: HTMLInputElement) => {
    field.value = 'ada@example.com'
    field.dispatchEvent(new Event('input', { bubbles: true }))
  })
}

/** The members that a visit reports, as `family.name`. */
async function reported(visit: typeof useAll): Promise<string[]> {
  await begin()
  await on.open()
  await visit(on.page, await on.page.context().newCDPSession(on.page))
  return Object.entries(await summary()).flatMap(([family, members]) =>
    family === 'v' || family === 'proof'
      ? []
      : Object.keys(members as object).map((name) => `${family}.${name}`),
  )
}

test('each member of SIGNALS is measured in one of three visits', async () => {
  const all = Object.entries(SIGNALS).flatMap(([family, members]) =>
    // Only a second try has those of the step.
    family === 'step' ? [] : Object.keys(members).map((name) => `${family}.${name}`),
  )
  const seen = new Set([...(await reported(useOddly)), ...(await reported(useByScript))])
  const missing = (): string[] => all.filter((name) => !seen.has(name))
  // Two moves in one frame need a moment in which the machine draws none.
  for (let tries = 0; tries < 8 && missing().length > 0; tries++)
    for (const name of await reported(useAll)) seen.add(name)
  expect(missing()).toEqual([])
}, 180_000)

describe('in the console', () => {
  /** What `console.debug` was given, in the page and in its workers. */
  const probes = (): string[] => [
    ...on.probes,
    ...on.said.filter((text) => text.includes('svc-captcha')),
  ]

  test('a visit makes one probe, which names itself, however many tokens it takes', async () => {
    await on.open()
    for (const solves of [1, 2]) {
      await on.page.evaluate(() => svcCaptcha.execute())
      expect(on.calls('solve')).toHaveLength(solves)
      expect(on.signals().automation).toMatchObject({ console: 1 })
      expect(probes()).toEqual([expect.stringContaining('Error: svc-captcha: a probe, no error')])
    }
    expect(on.workers.length).toBeGreaterThan(1)
  })

  test('data-console-probe="false" leaves it out, and the visit without a word about it', async () => {
    await on.openForm('data-console-probe="false"')
    const token = await on.page.evaluate(() => svcCaptcha.execute())
    expect(probes()).toEqual([])
    expect(Object.keys(on.signals().automation!)).toEqual(['webdriver', 'headless', 'artefacts'])
    expect(await on.verified(token)).toBe(true)
  })
})
