/** Firefox, driven by Puppeteer, with as much of Playwright's page as the states of the widget need. */
import type { Browser, ElementHandle, HTTPRequest } from 'puppeteer-core'
import { setTimeout as sleep } from 'node:timers/promises'
import type { StageLocator, StagePage } from '../browser/a11y/stage.ts'

/** Milliseconds that an element may take to be there. */
const PATIENCE = 30_000

type Handler = (route: { abort(): Promise<void> }) => unknown

/** Returns a pattern of Playwright as a regular expression. */
const patternOf = (glob: string): RegExp =>
  new RegExp(glob.replaceAll(/[.?]/g, String.raw`\$&`).replaceAll(/\*+/g, '.*'))

/** Opens a page. */
export async function firefoxPage(browser: Browser): Promise<StagePage> {
  const page = await browser.newPage()
  await page.bringToFront()
  let routes: { pattern: RegExp; handler: Handler }[] = []
  // A request may end before it is decided about.
  page.on('request', (request) => void decide(request).catch(() => {}))
  async function decide(request: HTTPRequest): Promise<void> {
    const route = routes.find(({ pattern }) => pattern.test(request.url()))
    // A handler that does nothing lets the request wait for ever.
    if (route) await route.handler({ abort: () => request.abort() })
    else await request.continue()
  }

  function locator(selector: string): StageLocator {
    // Playwright's selectors reach into shadow trees by themselves.
    const deep = selector.replaceAll(' ', ' >>> ')
    /** Asks again and again: what Puppeteer waits with sees no change in a shadow tree. */
    async function find(): Promise<ElementHandle> {
      for (const end = Date.now() + PATIENCE; Date.now() < end; await sleep(50)) {
        const found = await page.$(deep)
        if (found) return found
      }
      throw new Error(`there is no ${selector}`)
    }
    return {
      waitFor: async () => void (await find()),
      focus: async () => (await find()).focus(),
      click: async () => (await find()).click(),
      evaluate: async (act) => (await find()).evaluate(act),
    }
  }

  return {
    context: () => ({
      setOffline: (isOffline) => page.setOfflineMode(isOffline),
      clearCookies: async () => page.deleteCookie(...(await page.cookies())),
    }),
    goto: (url) => page.goto(url),
    async route(glob, handler) {
      routes = [{ pattern: patternOf(glob), handler }, ...routes]
      await page.setRequestInterception(true)
    },
    async unrouteAll() {
      routes = []
      await page.setRequestInterception(false)
    },
    evaluate: (act) => page.evaluate(act),
    locator,
    keyboard: { press: (key) => page.keyboard.press(key as 'Tab') },
    mouse: page.mouse,
    setExtraHTTPHeaders: (headers) => page.setExtraHTTPHeaders(headers),
    waitForTimeout: (ms) => sleep(ms),
  }
}
