import { clamp } from '../person/dice.mjs'

/**
 * Draws one reach: a first throw, corrections until the target is met, and a press, which falls on `to`. The target is `width`
 * pixels wide along the way; the device reports `every` so many milliseconds. `settle`: milliseconds from the last move to the
 * press; `held`: from press to release.
 *
 * @typedef {{ t: number, x: number, y: number }} Point milliseconds from the start of the reach, whole pixels
 * @typedef {{ points: Point[], distance: number, duration: number, settle: number, held: number }} Reach
 * @returns {Reach}
 */
export function drawReach(traits, draw, from, to, { width = 40, every = traits.every } = {}) {
  const way = { x: to.x - from.x, y: to.y - from.y }
  const distance = Math.hypot(way.x, way.y)
  const parts = distance < 2 ? [] : submovements(traits, draw, way, distance, width)
  const points = report(parts, traits, draw, from, to, every)
  return {
    points,
    distance,
    duration: points.at(-1).t,
    settle: clamp(draw.weibull(traits.settle, SETTLE_SHAPE), 1, 1200),
    held: drawHold(traits, draw),
  }
}

/** Draws how long a button stays down. @returns milliseconds, 22 to 390 */
export const drawHold = ({ held }, draw) => clamp(draw.logNormal(held, HELD_SPREAD), 22, 390)

/** Pauses before the press are almost memoryless; presses are held for a time of their own. */
const SETTLE_SHAPE = 1.2
const HELD_SPREAD = 0.23

/** Duration of the first throw, in milliseconds: Fitts' law with the index of difficulty of Shannon's form. */
const THROW_MS = 200
const THROW_MS_PER_BIT = 28
/** A correction: its median length, and how much longer it takes for each doubling of its way. Milliseconds. */
const CORRECTION_MS = 95
const CORRECTION_MS_PER_BIT = 14

/** The movements that a reach is the sum of: each begins before the one before has quite ended, or after a short look. */
function submovements(traits, draw, way, distance, width) {
  const { pace, gain, bow } = traits
  const parts = []
  const done = { x: 0, y: 0 }
  const add = (part) => {
    parts.push(submovement(part))
    done.x += part.way.x
    done.y += part.way.y
  }
  const left = () => ({ x: way.x - done.x, y: way.y - done.y })

  // Now and then a hand sets out before the eye has found the target.
  let start = 0
  if (draw.chance(0.45)) {
    const size = distance * clamp(draw.logNormal(0.1, 1), 0.01, 0.6)
    const ms = pace * draw.logNormal(150, 0.3)
    add({
      start,
      ms,
      skew: 0.3,
      arc: 0.4 * draw.normal(),
      way: turned(way, size / distance, 1.1 * draw.normal()),
    })
    start = ms * draw.between(0.6, 1.6)
  }
  const bits = Math.log2(distance / width + 1)
  const ms = pace * (THROW_MS + THROW_MS_PER_BIT * bits) * Math.exp(0.19 * draw.normal())
  const isCoarse = draw.chance(0.35)
  const share = clamp(
    gain + (isCoarse ? 0.02 + 0.26 * draw.normal() : 0.05 * draw.normal()),
    0.4,
    1.5,
  )
  add({
    start,
    ms,
    skew: clamp(0.22 + 0.07 * draw.normal(), 0.08, 0.5),
    arc: bow + 0.7 * draw.normal(),
    way: turned(left(), share, (isCoarse ? 0.25 : 0.06) * draw.normal()),
  })
  start += ms
  for (let corrections = 0; corrections < 4; corrections++) {
    const rest = left()
    const size = Math.hypot(rest.x, rest.y)
    if (size < 0.5) break
    const isLast = corrections === 3 || size < 3 || draw.chance(size < width / 2 ? 0.75 : 0.45)
    const took =
      pace *
      (CORRECTION_MS + CORRECTION_MS_PER_BIT * Math.log2(1 + size / 4)) *
      Math.exp(0.3 * draw.normal())
    // It overlaps the one before, or follows a look at where the pointer is.
    const since = draw.chance(0.4)
      ? -took * draw.between(0.2, 0.7)
      : clamp(draw.logNormal(55, 0.8), 4, 300)
    add({
      start: Math.max(0, start + since),
      ms: took,
      skew: clamp(0.3 + 0.08 * draw.normal(), 0.15, 0.5),
      arc: 0.4 * draw.normal(),
      way: isLast
        ? rest
        : turned(rest, clamp(0.88 + 0.18 * draw.normal(), 0.4, 1.3), 0.12 * draw.normal()),
    })
    start = Math.max(0, start + since) + took
  }
  // The last one meets the target.
  const rest = left()
  if (Math.hypot(rest.x, rest.y) >= 0.5) add({ start, ms: 80 * pace, skew: 0.3, arc: 0, way: rest })
  return parts
}

const turned = ({ x, y }, scale, angle) => ({
  x: scale * (x * Math.cos(angle) - y * Math.sin(angle)),
  y: scale * (x * Math.sin(angle) + y * Math.cos(angle)),
})

/** Lists the reports of the device: whole pixels, at its own pace and a fraction of a millisecond beside it, only where it changed. */
function report(parts, { tremor, tremorRate }, draw, from, to, every) {
  const end = Math.max(0, ...parts.map((part) => part.end))
  const phases = [draw.between(0, 7), draw.between(0, 7)]
  const turn = (2 * Math.PI * tremorRate) / 1000
  const points = [{ t: 0, x: Math.round(from.x), y: Math.round(from.y) }]
  let since
  let before = from
  for (let i = 1; i * every < end + every; i++) {
    const t = i * every + draw.between(-0.3, 0.3)
    const at = { x: from.x, y: from.y }
    for (const part of parts) part.add(at, t)
    // Tremor shows while the hand moves; a resting mouse lies on the desk.
    const moves = Math.min(1, Math.hypot(at.x - before.x, at.y - before.y) / (0.12 * every))
    before = { x: at.x, y: at.y }
    const x = Math.round(at.x + tremor * moves * Math.sin(turn * t + phases[0]))
    const y = Math.round(at.y + tremor * moves * Math.sin(turn * 1.13 * t + phases[1]))
    const last = points.at(-1)
    if (x === last.x && y === last.y) continue
    since ??= t - every
    points.push({ t: t - since, x, y })
  }
  const last = points.at(-1)
  if (last.x !== Math.round(to.x) || last.y !== Math.round(to.y))
    points.push({ t: last.t + every, x: Math.round(to.x), y: Math.round(to.y) })
  return points
}

/**
 * One movement of the sum that a reach is: along an arc of a circle, its speed a log-normal curve of time (Plamondon, "A
 * kinematic theory of rapid human movements", 1995). `start`: milliseconds; `ms`: from 1 to 99 per cent of the way; `skew`:
 * sigma of the log-normal, 0.1 to 0.6: the greater, the earlier the peak; `arc`: radians the direction turns by on the way;
 * `way`: pixels from the start to the end.
 */
function submovement({ start, ms, skew, arc, way }) {
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
