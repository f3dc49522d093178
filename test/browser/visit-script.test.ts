import { createHash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { container } from '../support/customer.ts'
import { ENGLISH } from '../../widget/src/texts.ts'
import { fetchForm, form, launch, type Stage, stage } from './stage.ts'

/** The second half of the widget, in Chromium: what is handed over, what is shared, and a visit without it. */
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

/** The errors that the page hears of: the number and the directives that are missing. */
async function listen(): Promise<() => Promise<unknown>> {
  await on.page.addInitScript(() => {
    const errors: unknown[] = []
    Object.assign(window, { errors })
    document.addEventListener('svc-captcha:error', (event) => {
      const { code, directives } = (event as CustomEvent<{ code: number; directives: string[] }>).detail
      errors.push([code, directives])
    })
  })
  return () => on.page.evaluate('errors')
}

const visits = (): string[] => on.requests.map((one) => one.url()).filter((url) => url.includes('captcha-visit'))

/** The families of the summary that was handed in. */
async function send(): Promise<string[]> {
  await on.page.getByLabel('Email').fill('a@example.com')
  await on.until('ready')
  await on.page.getByText('Send').click()
  await on.arrived(1)
  const body = new URLSearchParams(on.calls('solve')[0]!.postData()!)
  return Object.keys(JSON.parse(body.get('signals')!) as object).toSorted()
}

test('hands the summary over, and leaves nothing on the page', async () => {
  await on.page.goto(on.customer.url)
  await on.until('idle')
  const before = await on.page.evaluate('Object.keys(window).join()')
  expect(before).not.toMatch(/visit/i)
  expect(await on.page.locator('script').count()).toBe(1)
  expect(await send()).toEqual(['automation', 'environment', 'input', 'page', 'proof', 'v', 'work'])
})

test('is loaded once for all widgets of a language, and goes with the last of them', async () => {
  on.customer.page = form(on.service.base) + container(on.service.base) + container(on.service.base)
  await on.page.goto(on.customer.url)
  await on.page.locator('.svc-captcha .label >> nth=2').waitFor()
  await on.page.evaluate(() => {
    for (const one of document.querySelectorAll<HTMLElement>('div.svc-captcha')) window.svcCaptcha!.remove(one)
    window.svcCaptcha!.render('.svc-captcha')
  })
  expect(await send()).toContain('input')
  expect(visits()).toHaveLength(1)
})

test('that cannot be had: the widget works in English, the form arrives, and page and console hear of it', async () => {
  await on.page.route('**/captcha-visit-*', (route) => route.abort())
  on.customer.page = form(on.service.base, 'data-language="de"')
  const errors = await listen()
  await on.page.goto(on.customer.url)
  await on.page.getByLabel('Email').press('x')
  await on.until('ready')
  expect(await errors()).toEqual([[200, []]])
  expect(await send()).toEqual(['page', 'v', 'work'])
  expect(on.said.join('\n')).toContain('captcha-visit-de.js?v=1 could not be loaded')
})

test('that hangs does not hold the form up for long', async () => {
  await on.page.route('**/captcha-visit-*', () => {})
  await on.page.goto(on.customer.url)
  expect(await send()).toEqual(['page', 'v', 'work'])
})

/** Every line that the visitor has read so far. */
async function listenToLines(): Promise<() => Promise<string[]>> {
  await on.page.evaluate(() => {
    const lines: string[] = []
    Object.assign(window, { lines })
    const status = document.querySelector('.svc-captcha > div')!.shadowRoot!.querySelector('.status')!
    new MutationObserver(() => lines.push(status.textContent)).observe(status, { childList: true })
  })
  return () => on.page.evaluate<string[]>('lines')
}

// The page heard of it, and the visitor read "Verified" over a token that a threshold of 0.5 refuses.
test.each([
  { says: 'cannot be had', block: 'abort' },
  { says: 'never answers', block: 'hang' },
])(
  'that $says: nobody reads "Verified", the token goes all the same, and "Try again" gets a better one',
  async (row) => {
    await on.page.route('**/captcha-visit-*', (route) => (row.block === 'abort' ? route.abort() : undefined))
    on.customer.page = fetchForm(on.service.base)
    await on.open()
    await on.until('idle')
    const lines = await listenToLines()
    const signals = (index: number): string =>
      new URLSearchParams(on.calls('solve')[index]!.postData()!).get('signals') ?? ''

    await on.page.getByLabel('Email').fill('a@example.com')
    await on.until('ready')
    await on.page.getByText('Free').click()
    await on.received(1)
    expect(on.customer.submissions[0]!.verdict).toMatchObject({ success: true })
    expect(signals(0)).toContain('"bare":1')
    expect(await on.status()).toBe(ENGLISH.failed)
    expect(await lines()).not.toContain(ENGLISH.verified)

    await on.page.unrouteAll()
    await on.page.getByRole('button', { name: ENGLISH.retry }).click()
    await on.until('ready')
    await on.page.getByText('Free').click()
    await on.received(2)
    expect(signals(1)).not.toContain('"bare"')
    expect(signals(1)).toContain('"proof"')
    expect((await lines()).at(-1)).toBe(ENGLISH.verified)
  },
)

test('that a policy refuses: page and console are told what to add', async () => {
  on.customer.headers = { 'content-security-policy': `script-src ${on.service.base}/assets/captcha.js` }
  const errors = await listen()
  await on.page.goto(on.customer.url)
  await on.page.getByLabel('Email').press('x')
  await on.until('ready')
  expect(await errors()).toEqual([[205, [`script-src ${on.service.base}`]]])
  expect(await send()).toEqual(['page', 'v', 'work'])
  expect(on.said.join('\n')).toContain(`lacks "script-src ${on.service.base}"`)
})

/** A page that names the hash of captcha.js. */
async function pin(): Promise<void> {
  const script = await (await fetch(`${on.service.base}/assets/captcha.js?v=1`)).text()
  const hash = `sha384-${createHash('sha384').update(script).digest('base64')}`
  on.customer.script = `<script src="${on.service.base}/assets/captcha.js?v=1" integrity="${hash}" crossorigin="anonymous" nonce="r4nd0m" defer></script>`
}

test.each([
  { policy: '' },
  { policy: "script-src 'nonce-r4nd0m'" },
  {
    policy: "script-src 'nonce-r4nd0m' 'strict-dynamic'; require-trusted-types-for 'script'; trusted-types svc-captcha",
  },
])('is held to its hash where the page names that of the first half; German all the same ($policy)', async (row) => {
  await pin()
  on.customer.headers = row.policy ? { 'content-security-policy': row.policy } : {}
  on.customer.page = form(on.service.base, 'data-language="de"')
  await on.page.goto(on.customer.url)
  await on.page.getByText('Ich bin ein Mensch').waitFor()
  expect(await send()).toContain('input')
  expect(visits()).toEqual([`${on.service.base}/assets/captcha-visit-en.js?v=1`])
})

test('with another hash than it was built with, never runs on such a page', async () => {
  await pin()
  await on.page.route('**/captcha-visit-*', async (route) => {
    const answer = await route.fetch()
    await route.fulfill({ response: answer, body: `globalThis.ran = true;${await answer.text()}` })
  })
  await on.page.goto(on.customer.url)
  expect(await send()).toEqual(['page', 'v', 'work'])
  expect(await on.page.evaluate('globalThis.ran')).toBeUndefined()
})
