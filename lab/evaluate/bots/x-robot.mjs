import { keyOf } from '../hands/us-keyboard.mjs'
import { onScreen, somewhereOn } from '../person/on-screen.mjs'
import { pause } from '../../stand/processes.mjs'

/** Presses the keys of a text evenly, with so many milliseconds between two of them. */
export async function typeEvenly({ x }, text, { between, held }) {
  for (const character of text) {
    const { key, isShifted } = keyOf(character)
    if (isShifted) x.key('Shift', true)
    x.tap(key, 0, held)
    if (isShifted) x.key('Shift', false)
    // The next key waits; letting go of Shift where it is up is nothing.
    x.key('Shift', false, between)
  }
  await x.done()
}

/** What `xdotool mousemove … click 1` and `xdotool type` send to the X server: straight to the middle, evenly. */
export function robot({ display, customer }, { between = 12, held = 12 } = {}) {
  const { x } = display
  return {
    async click(id) {
      const { left, top, width, height } = onScreen(await customer.layout(), id)
      x.move(left + width / 2, top + height / 2)
      x.click(20, held)
      await x.done()
      await pause(200)
    },
    async type(text) {
      await typeEvenly(display, text, { between, held })
      await pause(200)
    },
  }
}

/** Moves the pointer along a straight line, a step every 10 ms, to the middle of a part of the page. */
export const glide =
  ({ display: { x }, customer }, steps = 40) =>
  async (id) => {
    const from = await x.pointer()
    const { left, top, width, height } = onScreen(await customer.layout(), id)
    const to = { x: left + width / 2, y: top + height / 2 }
    for (let i = 1; i <= steps; i++)
      x.move(from.x + ((to.x - from.x) * i) / steps, from.y + ((to.y - from.y) * i) / steps, 10)
    await x.done()
  }

/** Moves the pointer along a Bézier curve, eased in and out, with noise: how guides to "human-like" robots have it. */
export const curve =
  ({ display: { x }, customer, dice }) =>
  async (id) => {
    const from = await x.pointer()
    const to = somewhereOn(onScreen(await customer.layout(), id), dice)
    const [dx, dy] = [to.x - from.x, to.y - from.y]
    // Control points beside the line, by up to a fifth of its length.
    const [first, second] = [dice.bell() * 0.12, dice.bell() * 0.12]
    const steps = Math.round(dice.between(35, 60))
    for (let i = 1; i <= steps; i++) {
      const u = i / steps
      const t = u < 0.5 ? 2 * u * u : 1 - (2 - 2 * u) ** 2 / 2
      const beside = 3 * t * (1 - t) ** 2 * first + 3 * t * t * (1 - t) * second
      const noise = i < steps ? 0.8 : 0
      x.move(
        from.x + dx * t - dy * beside + noise * dice.bell(),
        from.y + dy * t + dx * beside + noise * dice.bell(),
        dice.between(8, 13),
      )
    }
    await x.done()
  }
