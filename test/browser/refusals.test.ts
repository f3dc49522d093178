/** What a visitor reads when a form was refused without a reload, or when our script never came; and what collectors of errors keep. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import express from 'express'
import type { Page } from 'playwright-core'
import { requireHuman } from '../../packages/client/src/express.ts'
import type { SvcCaptcha } from '../../widget/captcha.d.ts'
import { ENGLISH } from '../../widget/src/texts.ts'
import { SECRET, SITEKEY } from '../support/app.ts'
import { container } from '../support/customer.ts'
import { begin, form, inChromium, on } from './stage.ts'

declare const svcCaptcha: SvcCaptcha

inChromium(() => begin())

const PAGES = ['widget', 'javascript'].map((page) => readFileSync(`docs/widget/${page}.md`, 'utf8')).join('\n')
/** An example of docs/widget/, for our service. */
const example = (name: string): string =>
  new RegExp(`<!-- example: ${name} -->\n\`\`\`html\n(.*?)\`\`\``, 's')
    .exec(PAGES)![1]!
    .replaceAll('https://verify.example.com', on.service.base)
    .replaceAll('hv_site_yours', SITEKEY)

/** A customer's server with `requireHuman`, whose page is `page`. */
async function shop(page: string): Promise<{ url: string; close: () => Promise<void> }> {
  const app = express()
  const human = requireHuman({
    url: on.service.base,
    secret: SECRET,
    action: 'sign-up',
    hostnames: ['127.0.0.1'],
  })
  app.get(
    '/',
    (_req, res) => void res.type('html').send(`<!doctype html><title>Shop</title>${on.customer.script}${page}`),
  )
  app.post('/sign-up', express.urlencoded(), human, (_req, res) => void res.send('welcome'))
  const server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

const line = (): Promise<string> => on.page.locator('.svc-captcha .status').innerText()
const answerOf = (page: Page, status: number) =>
  page.waitForResponse((response) => response.url().endsWith('/sign-up') && response.status() === status)

describe('a page that stays, with the recipe of the docs,', () => {
  test('says that its form was not accepted, in place of "Verified", and sends it with another token', async () => {
    const { url, close } = await shop(example('execute'))
    try {
      await on.page.goto(url)
      await on.page.getByLabel('Email').fill('a@example.com')
      await on.until('ready')
      // The token is used before the form is: the handler refuses it.
      await on.page.route('**/sign-up', async (route) => {
        const body = route.request().postData()!
        await on.verified(new URLSearchParams(body).get('svc-response')!)
        await route.continue()
      })
      await Promise.all([answerOf(on.page, 422), on.page.getByText('Sign up').click()])
      await on.until('failed')
      expect(await line()).toBe(ENGLISH.refused)
      expect(await on.page.evaluate(() => svcCaptcha.getResponse())).toBe('')
      // A touch of the form is no reason to forget it.
      await on.page.getByLabel('Email').fill('b@example.com')
      expect(await line()).toBe(ENGLISH.refused)

      await on.page.unrouteAll({ behavior: 'ignoreErrors' })
      await Promise.all([answerOf(on.page, 200), on.page.getByText('Sign up').click()])
      await on.until('verified')
      await on.page.waitForFunction(() => document.querySelector<HTMLOutputElement>('#said')!.value === 'sent')
    } finally {
      await on.page.goto('about:blank')
      await close()
    }
  })

  test('tells the page by error 302, says it in the visitor’s language, and starts again at a press', async () => {
    on.customer.page = `<form>${container(on.service.base, 'data-language="de"')}</form>`
    await on.page.addInitScript(() =>
      document.addEventListener('svc-captcha:error', (event) =>
        Object.assign(window, { told: (event as CustomEvent).detail as unknown }),
      ),
    )
    await on.open()
    await on.page.evaluate(() => svcCaptcha.execute())
    await on.until('verified')
    await on.page.evaluate(() => svcCaptcha.refused())
    expect(await on.page.evaluate('told')).toMatchObject({ code: 302, message: 'not accepted', retryable: true })
    const german = JSON.parse(readFileSync('widget/src/texts/de.json', 'utf8')) as typeof ENGLISH
    expect(await line()).toBe(german.refused)
    await on.page.getByRole('button', { name: german.retry }).click()
    await on.until('ready')
    const token = await on.page.evaluate(() => svcCaptcha.execute())
    expect(await on.verified(token)).toBe(true)
  })
})

describe('a script that never loads: the two lines of the docs keep the form and say a word', () => {
  test.each([
    { when: 'blocked', how: (page: Page) => page.route('**/captcha.js*', (route) => route.abort()) },
    { when: 'never answered', how: (page: Page) => page.route('**/captcha.js*', () => {}) },
  ])('when it is $when', async ({ how }) => {
    on.customer.script = ''
    on.customer.page = example('never-loads')
    await how(on.page)
    await on.page.goto(on.customer.url, { waitUntil: 'commit' })
    await on.page.getByText('Sign up').click()
    await on.page.getByRole('alert').getByText('has not loaded').waitFor()
    expect(on.customer.submissions).toEqual([])
    await on.page.unrouteAll({ behavior: 'ignoreErrors' })
    await on.open()
    await on.until('idle')
    expect(await on.page.getByRole('alert').count()).toBe(0)
    await on.page.getByText('Sign up').click()
    await on.arrived(1)
    expect(on.customer.submissions[0]!.verdict['success']).toBe(true)
  })
})

/** What optimisers do (WP Rocket, LiteSpeed, Rocket Loader): scripts wait under another type for the first key, press or move. */
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
    on.customer.page = example('never-loads')
      .replace('<script>', `<script ${type}>`)
      .replace('<script src', '<script type="delayed" src')
      .replace('  <div', '  <input name="email" aria-label="Email" value="filled@by.browser"><div')
    await on.open()
    await on.page.getByLabel('Email').press('Enter')
    await on.page.getByRole('alert').getByText('has not loaded').waitFor()
    expect(on.customer.submissions).toEqual([])
    // It was touched before the script came.
    await on.until('ready')
    await on.page.getByLabel('Email').press('Enter')
    await on.arrived(1)
    expect(on.customer.submissions[0]!.verdict['success']).toBe(true)
  },
)

