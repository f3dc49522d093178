import { handOf } from '../hands/hand.mjs'
import { released } from '../hands/typing.mjs'
import { keyOf } from '../hands/us-keyboard.mjs'
import { recordings } from './recordings.mjs'

/**
 * Finds the people whose hands visitors have: recorded ones of a folder, else synthetic ones, others for another seed. `person`
 * gives another one for each whole number.
 */
export function people(traces, seed = '1') {
  if (traces === undefined)
    return { kind: `synthetic, seed ${seed}`, person: (i) => handOf(`${seed} ${i}`) }
  const recorded = recordings(traces)
  return { kind: 'recorded', person: (i, dice) => recordedPerson(recorded(i), dice) }
}

/** Milliseconds between two reports of the mouse that recorded hands are given: 125 Hz. */
const EVERY = 8

/**
 * Makes the hands of a recorded person, with the methods of a synthetic one (hands/hand.mjs): reaches carried to where they are
 * wanted, other words in the same rhythm. The dice say which of the recorded reaches, and where in the rhythm.
 */
function recordedPerson({ mouse, typist }, dice) {
  return {
    every: EVERY,
    reach(from, to, { every = EVERY } = {}) {
      const recorded = nearest(mouse.reaches, Math.hypot(to.x - from.x, to.y - from.y), dice.next)
      return { ...recorded, points: densify(carry(recorded, from, to), every) }
    },
    press: () => dice.pick(mouse.reaches).held,
    type: (text) => typeText(text, typist.rhythm, dice),
    /** One of the person's own sentences, with its mistakes and Backspaces, as long as it takes at most so many ms. */
    sentence(most = 6000) {
      const short = typist.sentences.filter((strokes) => strokes.at(-1).until <= most)
      const shortest = () => [...typist.sentences].sort((a, b) => a.length - b.length)[0]
      return short.length > 0 ? dice.pick(short) : shortest().slice(0, 24)
    },
  }
}

/** Other words than the recorded ones, in the rhythm of the person, from somewhere in the recording on. */
function typeText(text, rhythm, dice) {
  const strokes = []
  const start = Math.floor(dice.next() * rhythm.length)
  let at = 0
  for (const [i, character] of [...text].entries()) {
    const { gap, held } = rhythm[(start + i) % rhythm.length]
    // A pause to think in the middle of a recorded sentence is none in the middle of a name.
    at += i === 0 ? 0 : Math.min(gap, 900)
    const { key, isShifted } = keyOf(character)
    if (isShifted) {
      const early = dice.between(70, 180)
      const since = at
      at += early
      strokes.push({ at: since, until: at + held * dice.between(0.6, 1.3), key: 'Shift' })
    }
    strokes.push({ at, until: at + held, key, character })
  }
  return released(strokes, false)
}

/** Carries a recorded reach to other places: turned and scaled as a whole, its times as recorded. */
function carry({ points }, from, to) {
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
function densify(points, every) {
  const dense = points.flatMap((to, i) => {
    const from = points[i - 1] ?? to
    const gap = to.t - from.t
    const parts = gap > AT_REST_MS ? 1 : Math.max(1, Math.round(gap / every))
    const at = (name, k) => Math.round(from[name] + ((to[name] - from[name]) * k) / parts)
    return Array.from({ length: parts }, (_, k) => ({
      t: at('t', k + 1),
      x: at('x', k + 1),
      y: at('y', k + 1),
    }))
  })
  return dense.filter(({ x, y }, i) => i === 0 || x !== dense[i - 1].x || y !== dense[i - 1].y)
}

/** The recorded reach that has to be stretched least. `next` says which of the nearest few. */
function nearest(reaches, distance, next) {
  const stretch = (reach) => Math.abs(Math.log(reach.distance / Math.max(1, distance)))
  const few = [...reaches].sort((one, other) => stretch(one) - stretch(other)).slice(0, 4)
  if (few.length === 0) throw new Error('this recording has no reach that ends in a click')
  return few[Math.floor(next() * few.length)]
}
