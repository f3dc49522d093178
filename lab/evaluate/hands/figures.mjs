/** Prints the figures of synthetic hands; docs/design/risk.md has them beside those of recorded ones. */
import { dice } from '../person/dice.mjs'
import { handOf } from './hand.mjs'
import { SENTENCES } from './sentences.mjs'

const PEOPLE = 200
const REACHES = 32
/** Milliseconds of a frame of 60 Hz: recorded pages saw one move for each. */
const FRAME_MS = 1000 / 60
/** A pause this long between two moves is the hand at rest. Milliseconds. */
const REST_MS = 45

/**
 * Keeps of a reach the points that a page without coalesced events sees: the last one of each frame.
 *
 * @param {import('./reach.mjs').Reach} reach
 * @returns {import('./reach.mjs').Reach}
 */
export function byFrames(reach) {
  const frameOf = ({ t }) => Math.ceil(t / FRAME_MS)
  const seen = reach.points.filter(
    (point, i, all) => i === all.length - 1 || frameOf(point) !== frameOf(all[i + 1]),
  )
  const begun = frameOf(seen[0])
  const points = seen.map((point) => ({ ...point, t: (frameOf(point) - begun) * FRAME_MS }))
  return { ...reach, points, duration: points.at(-1).t }
}

/** Measures a reach, resampled to frames, in the order of the page. */
function ofReach({ points, duration, distance, settle, held }) {
  const steps = Math.max(8, Math.round(duration / FRAME_MS))
  const places = Array.from({ length: steps + 1 }, (_, i) =>
    placeAt(points, (duration * i) / steps),
  )
  const lengths = places.slice(1).map(({ x, y }, i) => Math.hypot(x - places[i].x, y - places[i].y))
  const way = lengths.reduce((sum, one) => sum + one, 0)
  const mean = way / steps
  const variance = lengths.reduce((sum, one) => sum + (one - mean) ** 2, 0) / steps
  const last = places.at(-1)
  return [
    distance,
    duration,
    settle,
    held,
    way / Math.hypot(last.x - places[0].x, last.y - places[0].y),
    Math.sqrt(variance) / mean,
    lengths.reduce((sum, one, i) => sum + one * i, 0) / way / (steps - 1),
    peaksOf(lengths),
    points.slice(1).filter(({ t }, i) => t - points[i].t > REST_MS).length,
  ]
}

function placeAt(points, t) {
  const found = points.findIndex((point) => point.t >= t)
  const next = Math.max(1, found)
  const [a, b] = [points[next - 1], points[next]]
  const share = b.t > a.t ? Math.min(1, Math.max(0, (t - a.t) / (b.t - a.t))) : 1
  return { x: a.x + (b.x - a.x) * share, y: a.y + (b.y - a.y) * share }
}

/** Counts the maxima of the smoothed speed that stand out by a twelfth of the greatest. */
function peaksOf(lengths) {
  const speeds = lengths.map(
    (one, i) => ((lengths[i - 1] ?? one) + 2 * one + (lengths[i + 1] ?? one)) / 4,
  )
  const enough = Math.max(...speeds) / 12
  let [peaks, lowest, highest] = [0, 0, 0]
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

/** Measures how one person types, in the order of the page. */
function ofTypist(sentences) {
  const typed = sentences.map((strokes) => strokes.filter(({ key }) => key !== 'Shift'))
  const pairs = typed.flatMap((strokes) =>
    strokes.slice(1).map((stroke, i) => [strokes[i], stroke]),
  )
  const holds = typed.flat().map(({ at, until }) => until - at)
  const gaps = pairs.map(([before, after]) => after.at - before.at)
  const spread = (values) =>
    (quantile(values, 0.75) - quantile(values, 0.25)) / quantile(values, 0.5)
  return [
    quantile(holds, 0.5),
    quantile(gaps, 0.5),
    spread(holds),
    spread(gaps),
    pairs.filter(([before, after]) => before.until > after.at).length / pairs.length,
    typed.flat().filter(({ key }) => key === 'BackSpace').length / holds.length,
  ]
}

const quantile = (values, share) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(share * values.length))]

/** Of each figure, the 10th, 50th and 90th centile. */
const centilesOf = (people) =>
  people[0].map((_, i) => [0.1, 0.5, 0.9].map((share) => quantile(people.map((each) => each[i]), share))) // prettier-ignore

/** Draws people, whose reaches have distances like the recorded ones, and measures them. */
function figures() {
  const hands = Array.from({ length: PEOPLE }, (_, i) => handOf(`fit ${i}`))
  const draw = dice('fit')
  const reachOf = (hand) => {
    const distance = Math.min(1700, Math.max(60, draw.weibull(502, 1.75)))
    const angle = draw.between(0, 2 * Math.PI)
    const to = { x: 1000 + distance * Math.cos(angle), y: 1000 + distance * Math.sin(angle) }
    return byFrames(hand.reach({ x: 1000, y: 1000 }, to))
  }
  // The reader of recordings takes no others, too (person/recordings.mjs).
  const reaches = hands
    .flatMap((hand) => Array.from({ length: REACHES }, () => reachOf(hand)))
    .filter(({ points, duration }) => points.length >= 8 && duration >= 150 && duration <= 2500)
  const typists = hands.map((hand) => SENTENCES.map((sentence) => hand.type(sentence)))
  return [...centilesOf(reaches.map(ofReach)), ...centilesOf(typists.map(ofTypist))]
}

if (process.argv[1] === import.meta.filename)
  for (const centiles of figures())
    console.log(centiles.map((each) => Number(each.toFixed(2))).join(' / '))
