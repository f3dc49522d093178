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
  expect(automation).toMatchObject({ webdriver: 1, console: 1, artefacts: 0, altered: 0 })
  expect(input!.bareCapitals).toBe(4)
  expect(input!.centred).toBe(2)
  expect(input!.jumps).toBe(1)
  expect(input!.timedKeys).toBe(15)
  expect(input!.untrusted).toBeUndefined()
  expect(input!.autofills).toBeUndefined()
})

test('a field filled in one piece is told from paste and autofill', async () => {
  await open()
  await on.page.getByLabel('Email').focus()
  await on.page.keyboard.insertText('somebody@example.com')
  expect((await summary()).input).toMatchObject({ wholeTexts: 1 })
})

test('the text of a key that waits for a busy page came by hand', async () => {
  on.customer.page += `<script>addEventListener('keydown', () => {
    for (const end = performance.now() + 700; performance.now() < end;);
  })</script>`
  await open()
  await on.page.getByLabel('Email').press('a')
  const { input } = await summary()
  expect(input).toMatchObject({ keys: 1 })
  expect(input).not.toHaveProperty('bareTexts')
})

test('a script of the page makes untrusted events only, and an address keeps it from being a driver', async () => {
  on.customer.page += `<script>addEventListener('load', () => setTimeout(() => {
    const field = document.querySelector('[name=email]')
    for (const name of ['pointermove', 'pointerdown', 'keydown', 'keyup', 'click', 'input']) field.dispatchEvent(new Event(name, { bubbles: true }))
    document.title = 'done'
  }, 1500))</script>`
  await open()
  await on.page.waitForFunction("document.title === 'done'")
  await on.page.getByLabel('Email').focus()
  const { automation, input } = await summary()
  expect(input!.untrusted).toBe(6)
  expect(automation!.scripted).toBe(0)
})

test('a driver that moves the focus or raises events from inside the page is a script without an address', async () => {
  await open()
  await on.page.evaluate(() => {
    const field = document.querySelector<HTMLInputElement>('[name=email]')!
    field.focus()
    for (const name of ['keydown', 'keyup']) field.dispatchEvent(new Event(name, { bubbles: true }))
  })
  const { automation, input } = await summary()
  expect(input!.untrusted).toBe(2)
  expect(automation!.scripted).toBe(3)
})

test('a long way in a few steps is a jump', async () => {
  await open()
  await on.page.getByLabel('Email').click()
  await on.page.mouse.move(500, 400, { steps: 4 })
  await on.page.mouse.down()
  await on.page.mouse.up()
  // And one on the way to the button.
  expect((await summary()).input!.jumps).toBe(2)
})

test('letters that come without a key are counted, and typed ones are not', async () => {
  await open()
  await on.page.getByLabel('Email').pressSequentially('a@b')
  await on.page.waitForTimeout(600)
  for (const letter of 'example') await on.page.keyboard.insertText(letter)
  expect((await summary()).input).toMatchObject({ bareTexts: 7, timedKeys: 3 })
})

test('a fresh navigator says otherwise than one that was changed in this window alone', async () => {
  on.customer.page += `<script>
    Object.defineProperty(navigator, 'hardwareConcurrency', { value: 64 })
    Object.defineProperty(Navigator.prototype, 'vendor', { get: () => 'Nobody' })
  </script>`
  await open()
  await on.page.getByLabel('Email').focus()
  // Two values, one own property and one replaced getter.
  expect((await summary()).automation!.altered).toBe(4)
})

test('replaced natives are counted, those of privacy extensions are not', async () => {
  await on.page.addInitScript(() => {
    const hide = (owner: object, name: string, get: () => unknown): void => {
      Object.defineProperty(owner, name, { get, configurable: true })
    }
    hide(Navigator.prototype, 'webdriver', () => false)
    hide(Navigator.prototype, 'languages', () => ['en'])
    hide(Screen.prototype, 'width', () => 1000)
    HTMLCanvasElement.prototype.toDataURL = () => ''
  })
  await open()
  await on.page.getByLabel('Email').focus()
  expect((await summary()).automation).toMatchObject({ webdriver: 0, altered: 2 })
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

test.each([
  { page: 'that keeps no stacks', script: 'Error.stackTraceLimit = 0' },
  { page: 'that makes stacks of its own', script: "Error.prepareStackTrace = () => ({ no: 'text' })" },
  { page: 'whose stacks throw', script: "Error.prepareStackTrace = () => { throw new Error('mine') }" },
  { page: 'without a console', script: 'window.console = undefined' },
  {
    page: 'without permissions',
    script: "Object.defineProperty(Navigator.prototype, 'permissions', { get() { throw new Error('no') } })",
  },
])('a page $page still gets its token', async ({ script }) => {
  on.customer.page = `<script>${script}</script>${form(on.service.base)}`
  await on.page.goto(on.customer.url)
  await on.page.getByLabel('Email').fill('a@example.com')
  expect(await summary()).toMatchObject({ v: 1, work: {} })
})
