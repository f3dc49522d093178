import puppeteer from 'puppeteer-core'

/** What a preload script hides: that the browser is driven, and that somebody reads the console. */
const HIDES = `Object.defineProperty(Navigator.prototype, 'webdriver', { get: () => false })
console.debug = () => {}`

/** Opens Firefox in a window, with these settings, driven by Puppeteer over WebDriver BiDi. @returns its page */
export async function firefoxByBidi(stage, { hides = false, settings = {} } = {}) {
  const browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath: '/usr/bin/firefox-esr',
    headless: false,
    defaultViewport: null,
    extraPrefsFirefox: settings,
    env: { ...process.env, DISPLAY: stage.display.name },
  })
  stage.defer(() => browser.close())
  const [page] = await browser.pages()
  if (hides) await page.evaluateOnNewDocument(HIDES)
  return page
}
