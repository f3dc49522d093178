/**
 * One movement of the sum that a reach is: along an arc of a circle, its speed a log-normal curve of time (Plamondon, "A
 * kinematic theory of rapid human movements", 1995). `start`: milliseconds; `ms`: from 1 to 99 per cent of the way; `skew`:
 * sigma of the log-normal, 0.1 to 0.6: the greater, the earlier the peak; `arc`: radians the direction turns by on the way;
 * `way`: pixels from the start to the end.
 */
export function submovement({ start, ms, skew, arc, way }) {
  const first = Math.exp(-CENTILE * skew)
  const middle = ms / (Math.exp(CENTILE * skew) - first)
  const onset = start - middle * first
  const end = onset + middle * Math.exp(3.1 * skew)
  const half = Math.abs(arc) < 0.01 ? 0.01 : arc / 2
  const span = 2 * Math.sin(half)
  return {
    /** Milliseconds after which less than 1 in 1,000 of the way is left. */
    end,
    /** Adds how far this movement has come at a time, in milliseconds, to a position. */
    add(position, t) {
      if (t <= onset) return
      if (t > end) {
        position.x += way.x
        position.y += way.y
        return
      }
      const share = normalShare(Math.log((t - onset) / middle) / skew)
      // A circle's arc over the chord from (0, 0) to (1, 0).
      const turn = half * (2 * share - 1)
      const along = (Math.sin(turn) + Math.sin(half)) / span
      const beside = (Math.cos(turn) - Math.cos(half)) / span
      position.x += way.x * along - way.y * beside
      position.y += way.y * along + way.x * beside
    },
  }
}

/** Of the standard normal distribution, what lies between its 1st and 99th centile: plus and minus this. */
const CENTILE = 2.326

/** The share of a standard normal distribution below `z`, to 1 in 10 million: Abramowitz and Stegun, 26.2.17. */
function normalShare(z) {
  const k = 1 / (1 + 0.2316419 * Math.abs(z))
  const tail =
    0.3989422804014327 *
    Math.exp((-z * z) / 2) *
    k *
    (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
  return z > 0 ? 1 - tail : tail
}
