import { openWebkit } from '../browsers/webkit.mjs'
import { fillByTaps } from '../person/fill.mjs'

export default {
  name: 'WebKit, touch',
  kind: 'person',
  what: 'WebKitGTK in MiniBrowser on a screen of 1280 by 800 with a real touch device of the X server: taps, and types on a keyboard',
  screen: 'touch',
  needs: ['WebKitWebDriver'],
  async visit(stage) {
    const browser = openWebkit(stage.display, stage.url)
    stage.defer(browser.close)
    await fillByTaps(stage, { believes: false })
  },
}
