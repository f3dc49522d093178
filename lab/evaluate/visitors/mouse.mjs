import { openChromium } from '../browsers/chromium.mjs'
import { fillByMouse } from '../person/fill.mjs'

export default {
  name: 'mouse',
  kind: 'person',
  what: 'Chromium; goes from field to field with the mouse and types',
  screen: true,
  async visit(stage) {
    const browser = openChromium(stage.display, stage.url)
    stage.defer(browser.close)
    await fillByMouse(stage, stage.hands())
  },
}
