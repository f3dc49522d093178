import patchright from 'patchright-core'
import { WINDOW } from '../bots/chromium.mjs'
import { fillByKeys, launchPlaywright } from '../bots/playwright.mjs'

export default {
  name: 'patchright, headed',
  kind: 'bot',
  what: 'a patched Playwright, as its authors advise to use it: a window, no viewport of its own',
  screen: true,
  async visit(stage) {
    const browser = await launchPlaywright(stage, patchright, { headless: false, args: WINDOW })
    await fillByKeys(stage, await browser.newPage({ viewport: null }))
  },
}
