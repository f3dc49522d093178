import { openWebkit } from '../browsers/webkit.mjs'
import { fillByMouse } from '../person/fill.mjs'

export default {
  name: 'WebKit, mouse',
  kind: 'person',
  what: 'WebKitGTK in MiniBrowser; mouse and keyboard',
  screen: true,
  needs: ['WebKitWebDriver'],
  async visit(stage) {
    const browser = openWebkit(stage.display, stage.url)
    stage.defer(browser.close)
    // It tells its page where the window is, and not how high its bars are.
    await fillByMouse(stage, stage.hands({ believes: false }))
  },
}
