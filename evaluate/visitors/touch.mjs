import { openChromium } from '../browsers/chromium.mjs'
import { finger } from '../person/finger.mjs'

export default {
  name: 'touch',
  kind: 'person',
  what: 'Chromium on a screen of 1280 by 800 with a real touch device of the X server: taps, and types on a keyboard; no pointer moves at all',
  screen: 'touch',
  async visit(stage) {
    const { customer, who, dice, display } = stage
    const args = ['--window-size=1280,756', '--window-position=0,0']
    const browser = openChromium(display, stage.url, { args })
    stage.defer(browser.close)
    const hands = stage.hands()
    const { tap } = finger(display, stage.person(), { dice, customer })
    await customer.layout()
    await hands.rest(1000, 2200)
    for (const id of ['name', 'email', 'comment']) {
      await tap(id)
      await hands.rest(400, 900)
      await hands.type(who[id])
      await hands.rest(400, 900)
    }
    await tap('terms')
    await hands.rest(400, 900)
    await tap('send')
    await customer.form()
  },
}
