import { afterAll, afterEach, beforeAll, beforeEach, describe } from '@jest/globals'
import { launch } from '../../support/chromium.ts'
import { type DrivenBrowser, drivenPage } from '../../support/driven-browser.ts'
import { launchFirefox } from '../../support/firefox.ts'
import { type Backstage, backstage } from '../../browser/stage.ts'

const BROWSERS = [
  { called: 'Chromium', start: () => launch() },
  { called: 'Firefox', start: () => launchFirefox() },
] as const

/**
 * One browser for all tests of a suite; for each test a tab, a service and a customer's page of its own: a form that is
 * still being sent when a test ends would interrupt the next page of its tab.
 */
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
    let program: Awaited<ReturnType<typeof start>>
    beforeAll(async () => {
      program = await start()
    }, 90_000)
    afterAll(() => program.close())
    beforeEach(async () => {
      // Chromium may hang if a tab is closed while its form is being sent: tabs end with their browser.
      world.browser = drivenPage(await program.newPage(), () => program.close())
      world.on = await backstage(change)
    })
    afterEach(() => world.on.close())
    suite(world, called)
  })
}
