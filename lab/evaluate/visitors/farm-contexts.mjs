import patchright from 'patchright-core'
import { fillByKeys, launchPlaywright } from '../bots/playwright.mjs'

export default {
  name: 'token farm, contexts',
  kind: 'bot',
  what: 'a patched driver without a window fills in the form in five profiles at once',
  async visit(stage) {
    const browser = await launchPlaywright(stage, patchright)
    const contexts = await Promise.all(Array.from({ length: 5 }, () => browser.newContext()))
    const pages = await Promise.all(contexts.map((context) => context.newPage()))
    await Promise.all(pages.map((page) => fillByKeys(stage, page)))
    await stage.customer.form(40_000, 5)
  },
}
