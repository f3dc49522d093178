import { createHash } from 'node:crypto'

/** Dice that fall the same way for the same name, so that a run can be repeated. */
export function dice(name) {
  let state = createHash('sha256').update(name).digest().readUInt32LE(0)
  /** 0 to 1, 1 excluded: mulberry32. */
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
  /** A standard normal number, by Box and Muller. */
  const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())
  return {
    next,
    normal,
    /** @param {number} least @param {number} most */
    between: (least, most) => least + (most - least) * next(),
    /** @template T @param {readonly T[]} all @returns {T} */
    pick: (all) => all[Math.floor(next() * all.length)],
    /** About 0, seldom beyond ±2: the sum of uniform ones. */
    bell: () => (next() + next() + next() + next() - 2) * 1.7,
    /** @param {number} median @param {number} spread standard deviation of the logarithm */
    logNormal: (median, spread) => median * Math.exp(spread * normal()),
    /** @param {number} median @param {number} shape 1 is exponential; more is narrower */
    weibull: (median, shape) => median * (-Math.log(1 - next()) / Math.LN2) ** (1 / shape),
    chance: (share) => next() < share,
  }
}

export const clamp = (value, least, most) => Math.min(most, Math.max(least, value))
