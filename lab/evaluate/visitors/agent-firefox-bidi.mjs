import puppeteer from 'puppeteer-core'
import { fillWithPuppeteer } from '../bots/puppeteer.mjs'
import { thinking } from '../bots/thinking.mjs'

export default {
  name: 'agent: Firefox by WebDriver BiDi',
  kind: 'bot',
  isAgent: true,
  what: 'Firefox ESR, a window, driven by Puppeteer over WebDriver BiDi; a fixed plan in place of the model thinks (log-normal, median 2.5 s) before each click and each text',
  screen: true,
  needs: ['firefox-esr'],
  async visit(stage) {
    const browser = await puppeteer.launch({
      browser: 'firefox',
      executablePath: '/usr/bin/firefox-esr',
      headless: false,
      defaultViewport: null,
      env: { ...process.env, DISPLAY: stage.display.name },
    })
    stage.defer(() => browser.close())
    const [page] = await browser.pages()
    const think = thinking(stage.dice)
    await fillWithPuppeteer(stage, page, {
      delay: 12,
      click: async (selector) => {
        await think()
        await page.click(selector)
        if (selector !== '#terms' && selector !== '#send') await think()
      },
    })
  },
}
