import { inventedPerson } from '../bots/invented-person.mjs'
import { thinking } from '../bots/thinking.mjs'
import { openChromium } from '../browsers/chromium.mjs'

export default {
  name: 'agent: computer use with human-like hands',
  kind: 'inseparable',
  isAgent: true,
  what: 'the same plan and the same thinking, but paths and rhythms from a model of hands, through the X server',
  screen: true,
  async visit(stage) {
    const browser = openChromium(stage.display, stage.url)
    stage.defer(browser.close)
    const hands = stage.hands({}, inventedPerson(stage.dice))
    const think = thinking(stage.dice)
    await stage.customer.layout()
    for (const id of ['name', 'email', 'comment']) {
      await think()
      await hands.enter(id)
      await think()
      await hands.type(stage.who[id])
    }
    for (const id of ['terms', 'send']) {
      await think()
      await hands.click(id)
    }
    await stage.customer.form()
  },
}
