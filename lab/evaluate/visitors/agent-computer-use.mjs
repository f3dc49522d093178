import { robot } from '../bots/x-robot.mjs'
import { inGroups, thinking } from '../bots/thinking.mjs'
import { openChromium } from '../browsers/chromium.mjs'

export default {
  name: 'agent: computer use',
  kind: 'bot',
  isAgent: true,
  what: 'a browser without a debugger; a fixed plan in place of the model, which looks at a screenshot and thinks (log-normal, median 2.5 s) before each action; the pointer jumps, keys come 12 ms apart in groups of 50, as the published reference tool does',
  screen: true,
  async visit(stage) {
    const browser = openChromium(stage.display, stage.url)
    stage.defer(browser.close)
    const { click, type } = robot(stage)
    const think = thinking(stage.dice, { screenshot: true })
    await stage.customer.layout()
    for (const id of ['name', 'email', 'comment']) {
      await think()
      await click(id)
      await think()
      for (const piece of inGroups(stage.who[id])) await type(piece)
    }
    for (const id of ['terms', 'send']) {
      await think()
      await click(id)
    }
    await stage.customer.form()
  },
}
