import { released } from '../hands/typing.mjs'
import { keyOf } from '../hands/us-keyboard.mjs'

/** Other words than the recorded ones, in the rhythm of the person, from somewhere in the recording on. */
export function typeText(text, rhythm, dice) {
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
