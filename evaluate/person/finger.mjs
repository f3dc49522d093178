import { pause } from '../stand/processes.mjs'
import { onScreen, somewhereOn } from './on-screen.mjs'

/**
 * A finger on a touch screen. Nobody recorded fingers, so the times are those of the person's clicks, and a tap slips by a
 * pixel or two, as taps do.
 *
 * @param {object} display with a touch screen
 * @param {object} person of the recordings
 * @param {{ dice: object, customer: object }} at
 */
export function finger({ touch }, { mouse }, { dice, customer }) {
  let id = 0
  return {
    /** Taps on a part of the page, as the page tells where it is. */
    async tap(part) {
      const { x, y } = somewhereOn(onScreen(await customer.layout(), part), dice)
      const { held } = dice.pick(mouse.reaches)
      const slip = { x: dice.bell(), y: dice.bell() }
      const steps = Math.max(1, Math.round(held / 16))
      id++
      touch(id, 'begin', x, y)
      for (let step = 1; step <= steps; step++) {
        await pause(held / steps)
        if (dice.next() < 0.4) touch(id, 'update', x + (slip.x * step) / steps, y + (slip.y * step) / steps)
      }
      touch(id, 'end', x + slip.x, y + slip.y)
    },
  }
}
