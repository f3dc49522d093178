import { pause } from '../../stand/processes.mjs'
import { somewhereOn } from '../person/on-screen.mjs'
import { cdpHands } from './cdp-hands.mjs'

/**
 * A finger of the DevTools protocol, with the times of a person's clicks; its keys are those of cdp-hands.mjs.
 *
 * @param {(method: string, parameters: object) => Promise<unknown>} send
 */
export const cdpFinger = (send, person, dice) => ({
  ...cdpHands(send, person, dice),
  async click(box) {
    const { x, y } = somewhereOn(box, dice)
    const point = { x, y, radiusX: dice.between(9, 14), radiusY: dice.between(9, 14), force: dice.between(0.3, 0.8) }
    await send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [point] })
    await pause(person.press())
    await send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
  },
})
