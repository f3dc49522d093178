import { openChromium } from '../browsers/chromium.mjs'
import { fillByKeyboard } from '../person/fill.mjs'

export default {
  name: 'low power, keyboard only',
  kind: 'person',
  what: 'Chromium on one core, behind everything else that runs on the machine, and no pointer: little to show, and slow work',
  screen: true,
  needs: ['taskset'],
  async visit(stage) {
    const browser = openChromium(stage.display, stage.url, { prefix: ['taskset', '-c', '0', 'nice', '-n', '19'] })
    stage.defer(browser.close)
    await fillByKeyboard(stage, stage.hands())
  },
}
