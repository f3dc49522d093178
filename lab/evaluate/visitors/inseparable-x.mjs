import { openChromium } from '../browsers/chromium.mjs'
import { fillByMouse } from '../person/fill.mjs'
import { inventedPerson } from '../bots/invented-person.mjs'

export default {
  name: 'human-like X input',
  kind: 'inseparable',
  what: 'a browser without a debugger; paths and rhythms from a model of hands, through the X server. Limited by work that rises with rate, by rates per address, site and action, by reuse of behaviour, and by single use',
  screen: true,
  async visit(stage) {
    const browser = openChromium(stage.display, stage.url)
    stage.defer(browser.close)
    await fillByMouse(stage, stage.hands({}, inventedPerson(stage.dice)))
  },
}
