import { robot } from '../bots/x-robot.mjs'
import { openChromium } from '../browsers/chromium.mjs'
import { pause } from '../../stand/processes.mjs'

export default {
  name: 'robotic X input',
  kind: 'bot',
  what: 'a browser without a debugger; the pointer jumps to the middle of each field, keys at a constant pace, as xdotool does',
  screen: true,
  async visit(stage) {
    const browser = openChromium(stage.display, stage.url)
    stage.defer(browser.close)
    const { click, type } = robot(stage)
    await stage.customer.layout()
    await pause(1200)
    for (const id of ['name', 'email', 'comment']) {
      await click(id)
      await type(stage.who[id])
    }
    await click('terms')
    await click('send')
    await stage.customer.form()
  },
}
