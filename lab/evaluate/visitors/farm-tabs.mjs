import patchright from 'patchright-core'
import { WINDOW } from '../bots/chromium.mjs'
import { fillByKeys, launchPlaywright } from '../bots/playwright.mjs'

export default {
  name: 'token farm, tabs',
  kind: 'bot',
  what: 'a patched driver fills in the form in five tabs of one profile at once',
  screen: true,
  async visit(stage) {
    const browser = await launchPlaywright(stage, patchright, { headless: false, args: WINDOW })
    const context = await browser.newContext({ viewport: null })
    const pages = await Promise.all(Array.from({ length: 5 }, () => context.newPage()))
    await Promise.all(pages.map((page) => fillByKeys(stage, page)))
    await stage.customer.form(40_000, 5)
  },
}
