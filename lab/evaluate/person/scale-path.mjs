/** Carries a recorded reach to other places: turned and scaled as a whole, its times as recorded. */
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
 * Recorded pages saw one move per frame; the mouse itself had spoken more often. Puts the points of a device between them, in
 * whole pixels, where the pointer changed. `every` is 8 ms for a mouse of 125 Hz.
 */
export function densify(points, every) {
  const dense = points.flatMap((to, i) => {
    const from = points[i - 1] ?? to
    const gap = to.t - from.t
    const parts = gap > AT_REST_MS ? 1 : Math.max(1, Math.round(gap / every))
    const at = (name, k) => Math.round(from[name] + ((to[name] - from[name]) * k) / parts)
    return Array.from({ length: parts }, (_, k) => ({ t: at('t', k + 1), x: at('x', k + 1), y: at('y', k + 1) }))
  })
  return dense.filter(({ x, y }, i) => i === 0 || x !== dense[i - 1].x || y !== dense[i - 1].y)
}

/** The recorded reach that has to be stretched least. `next` says which of the nearest few. */
export function nearest(reaches, distance, next) {
  const stretch = (reach) => Math.abs(Math.log(reach.distance / Math.max(1, distance)))
  const few = [...reaches].sort((one, other) => stretch(one) - stretch(other)).slice(0, 4)
  if (few.length === 0) throw new Error('this recording has no reach that ends in a click')
  return few[Math.floor(next() * few.length)]
}
