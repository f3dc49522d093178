/** The documentation as a site (`npm run docs:site`): on a phone, dark, by keyboard. */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { beforeEach, expect, test } from '@jest/globals'
import express from 'express'
import type { Page } from 'playwright-core'
import { askAxe, brokenRules } from '../support/axe.ts'
import { serve } from '../support/serve.ts'
import { browser, inChromium } from './stage.ts'

inChromium()

let tab: Page
execFileSync('npm', ['run', '--silent', 'docs:site'])
const site = await serve(express().use(express.static('build/site')))
beforeEach(async () => {
  await tab?.close()
  tab = await browser.newPage()
})

// Of each kind of page one: the start, tabs of code, tables.
test.each(['index', 'docs/start/guide', 'docs/api/api'])(
  '%s: axe finds nothing, on a desktop and on a dark phone',
  async (name) => {
    for (const [width, colorScheme] of [
      [1280, 'light'],
      [360, 'dark'],
    ] as const) {
      await tab.setViewportSize({ width, height: 800 })
      await tab.emulateMedia({ colorScheme })
      await tab.goto(`${site.url}/${name}.html`)
      expect(await tab.locator('html.dark').count()).toBe(colorScheme === 'dark' ? 1 : 0)
      // The theme's search button shows the keys that open it, and does not name them.
      const rules = { 'label-content-name-mismatch': { enabled: false } }
      expect({ width, found: brokenRules(await askAxe(tab, { rules })) }).toEqual({
        width,
        found: [],
      })
    }
  },
)

test('no page is wider than a phone', async () => {
  await tab.setViewportSize({ width: 360, height: 740 })
  const wide: string[] = []
  const files = readdirSync('build/site', { recursive: true }) as string[]
  for (const page of files.filter((file) => file.endsWith('.html'))) {
    await tab.goto(`${site.url}/${page}`, { waitUntil: 'domcontentloaded' })
    if (await tab.evaluate(() => document.documentElement.scrollWidth > innerWidth)) wide.push(page)
  }
  expect(wide).toEqual([])
})

test('the search is opened by keyboard, finds a section, and leads to it', async () => {
  await tab.goto(`${site.url}/index.html`)
  const asked = new Set<string>()
  tab.on('request', (request) => asked.add(new URL(request.url()).origin))
  // Before the page's script has run, the key has no listener.
  await tab.waitForFunction(() => '__vue_app__' in document.querySelector('#app')!)
  await tab.keyboard.press('/')
  await tab.getByRole('searchbox').fill('hv keygen')
  await tab.getByRole('option').first().waitFor()
  await Promise.all([tab.waitForURL(/\.html#/), tab.keyboard.press('Enter')])
  expect(await tab.title()).toMatch(/human-verification$/)
  expect(asked).toEqual(new Set([site.url]))
})

test('the handlers of the guide are tabs, and nothing else of its start is', async () => {
  await tab.goto(`${site.url}/docs/start/guide.html`)
  const labels = await tab.locator('.vp-code-group').first().locator('label').allTextContents()
  expect(labels).toEqual(['Service inside', 'Express', 'Fastify', 'Next.js', 'Hono', 'PHP'])
})

test('llms.txt names the page for coding agents, and pages that are there as Markdown', () => {
  const text = readFileSync('build/site/llms.txt', 'utf8')
  const pages = [...text.matchAll(/\]\((\/[^)#]+\.md)\)/g)].map(([, page]) => page!)
  expect(pages).toContain('/docs/start/coding-agents.md')
  expect(pages.filter((page) => !existsSync(`build/site${page}`))).toEqual([])
})
