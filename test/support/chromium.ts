import { fileURLToPath } from 'node:url'
import { type Browser, chromium } from 'playwright-core'
import { type DrivenBrowser, KEYS } from './driven-browser.ts'
import { needProgram } from './programs.mjs'

export const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
]

/** Options of Playwright that start the distribution's Chromium, without the pages of its address bar. */
export const chromiumProgram = () => ({
  executablePath: fileURLToPath(new URL('chromium', import.meta.url)),
  env: { ...process.env, HV_CHROMIUM: needProgram('chromium') },
})

/** A real Chromium. @param without which of Playwright's own flags are left out. */
export const launch = (flags: readonly string[] = [], without: string[] = []): Promise<Browser> =>
  chromium.launch({ ...chromiumProgram(), args: [...FLAGS, ...flags], ignoreDefaultArgs: without })

/** Chromium, driven as the other browsers are. Playwright switches the back/forward cache off; here it is on, as visitors have it. */
export async function startChromium(flags: readonly string[] = []): Promise<DrivenBrowser> {
  const browser = await launch(flags, ['--disable-back-forward-cache'])
  const page = await browser.newPage()
  const named: Readonly<Record<string, string>> = { [KEYS.tab]: 'Tab', [KEYS.enter]: 'Enter' }
  return {
    open: (url) => page.goto(url).then(() => {}),
    run: (body, ...values) => page.evaluate(`(function () { ${body} }).apply(null, ${JSON.stringify(values)})`),
    until: (expression) => page.waitForFunction(expression, undefined, { timeout: 20_000 }).then(() => {}),
    type: (selector, text) => page.locator(selector).pressSequentially(text),
    async keys(text) {
      for (const key of text) await page.keyboard.press(named[key] ?? key)
    },
    click: (selector) => page.locator(selector).click({ noWaitAfter: true }),
    doubleClick: (selector) => page.locator(selector).dblclick({ noWaitAfter: true }),
    back: () => page.evaluate('setTimeout(() => history.back())').then(() => {}),
    close: () => browser.close(),
  }
}
