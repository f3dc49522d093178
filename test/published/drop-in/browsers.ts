import { afterAll, afterEach, beforeAll, beforeEach, describe } from '@jest/globals'
import type { DrivenBrowser } from '../../support/driven-browser.ts'
import { startFirefox } from '../../support/firefox.ts'
import { type Backstage, backstage, launch } from '../../browser/stage.ts'

/** A browser as these tests use it. */
export type Driven = Pick<DrivenBrowser, 'open' | 'run' | 'until' | 'click' | 'type' | 'close'>

/** Chromium, by the names of `DrivenBrowser`. */
async function startChromium(): Promise<Driven> {
  const browser = await launch()
  let page = await browser.newPage()
  return {
    async open(url) {
      await page.close()
      page = await browser.newPage()
      await page.goto(url)
    },
    run: (body, ...values) =>
      page.evaluate(
        // oxlint-disable-next-line typescript/no-implied-eval -- as WebDriver runs the body of a function
        ([text, given]) => new Function(text).apply(undefined, given) as unknown,
        [body, values] as const,
      ),
    until: (expression) => page.waitForFunction(expression, undefined, { timeout: 20_000 }).then(() => {}),
    click: (selector) => page.locator(selector).click(),
    type: (selector, text) => page.locator(selector).pressSequentially(text),
    close: () => browser.close(),
  }
}

export const BROWSERS: readonly { readonly called: string; readonly start: () => Promise<Driven> }[] = [
  { called: 'Chromium', start: startChromium },
  { called: 'Firefox', start: () => startFirefox() },
]

/** One browser for all tests of a suite; for each test a service and a customer's page of its own. */
export interface World {
  browser: Driven
  on: Backstage
}

/** Runs a suite in each browser. @param change of the service's site. */
export function inEachBrowser(change: Parameters<typeof backstage>[0], suite: (world: World) => void): void {
  describe.each(BROWSERS)('in $called', ({ start }) => {
    const world = {} as World
    beforeAll(async () => {
      world.browser = await start()
    }, 90_000)
    afterAll(() => world.browser.close())
    beforeEach(async () => {
      world.on = await backstage(change)
    })
    afterEach(() => world.on.close())
    suite(world)
  })
}
