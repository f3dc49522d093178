import playwright from 'rebrowser-playwright-core'
import { WINDOW } from '../bots/chromium.mjs'
import { fillByKeys, launchPlaywright } from '../bots/playwright.mjs'

export default {
  name: 'rebrowser-playwright, headed',
  kind: 'bot',
  what: 'a patched driver that never enables the Runtime domain',
  screen: true,
  async visit(stage) {
    const args = [...WINDOW, '--disable-blink-features=AutomationControlled']
    const browser = await launchPlaywright(stage, playwright, { headless: false, args })
    await fillByKeys(stage, await browser.newPage({ viewport: null }))
  },
}
