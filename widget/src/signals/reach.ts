/** Where a pointer was, in CSS pixels, and when, in milliseconds. Never leaves this file but as two answers. */
export interface Point {
  readonly x: number
  readonly y: number
  readonly at: number
}

export interface Shape {
  /** No point lies more than half a pixel, or a thousandth of the way, beside the straight line. */
  readonly isStraight: boolean
  /** Every step is as long as the others, as far as whole pixels allow: a hand starts, hurries and slows down. */
  readonly isEven: boolean
}

/** Shorter ones are corrections, not reaches. CSS pixels; 181 is the 10th centile of people's (traces/README.md). */
const LEAST = 100
const PAUSE_MS = 150
/** A frame of a 60 Hz screen: steps of a 1,000 Hz mouse are a pixel each, and all alike. */
const STEP_MS = 15

/** The way to a press. @returns undefined when it is too short, or has too few points, to say anything. */
export function reach(path: readonly Point[]): Shape | undefined {
  const steps: Point[] = []
  for (const point of path) {
    const last = steps.at(-1)
    // A pause ends one reach and begins another; a point that did not move is no step.
    if (last && point.at - last.at > PAUSE_MS) steps.length = 0
    if (!last || (point.at - last.at >= STEP_MS && (point.x !== last.x || point.y !== last.y))) steps.push(point)
  }
  const [from, to] = [steps[0], steps.at(-1)]
  if (!from || !to || steps.length < 8) return undefined
  const chord = distance(from, to)
  if (chord < LEAST) return undefined
  const beside = Math.max(
    ...steps.map(({ x, y }) => Math.abs((to.x - from.x) * (from.y - y) - (from.x - x) * (to.y - from.y)) / chord),
  )
  const lengths = steps.slice(1).map((point, i) => distance(point, steps[i]!))
  const mean = lengths.reduce((sum, one) => sum + one, 0) / lengths.length
  const spread = Math.sqrt(lengths.reduce((sum, one) => sum + (one - mean) ** 2, 0) / lengths.length)
  return { isStraight: beside <= Math.max(0.75, chord / 1000), isEven: spread <= Math.max(0.75, mean * 0.15) }
}

const distance = (a: Point, b: Point): number => Math.hypot(a.x - b.x, a.y - b.y)
