import { onScreen } from '../person/on-screen.mjs'

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
