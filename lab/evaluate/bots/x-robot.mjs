import { onScreen } from '../person/on-screen.mjs'
import { pause } from '../../stand/processes.mjs'

/** What `xdotool mousemove … click 1` and `xdotool type` send to the X server: straight to the middle, evenly. */
export function robot({ display, customer }, { between = 12, held = 12 } = {}) {
  const { x, key } = display
  const stroke = ({ keycode, shift }) => {
    const modifier = shift ? key('Shift').keycode : undefined
    if (modifier) x.key(modifier, true)
    x.key(keycode, true)
    x.key(keycode, false, held)
    if (modifier) x.key(modifier, false)
  }
  return {
    async click(id) {
      const { left, top, width, height } = onScreen(await customer.layout(), id)
      x.move(left + width / 2, top + height / 2)
      x.button(1, true, 20)
      x.button(1, false, held)
      await x.done()
      await pause(200)
    },
    async type(text) {
      for (const character of text) {
        stroke(key(character))
        x.key(key('Shift').keycode, false, between)
      }
      await x.done()
      await pause(200)
    },
  }
}
