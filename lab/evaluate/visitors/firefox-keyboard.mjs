import { openFirefox } from '../browsers/firefox.mjs'
import { fillByKeyboard } from '../person/fill.mjs'

export default {
  name: 'Firefox, keyboard only',
  kind: 'person',
  what: 'Firefox ESR; Tab, typing, Space and Enter',
  screen: true,
  needs: ['firefox-esr'],
  async visit(stage) {
    const browser = openFirefox(stage.display, stage.url)
    stage.defer(browser.close)
    await fillByKeyboard(stage, stage.hands())
  },
}
