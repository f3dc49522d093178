import { curve } from '../bots/curve.mjs'
import { pressIfAsked } from '../bots/press-if-asked.mjs'
import { openChromium } from '../browsers/chromium.mjs'
import { pause } from '../../stand/processes.mjs'

export default {
  name: 'robotic X input, curved',
  kind: 'bot',
  what: 'a browser without a debugger; eased Bézier curves with noise to somewhere in each field, keys with uniformly random pauses and times',
  screen: true,
  async visit(stage) {
    const { display, dice, customer, who } = stage
    const browser = openChromium(display, stage.url)
    stage.defer(browser.close)
    const { x, key } = display
    const to = curve(stage)
    const click = async (id) => {
      await to(id)
      x.button(1, true, dice.between(50, 200))
      x.button(1, false, dice.between(50, 110))
      await x.done()
      await pause(dice.between(200, 500))
    }
    const type = async (text) => {
      for (const character of text) {
        const { keycode, shift } = key(character)
        if (shift) x.key(key('Shift').keycode, true, 20)
        x.key(keycode, true, dice.between(40, 140))
        x.key(keycode, false, dice.between(40, 90))
        if (shift) x.key(key('Shift').keycode, false, 10)
      }
      await x.done()
      await pause(dice.between(300, 700))
    }
    await customer.layout()
    await pause(1200)
    for (const id of ['name', 'email', 'comment']) {
      await click(id)
      await type(who[id])
    }
    await click('terms')
    await click('send')
    await pressIfAsked(stage, click)
    await customer.form()
  },
}
