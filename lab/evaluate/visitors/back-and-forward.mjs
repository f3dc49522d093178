import { openChromium } from '../browsers/chromium.mjs'
import { fillByMouse } from '../person/fill.mjs'

export default {
  name: 'back and forward',
  kind: 'person',
  what: 'Chromium; reads another page of the site, goes back, forward and back again before filling in',
  screen: true,
  async visit(stage) {
    const { customer } = stage
    const browser = openChromium(stage.display, stage.url)
    stage.defer(browser.close)
    const hands = stage.hands()
    const onAbout = ({ path }) => path === '/about'
    await hands.follow('about', undefined, onAbout)
    await hands.rest(1200, 2500)
    for (const key of ['Left', 'Right', 'Left']) {
      customer.forget()
      await hands.tap(key, 'Alt')
      await customer.layout(key === 'Left' ? undefined : onAbout)
      await hands.rest(500, 1200)
    }
    await fillByMouse(stage, hands)
  },
}
