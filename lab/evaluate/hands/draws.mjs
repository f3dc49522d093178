/**
 * Draws from the distributions of the model, with a person's dice.
 *
 * @param {{ next: () => number }} dice
 */
export function draws({ next }) {
  /** A standard normal number, by Box and Muller. */
  const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())
  return {
    next,
    normal,
    /** @param {number} median @param {number} spread standard deviation of the logarithm */
    logNormal: (median, spread) => median * Math.exp(spread * normal()),
    /** @param {number} median @param {number} shape 1 is exponential; more is narrower */
    weibull: (median, shape) => median * (-Math.log(1 - next()) / Math.LN2) ** (1 / shape),
    chance: (share) => next() < share,
    between: (least, most) => least + (most - least) * next(),
    /** @template T @param {readonly (readonly [value: T, share: number])[]} table shares add up to 1 @returns {T} */
    oneOf(table) {
      let left = next()
      for (const [value, share] of table) {
        left -= share
        if (left < 0) return value
      }
      return table.at(-1)[0]
    },
  }
}

export const clamp = (value, least, most) => Math.min(most, Math.max(least, value))
