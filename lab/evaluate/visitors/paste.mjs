import { openChromium } from '../browsers/chromium.mjs'

export default {
  name: 'paste',
  kind: 'person',
  what: 'Chromium; writes everything in one field, cuts it out and pastes it where it belongs',
  screen: true,
  address: 'school',
  async visit(stage) {
    const { customer, who } = stage
    const browser = openChromium(stage.display, stage.url)
    stage.defer(browser.close)
    const hands = stage.hands()
    await customer.layout()
    await hands.rest(900, 2000)
    for (const id of ['email', 'name']) {
      await hands.click('comment')
      await hands.type(who[id])
      await hands.tap('a', 'Control')
      await hands.tap('x', 'Control')
      await hands.click(id)
      await hands.tap('v', 'Control')
      await hands.rest(300, 700)
    }
    await hands.click('terms')
    await hands.rest(200, 500)
    await hands.click('send')
    await customer.form()
  },
}
