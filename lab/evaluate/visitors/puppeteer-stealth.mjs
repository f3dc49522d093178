import puppeteerCore from 'puppeteer-core'
import { addExtra } from 'puppeteer-extra'
import stealth from 'puppeteer-extra-plugin-stealth'
import { fillWithPuppeteer, launchPuppeteer } from '../bots/puppeteer.mjs'

export default {
  name: 'Puppeteer with stealth, headless',
  kind: 'bot',
  what: 'puppeteer-extra-plugin-stealth with all its evasions, keys with pauses',
  async visit(stage) {
    const puppeteer = addExtra(puppeteerCore)
    puppeteer.use(stealth())
    const browser = await launchPuppeteer(stage, puppeteer)
    await fillWithPuppeteer(stage, await browser.newPage(), { delay: 80 })
  },
}
