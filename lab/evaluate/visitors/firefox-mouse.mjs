import { openFirefox } from '../browsers/firefox.mjs'
import { fillByMouse } from '../person/fill.mjs'

export default {
  name: 'Firefox, mouse',
  kind: 'person',
  what: 'Firefox ESR; mouse and keyboard',
  screen: true,
  needs: ['firefox-esr'],
  async visit(stage) {
    const browser = openFirefox(stage.display, stage.url)
    stage.defer(browser.close)
    await fillByMouse(stage, stage.hands())
  },
}
