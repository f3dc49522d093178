/** Where a pointer was, in CSS pixels, and when, in milliseconds. */
export interface Point {
  readonly x: number
  readonly y: number
  readonly at: number
}

/** Shorter movements are corrections. CSS pixels; fields of a form are often no further apart. */
const LEAST = 50
const PAUSE_MS = 150
/** A frame of a 60 Hz screen: steps of a 1,000 Hz mouse are a pixel each, and all alike. */
const STEP_MS = 15

/**
 * Reports whether a movement to a press is centred in time and has an even speed, as programs draw lines and curves, with easing or
 * noise or without. Hands are fast at first and take long to settle. Returns undefined if there are too few points.
 */
export function isBalancedReach(path: readonly Point[]): boolean | undefined {
  const steps = lastMovement(path)
  const [from, to] = [steps[0], steps.at(-1)]
  if (!from || !to || steps.length < 8 || distance(from, to) < LEAST) return undefined
  const speeds = steps
    .slice(1)
    .map((point, i) => distance(point, steps[i]!) / (point.at - steps[i]!.at))
  const mean = average(speeds)
  const spread = Math.sqrt(average(speeds.map((one) => (one - mean) ** 2))) / mean
  // Where the length is in time: 0 all at the start, 1 all at the end.
  const centre = average(speeds.map((one, i) => (one / mean) * i)) / (speeds.length - 1)
  return spread <= MAX_SPREAD && Math.abs(centre - 0.5) <= 0.035
}

/** Returns the points of the last movement, a frame or more apart. */
function lastMovement(path: readonly Point[]): Point[] {
  const steps: Point[] = []
  for (const point of path) {
    const last = steps.at(-1)
    // A pause begins another movement; a point that did not move is no step.
    if (last && point.at - last.at > PAUSE_MS) steps.length = 0
    if (!last || (point.at - last.at >= STEP_MS && (point.x !== last.x || point.y !== last.y)))
      steps.push(point)
  }
  return steps
}

/**
 * The standard deviation of the speed, relative to its mean: 0.02 to 0.1 at one speed, 0.4 with noise, 0.42 to 0.65 with easing. Of
 * 1,869 movements of 40 people 15 % are so centred (docs/design/risk.md#recorded-hands).
 */
const MAX_SPREAD = 0.7

const average = (values: readonly number[]): number =>
  values.reduce((sum, one) => sum + one, 0) / values.length

const distance = (a: Point, b: Point): number => Math.hypot(a.x - b.x, a.y - b.y)
