import { openChromium } from '../browsers/chromium.mjs'
import { fillByMouse } from '../person/fill.mjs'

export default {
  name: 'reduced motion, zoom 200 %',
  kind: 'person',
  what: 'Chromium; prefers reduced motion, zooms in with Ctrl and plus, scrolls with the wheel',
  screen: true,
  async visit(stage) {
    const { customer } = stage
    const browser = openChromium(stage.display, stage.url, { args: ['--force-prefers-reduced-motion'] })
    stage.defer(browser.close)
    const hands = stage.hands()
    await customer.layout()
    await hands.rest(600, 1200)
    for (let step = 0; step < 5; step++) {
      await hands.tap('+', 'Control')
      await hands.rest(150, 350)
    }
    await customer.layout(({ ratio }) => ratio === 2)
    await fillByMouse(stage, hands)
  },
}
