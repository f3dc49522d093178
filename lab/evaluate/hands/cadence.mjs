import { thought } from '../bots/thinking.mjs'
import { formVisit } from './form-visit.mjs'

/** Milliseconds without any move, press or key that end a burst of input. */
export const SILENCE = 1500

const HANDS = new Set(['move', 'down', 'up', 'keydown', 'keyup'])

/**
 * Counts how a form is filled in: in bursts, with silence between them, as an agent acts and thinks.
 *
 * @param {{ t: number, kind: string }[]} inputs in order of time, milliseconds
 * @returns {{ bursts: number, quiet: number, wander: number }} `bursts`: groups of input that a silence separates; `quiet`:
 *   share of the time from the first input to the last in such silences; `wander`: moves in bursts that have no press
 */
export function cadence(inputs) {
  const seen = inputs.filter(({ kind }) => HANDS.has(kind))
  const groups = []
  let quiet = 0
  for (const [i, input] of seen.entries()) {
    const gap = i === 0 ? Infinity : input.t - seen[i - 1].t
    if (gap >= SILENCE) groups.push([])
    if (gap >= SILENCE && i > 0) quiet += gap
    groups.at(-1).push(input)
  }
  const moves = (group) => group.filter(({ kind }) => kind === 'move').length
  const filling = seen.length > 1 ? seen.at(-1).t - seen[0].t : 0
  return {
    bursts: groups.length,
    quiet: filling > 0 ? quiet / filling : 0,
    wander: groups
      .filter((group) => group.every(({ kind }) => kind !== 'down'))
      .reduce((sum, group) => sum + moves(group), 0),
  }
}

/**
 * The rule that was tried: four bursts, silence for 70 of 100 of the time or another share, and no move without a press; with a
 * pointer only.
 */
export const actsAndThinks = ({ bursts, quiet, wander }, least = 0.7) => bursts >= 4 && quiet >= least && wander === 0

/**
 * The same hand, whose looks take so many times as long: somebody who reads slowly, is not sure, or copies from paper.
 *
 * @template {{ look: (median: number) => number }} Hand
 * @param {Hand} hand
 * @param {number} times
 * @returns {Hand}
 */
export const slower = (hand, times) => ({ ...hand, look: (median) => times * hand.look(median) })

/**
 * The same hand, moved by a model: it thinks before each action, looks at a picture of the screen where it takes one, and never
 * moves without an aim.
 *
 * @template {{ look: (median: number) => number, chance: (share: number) => boolean }} Hand
 * @param {Hand} hand
 * @param {{ bell: () => number }} dice
 * @param {{ screenshot?: boolean }} [how]
 * @returns {Hand}
 */
export const thinkingHand = (hand, dice, how) => ({
  ...hand,
  look: () => thought(dice, how),
  chance: () => false,
})

/** A visit with a pointer to each field, counted. */
export const cadenceOf = (hand, dice) => cadence(formVisit(hand, { dice, manner: 'mouse' }).inputs)
