import { pause } from '../../stand/processes.mjs'
import { onScreen, somewhereOn, trueLayout } from './on-screen.mjs'

/**
 * A finger on a touch screen. Fingers are neither recorded nor modelled, so the times are those of the person's clicks, and a
 * tap slips by a pixel or two, as taps do. `believes`: whether the page's account of the screen is true.
 */
export function finger({ touch, x: client }, person, { dice, customer, believes = true }) {
  let id = 0
  return {
    /** Taps on a part of the page, as the page tells where it is; `suits`: which page. */
    async tap(part, suits) {
      const layout = await trueLayout(await customer.layout(suits), client, believes)
      const { x, y } = somewhereOn(onScreen(layout, part), dice)
      const held = person.press()
      const slip = { x: dice.bell(), y: dice.bell() }
      const steps = Math.max(1, Math.round(held / 16))
      id++
      const began = performance.now()
      touch(id, 'begin', x, y)
      for (let step = 1; step <= steps; step++) {
        // Timers that come late must not make a long press of it, which clicks nothing.
        await pause(Math.max(0, (held * step) / steps - (performance.now() - began)))
        if (dice.next() < 0.4)
          touch(id, 'update', x + (slip.x * step) / steps, y + (slip.y * step) / steps)
      }
      touch(id, 'end', x + slip.x, y + slip.y)
    },
  }
}
