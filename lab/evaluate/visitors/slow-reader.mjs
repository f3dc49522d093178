import { openChromium } from '../browsers/chromium.mjs'
import { fillByMouse } from '../person/fill.mjs'

export default {
  name: 'slow reader',
  kind: 'person',
  what: 'Chromium; reads for a quarter of a minute first, and for some seconds before each field',
  screen: true,
  address: 'school',
  async visit(stage) {
    const browser = openChromium(stage.display, stage.url)
    stage.defer(browser.close)
    await fillByMouse(stage, stage.hands(), { look: [12_000, 18_000], think: [2500, 5000] })
  },
}
