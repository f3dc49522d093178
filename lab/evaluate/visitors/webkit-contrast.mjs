import { openWebkit } from '../browsers/webkit.mjs'
import { fillByMouse } from '../person/fill.mjs'

export default {
  name: 'WebKit, high contrast',
  kind: 'person',
  what: 'WebKitGTK in MiniBrowser with the desktop’s theme of high contrast (`prefers-contrast: more`; this engine has no forced colours); mouse and keyboard',
  screen: true,
  needs: ['WebKitWebDriver'],
  async visit(stage) {
    const browser = openWebkit(stage.display, stage.url, { env: { GTK_THEME: 'HighContrast' } })
    stage.defer(browser.close)
    await fillByMouse(stage, stage.hands({ believes: false }))
  },
}
