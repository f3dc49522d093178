import { type Browser, launch, type LaunchOptions } from 'puppeteer-core'
import { closeLater } from './close-later.ts'
import { type DrivenBrowser, drivenPage } from './driven-browser.ts'
import { needProgram } from './programs.mjs'

/** Nothing is fetched but what the page asks for. */
const PREFS = {
  'services.settings.server': 'http://127.0.0.1:1/',
  'network.connectivity-service.enabled': false,
}

/**
 * The distribution's Firefox, driven through WebDriver BiDi by Puppeteer, since Playwright needs its own build. It ends with
 * the tests of the file.
 *
 * @param prefs more settings of the profile.
 */
export async function launchFirefox(
  prefs: Record<string, string | number | boolean> = {},
  options: Pick<LaunchOptions, 'env' | 'headless'> = {},
): Promise<Browser> {
  const browser = await launch({
    browser: 'firefox',
    executablePath: needProgram('firefox'),
    extraPrefsFirefox: { ...PREFS, ...prefs },
    acceptInsecureCerts: true,
    defaultViewport: null,
    timeout: 60_000,
    ...options,
  })
  return closeLater(browser, (it) => it.close())
}

/** Firefox, driven as the other browsers are. */
export async function startFirefox(
  prefs?: Parameters<typeof launchFirefox>[0],
): Promise<DrivenBrowser> {
  const browser = await launchFirefox(prefs)
  return drivenPage(await browser.newPage(), () => browser.close())
}
