import { afterAll, afterEach, beforeAll, beforeEach, describe } from '@jest/globals'
import type { DrivenBrowser } from '../../support/driven-browser.ts'
import { startChromium } from '../../support/chromium.ts'
import { startFirefox } from '../../support/firefox.ts'
import { type Backstage, backstage } from '../../browser/stage.ts'

const BROWSERS: readonly { readonly called: string; readonly start: () => Promise<DrivenBrowser> }[] = [
  { called: 'Chromium', start: startChromium },
  { called: 'Firefox', start: () => startFirefox() },
]

/** One browser for all tests of a suite; for each test a service and a customer's page of its own. */
export interface World {
  browser: DrivenBrowser
  on: Backstage
}

/** Runs a suite in each browser. @param change of the service's site. */
export function inEachBrowser(
  change: Parameters<typeof backstage>[0],
  suite: (world: World, called: string) => void,
): void {
  describe.each(BROWSERS)('in $called', ({ called, start }) => {
    const world = {} as World
    beforeAll(async () => {
      world.browser = await start()
    }, 90_000)
    afterAll(() => world.browser.close())
    beforeEach(async () => {
      world.on = await backstage(change)
    })
    afterEach(async () => {
      await world.on.close()
      // A page that is leaving for a server that has gone would interrupt the next one.
      await world.browser.open('about:blank').catch(() => {})
    })
    suite(world, called)
  })
}
