import { openChromium } from '../browsers/chromium.mjs'

export default {
  name: 'autofill',
  kind: 'person',
  what: 'Chromium; name and email from the browser’s own suggestions, saved when another form was sent, chosen with arrow and Enter',
  screen: true,
  async visit(stage) {
    const { customer, who } = stage
    const browser = openChromium(stage.display, new URL('/newsletter', stage.url).href)
    stage.defer(browser.close)
    const hands = stage.hands()
    const onNewsletter = ({ path }) => path === '/newsletter'
    for (const id of ['name', 'email']) {
      await hands.enter(id, onNewsletter)
      await hands.type(who[id])
    }
    await hands.tap('Return')
    const onThanks = ({ path }) => path === '/thanks'
    await customer.layout(onThanks)
    await hands.rest(700, 1500)
    await hands.follow('home', onThanks, ({ path }) => path === '/')
    await hands.rest(1500, 3000)
    for (const id of ['name', 'email']) {
      await hands.click(id)
      await hands.rest(500, 900)
      await hands.tap('Down')
      await hands.rest(350, 700)
      await hands.tap('Down')
      await hands.rest(350, 700)
      await hands.tap('Return')
      await hands.rest(500, 900)
    }
    await hands.click('terms')
    await hands.rest(200, 500)
    await hands.click('send')
    await customer.form()
  },
}
