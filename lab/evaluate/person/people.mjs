import { handOf } from '../hands/hand.mjs'
import { released } from '../hands/typing.mjs'
import { keyOf } from '../hands/us-keyboard.mjs'
import { recordings } from './recordings.mjs'
import { carry, densify, nearest } from './scale-path.mjs'

/**
 * Finds the people whose hands visitors have: recorded ones of a folder, else synthetic ones, others for another seed. `person`
 * gives another one for each whole number.
 */
export function people(traces, seed = '1') {
  if (traces === undefined) return { kind: `synthetic, seed ${seed}`, person: (i) => handOf(`${seed} ${i}`) }
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
