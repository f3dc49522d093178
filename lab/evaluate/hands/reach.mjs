import { clamp } from '../person/dice.mjs'
import { submovement } from './submovement.mjs'

/**
 * Draws one reach: a first throw, corrections until the target is met, and a press, which falls on `to`. The target is `width`
 * pixels wide along the way; the device reports `every` so many milliseconds. `settle`: milliseconds from the last move to the
 * press; `held`: from press to release.
 *
 * @typedef {{ t: number, x: number, y: number }} Point milliseconds from the start of the reach, whole pixels
 * @typedef {{ points: Point[], distance: number, duration: number, settle: number, held: number }} Reach
 * @returns {Reach}
 */
export function drawReach(hand, from, to, { width = 40, every = hand.traits.every } = {}) {
  const { traits, draw } = hand
  const way = { x: to.x - from.x, y: to.y - from.y }
  const distance = Math.hypot(way.x, way.y)
  const parts = distance < 2 ? [] : submovements(hand, way, width)
  const points = report(parts, hand, { from, to }, every)
  return {
    points,
    distance,
    duration: points.at(-1).t,
    settle: clamp(draw.weibull(traits.settle, SETTLE_SHAPE), 1, 1200),
    held: drawHold(hand),
  }
}

/** Draws how long a button stays down. @returns milliseconds, 22 to 390 */
export const drawHold = ({ traits, draw }) =>
  clamp(draw.logNormal(traits.held, HELD_SPREAD), 22, 390)

/** Pauses before the press are almost memoryless; presses are held for a time of their own. */
const SETTLE_SHAPE = 1.2
const HELD_SPREAD = 0.23

/** Duration of the first throw, in milliseconds: Fitts' law with the index of difficulty of Shannon's form. */
const THROW_MS = 200
const THROW_MS_PER_BIT = 28
/** A correction: its median length, and how much longer it takes for each doubling of its way. Milliseconds. */
const CORRECTION_MS = 95
const CORRECTION_MS_PER_BIT = 14

/** Draws the movements that a reach is the sum of: each begins before the one before has quite ended, or after a short look. */
function submovements(hand, way, width) {
  const sum = sumAlong(way)
  let end = addFalseStart(sum, hand, way)
  end = addThrow(sum, hand, { start: end, bits: Math.log2(Math.hypot(way.x, way.y) / width + 1) })
  for (let corrections = 0; corrections < CORRECTIONS; corrections++) {
    if (sizeOf(sum.left()) < 0.5) break
    end = addCorrection(sum, hand, { since: end, width, isFinal: corrections === CORRECTIONS - 1 })
  }
  // The last one meets the target.
  const rest = sum.left()
  if (sizeOf(rest) >= 0.5)
    sum.add({ start: end, ms: 80 * hand.traits.pace, skew: 0.3, arc: 0, way: rest })
  return sum.parts
}

/** Most corrections of a reach. */
const CORRECTIONS = 4

/** Collects movements along a way, and knows what is left of it. */
function sumAlong(way) {
  const parts = []
  const done = { x: 0, y: 0 }
  return {
    parts,
    add(part) {
      parts.push(submovement(part))
      done.x += part.way.x
      done.y += part.way.y
    },
    left: () => ({ x: way.x - done.x, y: way.y - done.y }),
  }
}

const sizeOf = ({ x, y }) => Math.hypot(x, y)

/** Now and then a hand sets out before the eye has found the target. @returns when it starts again, in milliseconds */
function addFalseStart(sum, { traits, draw }, way) {
  if (!draw.chance(0.45)) return 0
  const distance = sizeOf(way)
  const size = distance * clamp(draw.logNormal(0.1, 1), 0.01, 0.6)
  const ms = traits.pace * draw.logNormal(150, 0.3)
  sum.add({
    start: 0,
    ms,
    skew: 0.3,
    arc: 0.4 * draw.normal(),
    way: turned(way, size / distance, 1.1 * draw.normal()),
  })
  return ms * draw.between(0.6, 1.6)
}

/** Adds the first throw, which goes most of the way. @returns when it ends, in milliseconds */
function addThrow(sum, { traits, draw }, { start, bits }) {
  const { pace, gain, bow } = traits
  const ms = pace * (THROW_MS + THROW_MS_PER_BIT * bits) * Math.exp(0.19 * draw.normal())
  const isCoarse = draw.chance(0.35)
  const share = clamp(
    gain + (isCoarse ? 0.02 + 0.26 * draw.normal() : 0.05 * draw.normal()),
    0.4,
    1.5,
  )
  sum.add({
    start,
    ms,
    skew: clamp(0.22 + 0.07 * draw.normal(), 0.08, 0.5),
    arc: bow + 0.7 * draw.normal(),
    way: turned(sum.left(), share, (isCoarse ? 0.25 : 0.06) * draw.normal()),
  })
  return start + ms
}

/** Adds a correction; the final one goes the rest of the way. @returns when it ends, in milliseconds */
function addCorrection(sum, { traits, draw }, { since, width, isFinal }) {
  const rest = sum.left()
  const size = sizeOf(rest)
  const isLast = isFinal || size < 3 || draw.chance(size < width / 2 ? 0.75 : 0.45)
  const took =
    traits.pace *
    (CORRECTION_MS + CORRECTION_MS_PER_BIT * Math.log2(1 + size / 4)) *
    Math.exp(0.3 * draw.normal())
  // It overlaps the one before, or follows a look at where the pointer is.
  const pause = draw.chance(0.4)
    ? -took * draw.between(0.2, 0.7)
    : clamp(draw.logNormal(55, 0.8), 4, 300)
  const start = Math.max(0, since + pause)
  sum.add({
    start,
    ms: took,
    skew: clamp(0.3 + 0.08 * draw.normal(), 0.15, 0.5),
    arc: 0.4 * draw.normal(),
    way: isLast
      ? rest
      : turned(rest, clamp(0.88 + 0.18 * draw.normal(), 0.4, 1.3), 0.12 * draw.normal()),
  })
  return start + took
}

const turned = ({ x, y }, scale, angle) => ({
  x: scale * (x * Math.cos(angle) - y * Math.sin(angle)),
  y: scale * (x * Math.sin(angle) + y * Math.cos(angle)),
})

/** Lists the reports of the device: whole pixels, at its own pace and a fraction of a millisecond beside it, only where it changed. */
function report(parts, { traits, draw }, { from, to }, every) {
  const { tremor, tremorRate } = traits
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
