import { openChromium } from '../browsers/chromium.mjs'
import { fillByTaps } from '../person/fill.mjs'

export default {
  name: 'touch',
  kind: 'person',
  what: 'Chromium on a screen of 1280 by 800 with a real touch device of the X server: taps, and types on a keyboard; no pointer moves at all',
  screen: 'touch',
  async visit(stage) {
    const args = ['--window-size=1280,756', '--window-position=0,0']
    const browser = openChromium(stage.display, stage.url, { args })
    stage.defer(browser.close)
    await fillByTaps(stage)
  },
}
