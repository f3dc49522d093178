import { openChromium } from '../browsers/chromium.mjs'
import { fillByMouse } from '../person/fill.mjs'
import { pressByMouse } from './press.mjs'

export default {
  name: 'forgotten second script',
  kind: 'person',
  what: 'Chromium, mouse and keyboard, on a page whose customer forgot to put captcha-visit-LANGUAGE.js beside captcha.js: nothing is observed',
  screen: true,
  lacks: /captcha-visit/,
  async visit(stage) {
    const browser = openChromium(stage.display, stage.url)
    stage.defer(browser.close)
    const hands = stage.hands()
    await fillByMouse({ ...stage, customer: { ...stage.customer, form: () => undefined } }, hands)
    await pressByMouse(stage, hands)
  },
}
