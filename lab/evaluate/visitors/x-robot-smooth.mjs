import { glide } from '../bots/glide.mjs'
import { robot } from '../bots/x-robot.mjs'
import { openChromium } from '../browsers/chromium.mjs'
import { pause } from '../../stand/processes.mjs'

export default {
  name: 'robotic X input, gliding',
  kind: 'bot',
  what: 'a browser without a debugger; straight lines at a constant speed to the middle of each field, a key every 90 ms',
  screen: true,
  async visit(stage) {
    const browser = openChromium(stage.display, stage.url)
    stage.defer(browser.close)
    const { type, click } = robot(stage, { between: 60, held: 30 })
    const to = glide(stage)
    await stage.customer.layout()
    await pause(1200)
    for (const id of ['name', 'email', 'comment']) {
      await to(id)
      await click(id)
      await type(stage.who[id])
    }
    for (const id of ['terms', 'send']) {
      await to(id)
      await click(id)
    }
    await stage.customer.form()
  },
}
