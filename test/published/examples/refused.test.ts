/** The ways through of docs/widget/refused.md, as a customer has them: examples/refused, the real service, Chromium. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import type { BrowserContext, Page } from 'playwright-core'
import { newFolder } from '../../support/close-later.ts'
import { axeFinds } from '../../support/axe.ts'
import { DEMO_SECRET, DEMO_SITEKEY } from '../../../src/demo/credentials.ts'
import { loadAssets } from '../../../src/http/assets.ts'
import { site, testService } from '../../support/app.ts'
import { launch } from '../../support/chromium.ts'
import { hv } from '../../support/hv.ts'
import { PASS_KEY, PASS_PRIVATE_KEY } from '../../support/pass.ts'
import { ensurePrograms } from '../../support/programs.mjs'
import { ROOT, type Running, start } from './projects.ts'

const folder = newFolder()
const keyFile = join(folder, 'pass-key.json')
let context: BrowserContext
let page: Page

const startServer = (HV_URL: string): Promise<Running> =>
  start(folder, [join(ROOT, 'examples/refused/server.mjs')], {
    HV_URL,
    HV_SITEKEY: DEMO_SITEKEY,
    HV_PASS_KEY: keyFile,
  })

ensurePrograms(['chromium'])
writeFileSync(keyFile, JSON.stringify(PASS_PRIVATE_KEY), { mode: 0o600 })
// A driven browser is refused by its score; a pass is not.
const policy = {
  sitekey: DEMO_SITEKEY as never,
  hostnames: ['127.0.0.1'],
  scoreThreshold: 0.9,
  passKeys: [PASS_KEY],
}
const service = await testService({
  siteList: [site(policy, DEMO_SECRET)],
  assets: loadAssets(join(ROOT, 'dist/assets')),
})
// The ledger's generation is older than a pass by a minute.
service.parts.ledger.beganAt = () => 1 as never
const server = await startServer(service.base)
const url = `${server.url}/`
const browser = await launch()

const open = async (options: object = {}): Promise<void> => {
  context = await browser.newContext(options)
  page = await context.newPage()
}
beforeEach(() => open())
afterEach(() => context.close())

/** Fills in and sends the form that is shown. @returns the heading of the answer. */
async function send(): Promise<string> {
  await page.getByLabel('Email').fill('ada@example.com')
  const [answer] = await Promise.all([
    page.waitForResponse(
      (one) => one.request().method() === 'POST' && one.url() === `${url}sign-up`,
    ),
    page.getByRole('button', { name: 'Send' }).click(),
  ])
  await answer.finished()
  return page.getByRole('heading').innerText()
}

/** Asks for a link, as the accessibility page says. @returns the links of the two mails. */
async function askForLinks(): Promise<string[]> {
  await page.getByRole('link', { name: 'Other ways to sign up' }).click()
  await page.getByLabel('Your email').fill('ada@example.com')
  const before = server.said().length
  await page.getByRole('button', { name: 'Send me a link' }).click()
  for (;;) {
    const mails = [
      ...server
        .said()
        .slice(before)
        .matchAll(/^mail to ada@example\.com: (.*)\n/gm),
    ]
    if (mails.length === 2) return mails.map(([, link]) => link!)
    await sleep(50)
  }
}

test('the e-mail loop: a refused visitor is offered a link that lets the form through once', async () => {
  await page.goto(url)
  expect(await send()).toBe('Not accepted')
  const [link] = await askForLinks()
  await page.goto(link!)
  expect(await send()).toBe('Thank you')
  await open()
  await page.goto(link!)
  expect(await send()).toBe('Not accepted')
}, 60_000)

const linkOfDesk = async (): Promise<string> => {
  const asked = [
    '--key',
    keyFile,
    '--site',
    DEMO_SITEKEY,
    '--url',
    url,
    '--action',
    'sign-up',
    '--json',
  ]
  const { code, out } = await hv(['pass', 'issue', ...asked])
  expect(code).toBe(0)
  return (JSON.parse(out) as { link: string }).link
}
const linkOfProgram = (): string => {
  const args = [
    join(ROOT, 'examples/verify/pass.mjs'),
    keyFile,
    DEMO_SITEKEY,
    'sign-up',
    '127.0.0.1',
  ]
  return `${url}#hv=${execFileSync(process.execPath, args, { encoding: 'utf8' }).trim()}`
}
test.each([
  ['hv pass issue', linkOfDesk],
  ['examples/verify/pass.mjs', linkOfProgram],
])(
  'the support desk: a pass of %s lets the form through once',
  async (_program, makeLink) => {
    const link = await makeLink()
    await page.goto(link)
    expect(await send()).toBe('Thank you')
    await open()
    await page.goto(link)
    expect(await send()).toBe('Not accepted')
  },
  60_000,
)

test('the accessibility page: no widget, no script, no violation that axe-core finds', async () => {
  await page.goto(`${url}other-ways`)
  expect(await page.locator('script, .svc-captcha').count()).toBe(0)
  expect(await page.getByRole('main').innerText()).toContain('call us')
  expect(await axeFinds(page)).toEqual([])
})

test('noscript, Chromium with scripts off: the server vouches only for visitors it knows', async () => {
  await context.close()
  await open({ javaScriptEnabled: false })
  await page.goto(url)
  // A stranger's form has no token, and gets directions.
  expect(await send()).toBe('Not accepted')
  const [, entry] = await askForLinks()
  await page.goto(entry!)
  expect(page.url()).toBe(url)
  expect(await send()).toBe('Thank you')
  // The next form is given another pass; a mailed code counts once.
  await page.goto(url)
  expect(await send()).toBe('Thank you')
  await context.close()
  await open({ javaScriptEnabled: false })
  await page.goto(entry!)
  expect(await page.getByRole('heading').innerText()).toBe('This link is over')
}, 60_000)

test('a service that cannot be asked is "temporarily unavailable", never a refusal', async () => {
  const alone = await startServer('http://127.0.0.1:1')
  const answer = await fetch(`${alone.url}/sign-up`, {
    method: 'POST',
    body: new URLSearchParams({ 'svc-response': 'x' }),
  })
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
  expect(await answer.text()).toContain('Temporarily unavailable')
})
