import { launch } from 'puppeteer-core'
import { closeLater } from './close-later.ts'
import { type DrivenBrowser, drivenPage } from './driven-browser.ts'
import { needProgram } from './programs.mjs'

/** Nothing is fetched but what the page asks for. */
const PREFS = { 'services.settings.server': 'http://127.0.0.1:1/', 'network.connectivity-service.enabled': false }

/**
 * Starts the distribution's Firefox, driven through WebDriver BiDi by Puppeteer; Playwright wants a build of its own.
 *
 * @param prefs more settings of the profile.
 */
export async function startFirefox(prefs: Record<string, string | number | boolean> = {}): Promise<DrivenBrowser> {
  const browser = await launch({
    browser: 'firefox',
    executablePath: needProgram('firefox'),
    extraPrefsFirefox: { ...PREFS, ...prefs },
    defaultViewport: null,
    timeout: 60_000,
  })
  return closeLater(
    drivenPage(await browser.newPage(), () => browser.close()),
    (it) => it.close(),
  )
}
