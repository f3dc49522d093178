/** What a visitor reads when a form was refused without a reload, or when our script did not load; and what error collectors record. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import type { SvcCaptcha } from '../../widget/captcha.d.ts'
import { ENGLISH } from '../../widget/src/texts.ts'
import { SITEKEY } from '../support/app.ts'
import { container } from '../support/customer.ts'
import { begin, inChromium, on } from './stage.ts'

declare const svcCaptcha: SvcCaptcha

inChromium(() => begin())

const PAGES = ['widget', 'javascript'].map((page) => readFileSync(`docs/widget/${page}.md`, 'utf8')).join('\n')
/** An example of docs/widget/, for our service. */
const example = (name: string): string =>
  new RegExp(`<!-- example: ${name} -->\n\`\`\`html\n(.*?)\`\`\``, 's')
    .exec(PAGES)![1]!
    .replaceAll('https://verify.example.com', on.service.base)
    .replaceAll('hv_site_yours', SITEKEY)

describe('a form that was not accepted, in a page that stays,', () => {
  test('says so in place of "Verified", by the recipe of the docs, and is sent with another token', async () => {
    await on.open(example('execute'))
    await on.fill()
    await on.until('ready')
    await on.page.route('**/sign-up', (route) => route.fulfill({ status: 422 }))
    await on.page.getByText('Sign up').click()
    await on.until('failed')
    expect(await on.status()).toBe(ENGLISH.refused)
    expect(await on.page.evaluate(() => svcCaptcha.getResponse())).toBe('')
    // A touch of the form does not remove the message.
    await on.page.getByLabel('Email').fill('b@example.com')
    expect(await on.status()).toBe(ENGLISH.refused)

    await on.page.unrouteAll({ behavior: 'ignoreErrors' })
    await on.page.getByText('Sign up').click()
    await on.received(1)
    expect(on.customer.submissions[0]!.verdict['success']).toBe(true)
    await on.page.waitForFunction(() => document.querySelector<HTMLOutputElement>('#said')!.value === 'sent')
  })

  test('is error 302, in the visitor’s language, and starts again at a press', async () => {
    await on.open(`<form>${container(on.service.base, 'data-language="de"')}</form>`)
    const told = await on.page.evaluate(async () => {
      await svcCaptcha.execute()
      return new Promise((resolve) => {
        document.addEventListener('svc-captcha:error', ({ detail }) => resolve(detail))
        svcCaptcha.refused()
      })
    })
    expect(told).toMatchObject({ code: 302, message: 'not accepted', retryable: true })
    const german = JSON.parse(readFileSync('widget/src/texts/de.json', 'utf8')) as typeof ENGLISH
    expect(await on.status()).toBe(german.refused)
    await on.page.getByRole('button', { name: german.retry }).click()
    await on.until('ready')
    expect(await on.verified(await on.page.evaluate(() => svcCaptcha.execute()))).toBe(true)
  })
})

/** The page says that the script has not loaded, and keeps its form. */
async function isHeld(): Promise<void> {
  await on.page.getByRole('alert').getByText('has not loaded').waitFor()
  expect(on.customer.submissions).toEqual([])
}

test.each([
  { when: 'blocked', how: (page: Page) => page.route('**/captcha.js*', (route) => route.abort()) },
  { when: 'never answered', how: (page: Page) => page.route('**/captcha.js*', () => {}) },
])('a script that is $when: the two lines of the docs keep the form and say so', async ({ how }) => {
  on.customer.script = ''
  on.customer.page = example('never-loads')
  await how(on.page)
  await on.page.goto(on.customer.url, { waitUntil: 'commit' })
  await on.page.getByText('Sign up').click()
  await isHeld()
  await on.page.unrouteAll({ behavior: 'ignoreErrors' })
  await on.open()
  await on.until('idle')
  expect(await on.page.getByRole('alert').count()).toBe(0)
  await on.page.getByText('Sign up').click()
  expect((await on.arrived(1)).verdict['success']).toBe(true)
})

/** What optimisers do (WP Rocket, LiteSpeed, Rocket Loader): scripts of another type run after the first key, press or move. */
const OPTIMISER = `<script>addEventListener('keydown', () => {
  for (const old of document.querySelectorAll('script[type=delayed]')) {
    const one = document.createElement('script')
    for (const { name, value } of old.attributes) if (name !== 'type') one.setAttribute(name, value)
    one.textContent = old.textContent
    old.replaceWith(one)
  }
}, { capture: true, once: true })</script>`

test.each(['type="delayed"', ''])(
  'a script that an optimiser delays: the two lines keep a form that Enter sends at once, the second with "%s"',
  async (type) => {
    on.customer.script = OPTIMISER
    await on.open(
      example('never-loads')
        .replace('<script>', `<script ${type}>`)
        .replace('<script src', '<script type="delayed" src')
        .replace('  <div', '  <input name="email" aria-label="Email" value="filled@by.browser"><div'),
    )
    await on.page.getByLabel('Email').press('Enter')
    await isHeld()
    // It was touched before the script loaded.
    await on.until('ready')
    await on.page.getByLabel('Email').press('Enter')
    expect((await on.arrived(1)).verdict['success']).toBe(true)
  },
)

describe('in the console', () => {
  /** What `console.debug` was given, in the page and in its workers. */
  const probes = (): string[] => [...on.probes, ...on.said.filter((text) => text.includes('svc-captcha'))]

  test('a visit leaves one probe that says what it is, however many tokens it takes', async () => {
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
