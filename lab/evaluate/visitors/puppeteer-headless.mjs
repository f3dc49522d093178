import puppeteer from 'puppeteer-core'
import { fillWithPuppeteer, launchPuppeteer } from '../bots/puppeteer.mjs'

export default {
  name: 'Puppeteer, headless',
  kind: 'bot',
  what: 'its defaults: click and type',
  async visit(stage) {
    const browser = await launchPuppeteer(stage, puppeteer)
    await fillWithPuppeteer(stage, await browser.newPage())
  },
}
