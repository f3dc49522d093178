import * as playwright from 'playwright-core'
import { WINDOW } from '../bots/chromium.mjs'
import { fillByKeys, launchPlaywright } from '../bots/playwright.mjs'

export default {
  name: 'Playwright, headed',
  kind: 'bot',
  what: 'a window on a display, clicks, keys with pauses, `navigator.webdriver` switched off',
  screen: true,
  async visit(stage) {
    const args = [...WINDOW, '--disable-blink-features=AutomationControlled']
    const browser = await launchPlaywright(stage, playwright, { headless: false, args })
    await fillByKeys(stage, await browser.newPage({ viewport: null }))
  },
}