describe('in the console', () => {
  /** What `console.debug` was given, in the page and in its workers: playwright hears of both. */
  const probes = (): string[] => [...on.probes, ...on.said.filter((text) => text.includes('svc-captcha'))]
  const signals = () =>
    JSON.parse(new URLSearchParams(on.calls('solve').at(-1)!.postData()!).get('signals')!) as {
      automation: Record<string, number>
    }

  test('a visit leaves one probe that says what it is, however many tokens it takes', async () => {
    await on.open()
    await on.page.evaluate(() => svcCaptcha.execute())
    expect(signals().automation).toMatchObject({ console: 1 })
    expect(on.workers.length).toBeGreaterThan(1)
    expect(probes()).toHaveLength(1)
    for (const text of probes()) expect(text).toContain('Error: svc-captcha: a probe, no error')

    await on.page.evaluate(() => svcCaptcha.execute())
    expect(on.calls('solve')).toHaveLength(2)
    expect(signals().automation).toMatchObject({ console: 1 })
    expect(probes()).toHaveLength(1)
  })

  test('data-console-probe="false" leaves them out, and the visit without a word about it', async () => {
    on.customer.page = form(on.service.base, 'data-console-probe="false"')
    await on.open()
    const token = await on.page.evaluate(() => svcCaptcha.execute())
    expect(probes()).toEqual([])
    expect(signals().automation).not.toHaveProperty('console')
    expect(signals().automation).toHaveProperty('webdriver')
    expect(await on.verified(token)).toBe(true)
  })
})
