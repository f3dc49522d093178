import { openChromium } from '../browsers/chromium.mjs'
import { fillByKeyboard } from '../person/fill.mjs'

export default {
  name: 'keyboard only',
  kind: 'person',
  what: 'Chromium; no pointer at all: Tab, typing, Space and Enter',
  screen: true,
  address: 'school',
  async visit(stage) {
    const browser = openChromium(stage.display, stage.url)
    stage.defer(browser.close)
    await fillByKeyboard(stage, stage.hands())
  },
}
