import { createCursor } from 'ghost-cursor'
import puppeteerCore from 'puppeteer-core'
import { addExtra } from 'puppeteer-extra'
import stealth from 'puppeteer-extra-plugin-stealth'
import { WINDOW } from '../bots/chromium.mjs'
import { fillWithPuppeteer, launchPuppeteer } from '../bots/puppeteer.mjs'

export default {
  name: 'Puppeteer with stealth and ghost-cursor',
  kind: 'bot',
  what: 'a window on a display, stealth, curved paths of ghost-cursor, keys with pauses',
  screen: true,
  async visit(stage) {
    const puppeteer = addExtra(puppeteerCore)
    puppeteer.use(stealth())
    const browser = await launchPuppeteer(stage, puppeteer, { headless: false, args: WINDOW, defaultViewport: null })
    const [page] = await browser.pages()
    const cursor = createCursor(page)
    await fillWithPuppeteer(stage, page, { delay: 90, click: (selector) => cursor.click(selector) })
  },
}
