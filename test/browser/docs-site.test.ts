/** The documentation as a site (`npm run docs:site`): read from the folder, without a server; on a phone, dark, by keyboard. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { axeFinds } from '../support/axe.ts'
import { ROOT } from '../world/deploy/root.ts'
import { launch } from './stage.ts'

const SITE = join(ROOT, 'build/site')
const address = (page: string): string => pathToFileURL(join(SITE, page)).href
/** Where `SCREENSHOTS=1` leaves pictures to look at. */
const PICTURES = join(ROOT, 'build/screenshots/site')

let browser: Browser
beforeAll(async () => {
  execFileSync('npm', ['run', '--silent', 'docs:site'], { cwd: ROOT })
  mkdirSync(PICTURES, { recursive: true })
  browser = await launch()
}, 180_000)
const running: ChildProcess[] = []
afterAll(async () => {
  for (const child of running) {
    child.kill()
    await once(child, 'exit')
  }
  await browser.close()
})

/** Starts a program, and waits until it says where it listens. */
async function listening(...args: string[]): Promise<string> {
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] })
  running.push(child)
  return new Promise((resolve, reject) => {
    let said = ''
    child.once('exit', () => reject(new Error(`${args.join(' ')} ended: ${said}`)))
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(said)
      if (found) resolve(found[0])
    })
  })
}

const VIEWS = [
  { view: 'desktop', width: 1280, height: 900, colorScheme: 'light' },
  { view: 'dark', width: 1280, height: 900, colorScheme: 'dark' },
  { view: 'phone', width: 360, height: 740, colorScheme: 'light' },
  { view: 'phone-dark', width: 360, height: 740, colorScheme: 'dark' },
] as const
const PAGES = ['index', 'docs/index', 'docs/widget/widget', 'docs/api/api', 'docs/design/decisions', 'config/index']

async function opened(page: string, view: (typeof VIEWS)[number] = VIEWS[0]): Promise<Page> {
  const { width, height, colorScheme } = view
  const tab = await browser.newPage({ viewport: { width, height }, colorScheme })
  await tab.goto(address(`${page}.html`))
  return tab
}

test.each(PAGES.flatMap((page) => VIEWS.map((view) => ({ page, view: view.view, at: view }))))(
  '$page, $view: axe finds nothing, and nothing is wider than the screen',
  async ({ page, view, at }) => {
    const tab = await opened(page, at)
    const found = await axeFinds(tab)
    if (process.env['SCREENSHOTS'])
      await tab.screenshot({ path: join(PICTURES, `${page.replaceAll('/', '-')}-${view}.png`) })
    expect(found).toEqual([])
    expect(await tab.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
    await tab.close()
  },
)

test('the search is at hand by keyboard, finds a section, and leads to it', async () => {
  const tab = await opened('index')
  await tab.keyboard.press('/')
  await tab.keyboard.type('hv keygen')
  const first = tab.locator('#results a').first()
  await first.waitFor()
  await tab.keyboard.press('ArrowDown')
  expect(await first.evaluate((link) => link === document.activeElement)).toBe(true)
  await Promise.all([tab.waitForURL(/\.html#/), tab.keyboard.press('Enter')])
  expect(await tab.title()).toMatch(/human-verification$/)
  await tab.close()
})

test('contents and theme are buttons, and the theme stays', async () => {
  const tab = await opened('index', VIEWS[2])
  const contents = tab.getByRole('navigation', { name: 'Contents' })
  expect(await contents.isVisible()).toBe(false)
  await tab.getByRole('button', { name: 'Contents' }).press('Enter')
  expect(await contents.isVisible()).toBe(true)
  await tab.getByRole('button', { name: 'Theme' }).press('Enter')
  expect(await tab.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe('rgb(18, 23, 29)')
  await tab.close()
})

test('the widget is live on its page, with a test server', async () => {
  const service = await listening('dist/main.js', 'test-server', '--listen', '127.0.0.1:0')
  const site = await listening('docs/site/build.mjs', '--serve', '--port', '0')
  const tab = await browser.newPage()
  await tab.goto(`${site}/docs/widget/widget.html`)
  await tab.getByLabel('Address of the service').fill(`${service}/`)
  await tab.getByRole('button', { name: 'Show the widget' }).click()
  await tab.locator('.svc-captcha .box.ready').waitFor({ state: 'attached' })
  expect(await tab.locator('#live').count()).toBe(0)
  await tab.close()
})

test('nothing is asked for over the network', async () => {
  const tab = await opened('docs/widget/widget')
  const asked: string[] = []
  tab.on('request', (request) => asked.push(request.url()))
  await tab.reload()
  await tab.getByRole('searchbox').fill('policy')
  await tab.locator('#results a').first().waitFor()
  expect(asked.filter((url) => !url.startsWith('file:'))).toEqual([])
  expect(existsSync(join(SITE, 'search.js'))).toBe(true)
  await tab.close()
})
