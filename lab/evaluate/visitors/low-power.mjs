import { openChromium } from '../browsers/chromium.mjs'
import { fillByMouse } from '../person/fill.mjs'

export default {
  name: 'low power',
  kind: 'person',
  what: 'Chromium on one core, behind everything else that runs on the machine',
  screen: true,
  needs: ['taskset'],
  async visit(stage) {
    const browser = openChromium(stage.display, stage.url, { prefix: ['taskset', '-c', '0', 'nice', '-n', '15'] })
    stage.defer(browser.close)
    await fillByMouse(stage, stage.hands())
  },
}
