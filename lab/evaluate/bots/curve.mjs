import { onScreen, somewhereOn } from '../person/on-screen.mjs'

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
