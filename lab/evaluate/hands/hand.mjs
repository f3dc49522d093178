import { dice } from '../person/dice.mjs'
import { drawHold, drawReach } from './reach.mjs'
import { SENTENCES } from './sentences.mjs'
import { traitsOf } from './traits.mjs'
import { drawTyping } from './typing.mjs'

/**
 * Makes the hands of a synthetic person: docs/design/risk.md. The same seed gives the same person, and the same calls in the
 * same order give the same movements, to the last digit. Nothing waits and nothing is sent: every method returns times and
 * places, for a browser, an X server or a simulation to play.
 */
export function handOf(seed) {
  const traits = traitsOf(dice(`hand ${seed}`))
  const draw = dice(`hand ${seed} on visit 0`)
  const type = (text) => drawTyping(traits.typing, draw, text)
  return {
    traits,
    /** Milliseconds between two reports of this person's mouse. */
    every: traits.pointer.every,
    /** Draws a movement of the pointer that ends in a press: see drawReach. */
    reach: (from, to, target) => drawReach(traits.pointer, draw, from, to, target),
    /** Draws how long a button or a finger stays down. @returns milliseconds */
    press: () => drawHold(traits.pointer, draw),
    /** Draws how the person types a text, with the mistakes that are taken back: see drawTyping. */
    type,
    /** Draws how the person types a short sentence. */
    sentence: () => type(SENTENCES[Math.floor(draw.next() * SENTENCES.length)]),
  }
}
