import { clamp, dice } from '../person/dice.mjs'
import { drawHold, drawReach } from './reach.mjs'
import { SENTENCES } from './sentences.mjs'
import { drawTyping } from './typing.mjs'

/**
 * Makes the hands of a synthetic person: docs/design/risk.md. The same seed gives the same person, and the same calls in the
 * same order give the same movements, to the last digit. Nothing waits and nothing is sent: every method returns times and
 * places, for a browser, an X server or a simulation to play.
 */
export function handOf(seed) {
  const traits = traitsOf(dice(`hand ${seed}`))
  const draw = dice(`hand ${seed} on visit 0`)
  const pointer = { traits: traits.pointer, draw }
  const type = (text) => drawTyping(traits.typing, draw, text)
  return {
    traits,
    /** Milliseconds between two reports of this person's mouse. */
    every: traits.pointer.every,
    /** Draws a movement of the pointer that ends in a press: see drawReach. */
    reach: (from, to, target) => drawReach(pointer, from, to, target),
    /** Draws how long a button or a finger stays down. @returns milliseconds */
    press: () => drawHold(pointer),
    /** Draws how the person types a text, with the mistakes that are taken back: see drawTyping. */
    type,
    /** Draws how the person types a short sentence. */
    sentence: () => type(SENTENCES[Math.floor(draw.next() * SENTENCES.length)]),
  }
}

/**
 * Draws the lasting traits of one person and of the devices on the desk. docs/design/risk.md explains each
 * number and compares the people that come of them with recorded ones.
 */
function traitsOf(draw) {
  // Slow typists hold their keys longer: both share a part of their deviation.
  const calm = draw.normal()
  const gap = clamp(153 * Math.exp(0.33 * (0.6 * calm + 0.8 * draw.normal())), 75, 430)
  return {
    pointer: {
      /** Factor on every duration of a movement; 1 is the middle person. */
      pace: draw.logNormal(0.97, 0.17),
      /** Mean of the first throw's length, as a share of the way. */
      gain: clamp(0.95 + 0.03 * draw.normal(), 0.85, 1.03),
      /** Radians: how the hand's arc turns on average, by the joint it pivots on. */
      bow: 0.12 * draw.normal(),
      /** Pixels: amplitude of the tremor while the hand moves. */
      tremor: draw.logNormal(0.35, 0.4),
      /** Hertz: physiological tremor. */
      tremorRate: draw.between(8, 12),
      /** Milliseconds: median pause between the last move and the press. */
      settle: clamp(draw.logNormal(61, 0.55), 10, 300),
      /** Milliseconds: median time a button stays down. */
      held: clamp(draw.logNormal(78, 0.18), 45, 160),
      /** Milliseconds between two reports of the mouse: 125, 250, 500 or 1,000 Hz. */
      every: reportsEvery(draw.next()),
    },
    typing: {
      /** Milliseconds: median time a key stays down. */
      held: clamp(102 * Math.exp(0.23 * (0.5 * calm + 0.87 * draw.normal())), 55, 170),
      /** Milliseconds: median time from key to key inside a word. */
      gap,
      /** Standard deviation of the logarithm of a hold, and of a gap within its kind. */
      heldSpread: clamp(0.25 + 0.05 * draw.normal(), 0.14, 0.42),
      gapSpread: clamp(0.38 + 0.05 * draw.normal(), 0.24, 0.55),
      /** Factors on the gap after a space, and beside a digit or a point. */
      afterSpace: clamp(draw.logNormal(1.6, 0.25), 0.9, 3),
      atMarks: clamp(draw.logNormal(1.9, 0.3), 0.9, 4),
      /** Whether each key comes up before the next goes down: one finger types, and slowly. */
      oneFinger: draw.chance(gap > 220 ? 0.2 : 0.02),
      /** Share of letters that are typed wrong. */
      mistakes: clamp(draw.logNormal(0.037, 0.5), 0.006, 0.11),
      /** Share of keys before which the person stops to think. */
      thoughts: clamp(draw.logNormal(0.028, 0.7), 0, 0.12),
      /** Seed of this person's factor for each pair of keys. */
      habit: Math.floor(draw.next() * 2 ** 31),
    },
  }
}

/** Of a hundred people, 62 have a mouse of 125 Hz, 8 of 250, 10 of 500 and 20 of 1,000. */
function reportsEvery(share) {
  if (share < 0.62) return 8
  if (share < 0.7) return 4
  return share < 0.8 ? 2 : 1
}
