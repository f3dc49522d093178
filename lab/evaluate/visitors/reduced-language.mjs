import { openChromium } from '../browsers/chromium.mjs'
import { fillByMouse } from '../person/fill.mjs'

export default {
  name: 'reduced Accept-Language',
  kind: 'person',
  what: 'Chromium with the reduced Accept-Language that is being rolled out: one language, written elsewhere among the headers',
  screen: true,
  async visit(stage) {
    const args = ['--enable-features=ReduceAcceptLanguage,ReduceAcceptLanguageHTTP']
    const browser = openChromium(stage.display, stage.url, { args })
    stage.defer(browser.close)
    await fillByMouse(stage, stage.hands())
  },
}
