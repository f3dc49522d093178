import puppeteer from 'rebrowser-puppeteer-core'
import { WINDOW } from '../bots/chromium.mjs'
import { fillWithPuppeteer, launchPuppeteer } from '../bots/puppeteer.mjs'

export default {
  name: 'rebrowser-puppeteer, headed',
  kind: 'bot',
  what: 'a patched driver that never enables the Runtime domain',
  screen: true,
  async visit(stage) {
    const browser = await launchPuppeteer(stage, puppeteer, {
      headless: false,
      args: [...WINDOW, '--disable-blink-features=AutomationControlled'],
      ignoreDefaultArgs: ['--enable-automation'],
      defaultViewport: null,
    })
    const [page] = await browser.pages()
    await fillWithPuppeteer(stage, page, { delay: 90 })
  },
}
