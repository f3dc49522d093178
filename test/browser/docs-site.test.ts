/** The documentation as a site (`npm run docs:site`): on a phone, dark, by keyboard. */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import express from 'express'
import type { Browser } from 'playwright-core'
import { askAxe, brokenRules } from '../support/axe.ts'
import { ROOT } from '../support/root.ts'
import { launch } from './stage.ts'

/** Where `SCREENSHOTS=1` leaves pictures to look at. */
const PICTURES = join(ROOT, 'build/screenshots/site')

/** The theme's search button shows the keys that open it, and does not name them. */
const THEMES_OWN = { rules: { 'label-content-name-mismatch': { enabled: false } } }

let browser: Browser
let server: Server
let site: string
beforeAll(async () => {
  execFileSync('npm', ['run', '--silent', 'docs:site'], { cwd: ROOT })
  mkdirSync(PICTURES, { recursive: true })
  browser = await launch()
  server = express()
    .use(express.static(join(ROOT, 'build/site')))
    .listen(0, '127.0.0.1')
  await once(server, 'listening')
  site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}, 300_000)
afterAll(async () => {
  await browser.close()
  server.close()
})

const VIEWS = [
  { view: 'desktop', width: 1280, height: 900, colorScheme: 'light' },
  { view: 'phone-dark', width: 360, height: 740, colorScheme: 'dark' },
] as const
const PAGES = [
  'index',
  'docs/index',
  'docs/start/guide',
  'docs/widget/widget',
  'docs/api/api',
  'docs/design/decisions',
  'config/index',
]

test.each(PAGES)(
  '%s: axe finds nothing, and nothing is wider than the screen, on a desktop and on a dark phone',
  async (name) => {
    const tab = await browser.newPage()
    await tab.goto(`${site}/${name}.html`)
    for (const { view, width, height, colorScheme } of VIEWS) {
      await tab.setViewportSize({ width, height })
      await tab.emulateMedia({ colorScheme })
      await tab.waitForFunction(
        (dark) => document.documentElement.classList.contains('dark') === dark,
        colorScheme === 'dark',
      )
      if (process.env['SCREENSHOTS'])
        await tab.screenshot({ path: join(PICTURES, `${name.replaceAll('/', '-')}-${view}.png`) })
      expect({ view, found: brokenRules(await askAxe(tab, THEMES_OWN)) }).toEqual({ view, found: [] })
      expect(await tab.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
    }
    await tab.close()
  },
)

test('the search is at hand by keyboard, finds a section, and leads to it', async () => {
  const tab = await browser.newPage()
  await tab.goto(`${site}/index.html`)
  const asked: string[] = []
  tab.on('request', (request) => asked.push(new URL(request.url()).origin))
  await tab.keyboard.press('/')
  await tab.getByRole('searchbox').fill('hv keygen')
  await tab.getByRole('option').first().waitFor()
  await Promise.all([tab.waitForURL(/\.html#/), tab.keyboard.press('Enter')])
  expect(await tab.title()).toMatch(/human-verification$/)
  expect(new Set(asked)).toEqual(new Set([site]))
  await tab.close()
})

test('the handlers of the guide are tabs, and nothing else of its start is', async () => {
  const tab = await browser.newPage()
  await tab.goto(`${site}/docs/start/guide.html`)
  const labels = await tab.locator('.vp-code-group').first().locator('label').allTextContents()
  expect(labels).toEqual(['Express', 'Fastify', 'Next.js', 'Hono', 'Flask', 'PHP'])
  await tab.close()
})
