import puppeteer from 'puppeteer-core'
import { WINDOW } from '../bots/chromium.mjs'
import { fillWithPuppeteer, launchPuppeteer } from '../bots/puppeteer.mjs'

export default {
  name: 'Puppeteer, headed',
  kind: 'bot',
  what: 'a window on a display, keys with pauses, `navigator.webdriver` switched off',
  screen: true,
  async visit(stage) {
    const browser = await launchPuppeteer(stage, puppeteer, {
      headless: false,
      args: [...WINDOW, '--disable-blink-features=AutomationControlled'],
      ignoreDefaultArgs: ['--enable-automation'],
      defaultViewport: null,
    })
    const [page] = await browser.pages()
    await fillWithPuppeteer(stage, page, { delay: 70 })
  },
}
