import { openChromium } from '../browsers/chromium.mjs'
import { fillByKeyboard } from '../person/fill.mjs'
import { badNeighbours } from './neighbours.mjs'
import { pressByKeyboard } from './press.mjs'

export default {
  name: 'keyboard only, bad neighbour',
  kind: 'person',
  what: 'Chromium; Tab, typing, Space and Enter, at an address from which a program has just made a dozen visits',
  screen: true,
  async visit(stage) {
    await badNeighbours(stage)
    const browser = openChromium(stage.display, stage.url)
    stage.defer(browser.close)
    await fillByKeyboard({ ...stage, customer: { ...stage.customer, form: () => undefined } }, stage.hands())
    await pressByKeyboard(stage, stage.hands())
  },
}
