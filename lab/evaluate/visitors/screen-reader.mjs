import { openChromium } from '../browsers/chromium.mjs'
import { fillByKeyboard } from '../person/fill.mjs'

export default {
  name: 'screen-reader tree',
  kind: 'person',
  what: 'Chromium with its accessibility tree forced on, as a screen reader has it; keyboard only, and slower',
  screen: true,
  async visit(stage) {
    const browser = openChromium(stage.display, stage.url, { args: ['--force-renderer-accessibility=complete'] })
    stage.defer(browser.close)
    await fillByKeyboard(stage, stage.hands(), { listen: [700, 1600] })
  },
}
