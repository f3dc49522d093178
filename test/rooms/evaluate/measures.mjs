/** Measures of hands, synthetic or recorded, by which the ones are held against the others. */

/**
 * Finds a quantile.
 *
 * @param {readonly number[]} values
 * @param {number} share 0 to 1
 */
export const quantile = (values, share) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(share * values.length))]

/** Milliseconds of a frame of 60 Hz: recorded pages saw one move for each. */
const FRAME_MS = 1000 / 60
/** A pause this long between two moves is the hand at rest. Milliseconds. */
const REST_MS = 45

/**
 * Keeps of a reach the points that a page without coalesced events sees: the last one of each frame.
 *
 * @param {import('../../../lab/evaluate/hands/reach.mjs').Reach} reach
 * @returns {import('../../../lab/evaluate/hands/reach.mjs').Reach}
 */
export function byFrames(reach) {
  const frameOf = ({ t }) => Math.ceil(t / FRAME_MS)
  const seen = reach.points.filter((point, i, all) => i === all.length - 1 || frameOf(point) !== frameOf(all[i + 1]))
  const begun = frameOf(seen[0])
  const points = seen.map((point) => ({ ...point, t: (frameOf(point) - begun) * FRAME_MS }))
  return { ...reach, points, duration: points.at(-1).t }
}

/**
 * Measures the shape of one reach, resampled to frames.
 *
 * @param {import('../../../lab/evaluate/hands/reach.mjs').Reach} reach
 * @returns {{ detour: number, unevenness: number, centre: number, peaks: number, rests: number }} `detour`: way over
 *   straight distance; `unevenness`: standard deviation of the speed over its mean; `centre`: mean time of the way, 0 start
 *   to 1 end; `peaks`: of the speed; `rests`: pauses of more than 45 ms
 */
export function shapeOf({ points, duration }) {
  const steps = Math.max(8, Math.round(duration / FRAME_MS))
  const places = Array.from({ length: steps + 1 }, (_, i) => placeAt(points, (duration * i) / steps))
  const lengths = places.slice(1).map(({ x, y }, i) => Math.hypot(x - places[i].x, y - places[i].y))
  const way = lengths.reduce((sum, one) => sum + one, 0)
  const mean = way / steps
  const variance = lengths.reduce((sum, one) => sum + (one - mean) ** 2, 0) / steps
  const last = places.at(-1)
  return {
    detour: way / Math.hypot(last.x - places[0].x, last.y - places[0].y),
    unevenness: Math.sqrt(variance) / mean,
    centre: lengths.reduce((sum, one, i) => sum + one * i, 0) / way / (steps - 1),
    peaks: peaksOf(lengths),
    rests: points.slice(1).filter(({ t }, i) => t - points[i].t > REST_MS).length,
  }
}

function placeAt(points, t) {
  const next = Math.max(
    1,
    points.findIndex((point) => point.t >= t),
  )
  const [a, b] = [points[next - 1], points[next]]
  const share = b.t > a.t ? Math.min(1, Math.max(0, (t - a.t) / (b.t - a.t))) : 1
  return { x: a.x + (b.x - a.x) * share, y: a.y + (b.y - a.y) * share }
}

/** Counts the maxima of the smoothed speed that stand out by a twelfth of the greatest. */
function peaksOf(lengths) {
  const speeds = lengths.map((one, i) => ((lengths[i - 1] ?? one) + 2 * one + (lengths[i + 1] ?? one)) / 4)
  const enough = Math.max(...speeds) / 12
  let peaks = 0
  let lowest = 0
  let highest = 0
  for (const speed of [...speeds, 0]) {
    if (speed > lowest + enough) highest = Math.max(highest, speed)
    if (highest > 0 && speed < highest - enough) {
      peaks++
      highest = 0
      lowest = speed
    } else if (highest === 0) lowest = Math.min(lowest, speed)
  }
  return peaks
}

/**
 * Measures how one person types.
 *
 * @param {readonly (readonly import('../../../lab/evaluate/hands/typing.mjs').Stroke[])[]} sentences
 * @returns {{ held: number, gap: number, heldSpread: number, gapSpread: number, overlaps: number, backspaces: number }}
 *   `held`, `gap`: medians in milliseconds; spreads: between the quartiles, as a share of the median; `overlaps`: share of
 *   keys that go down before the last one is up; `backspaces`: share of keys
 */
export function rhythmOf(sentences) {
  const typed = sentences.map((strokes) => strokes.filter(({ key }) => key !== 'Shift'))
  const pairs = typed.flatMap((strokes) => strokes.slice(1).map((stroke, i) => [strokes[i], stroke]))
  const holds = typed.flat().map(({ at, until }) => until - at)
  const gaps = pairs.map(([before, after]) => after.at - before.at)
  const spread = (values) => (quantile(values, 0.75) - quantile(values, 0.25)) / quantile(values, 0.5)
  return {
    held: quantile(holds, 0.5),
    gap: quantile(gaps, 0.5),
    heldSpread: spread(holds),
    gapSpread: spread(gaps),
    overlaps: pairs.filter(([before, after]) => before.until > after.at).length / pairs.length,
    backspaces: typed.flat().filter(({ key }) => key === 'BackSpace').length / holds.length,
  }
}
