import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { Browser } from 'playwright-core'
import type { WireSignals } from '../../src/wire.ts'
import { form, launch, type Stage, stage } from './stage.ts'

/** What the widget sees of a visit in Chromium, what it does not tell, and what the page notices of it: nothing. */
let browser: Browser
let on: Stage
beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser.close())
beforeEach(async () => {
  on = await stage(browser)
})
afterEach(() => on.close())

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
