import * as playwright from 'playwright-core'
import { fillAtOnce, launchPlaywright } from '../bots/playwright.mjs'

export default {
  name: 'Playwright, headless',
  kind: 'bot',
  what: 'its defaults: goto, fill, check, click',
  async visit(stage) {
    const browser = await launchPlaywright(stage, playwright)
    await fillAtOnce(stage, await browser.newPage())
  },
}
