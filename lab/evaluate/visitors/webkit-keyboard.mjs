import { openWebkit } from '../browsers/webkit.mjs'
import { fillByKeyboard } from '../person/fill.mjs'

export default {
  name: 'WebKit, keyboard only',
  kind: 'person',
  what: 'WebKitGTK in MiniBrowser; Tab, typing, Space and Enter',
  screen: true,
  needs: ['WebKitWebDriver'],
  async visit(stage) {
    const browser = openWebkit(stage.display, stage.url)
    stage.defer(browser.close)
    await fillByKeyboard(stage, stage.hands())
  },
}
