/**
 * Carries a recorded reach to other places: turned and scaled as a whole, its times as recorded.
 *
 * @param {import('./read-mouse.mjs').Reach} reach
 * @param {{ x: number, y: number }} from
 * @param {{ x: number, y: number }} to
 * @returns {import('./read-mouse.mjs').Point[]}
 */
export function carry({ points }, from, to) {
  const first = points[0]
  const last = points.at(-1)
  const recorded = { x: last.x - first.x, y: last.y - first.y }
  const wanted = { x: to.x - from.x, y: to.y - from.y }
  const square = recorded.x ** 2 + recorded.y ** 2
  // A turn and a scale are one complex factor: wanted / recorded.
  const a = (wanted.x * recorded.x + wanted.y * recorded.y) / square
  const b = (wanted.y * recorded.x - wanted.x * recorded.y) / square
  return points.map(({ t, x, y }) => ({
    t,
    x: from.x + a * (x - first.x) - b * (y - first.y),
    y: from.y + b * (x - first.x) + a * (y - first.y),
  }))
}

/** A pause longer than this between two recorded moves is the hand at rest. Milliseconds. */
const AT_REST_MS = 45

/**
 * Recorded pages saw one move per frame; the mouse itself had spoken more often. Puts the points of a device between
 * them, on a curve through the recorded ones, in whole pixels, where the pointer changed.
 *
 * @param {import('./read-mouse.mjs').Point[]} points
 * @param {number} every milliseconds: 8 for a mouse of 125 Hz, 2 for one of 500 Hz
 * @returns {import('./read-mouse.mjs').Point[]}
 */
export function densify(points, every) {
  const dense = [points[0]]
  for (let i = 1; i < points.length; i++) {
    const [p1, p2] = [points[i - 1], points[i]]
    // A curve through a rest would run past it.
    const p0 = isRest(points[i - 2], p1) ? p1 : points[i - 2]
    const p3 = isRest(p2, points[i + 1]) ? p2 : points[i + 1]
    const gap = p2.t - p1.t
    const parts = gap > AT_REST_MS || gap <= 0 ? 1 : Math.max(1, Math.round(gap / every))
    for (let k = 1; k <= parts; k++) {
      const u = k / parts
      dense.push({ t: p1.t + gap * u, x: curve(p0.x, p1.x, p2.x, p3.x, u), y: curve(p0.y, p1.y, p2.y, p3.y, u) })
    }
  }
  const whole = dense.map(({ t, x, y }) => ({ t: Math.round(t), x: Math.round(x), y: Math.round(y) }))
  return whole.filter(({ x, y }, i) => i === 0 || x !== whole[i - 1].x || y !== whole[i - 1].y)
}

const isRest = (one, other) => one === undefined || other === undefined || other.t - one.t > AT_REST_MS

/** Catmull and Rom's spline through p1 and p2. */
function curve(p0, p1, p2, p3, u) {
  return (
    0.5 * (2 * p1 + (p2 - p0) * u + (2 * p0 - 5 * p1 + 4 * p2 - p3) * u ** 2 + (3 * p1 - p0 - 3 * p2 + p3) * u ** 3)
  )
}

/**
 * The recorded reach that has to be stretched least.
 *
 * @param {readonly import('./read-mouse.mjs').Reach[]} reaches
 * @param {number} distance pixels
 * @param {() => number} next 0 to 1: which of the nearest few
 */
export function nearest(reaches, distance, next) {
  const stretch = (reach) => Math.abs(Math.log(reach.distance / Math.max(1, distance)))
  const few = [...reaches].sort((one, other) => stretch(one) - stretch(other)).slice(0, 4)
  if (few.length === 0) throw new Error('this recording has no reach that ends in a click')
  return few[Math.floor(next() * few.length)]
}
