/** The measurement behind docs/design/risk.md, "Cadence". */
import { expect, test } from '@jest/globals'
import { actsAndThinks, cadence, cadenceOf, slower, thinkingHand } from '../../../lab/evaluate/hands/cadence.mjs'
import { handOf } from '../../../lab/evaluate/hands/hand.mjs'
import { dice as diceOf } from '../../../lab/evaluate/person/dice.mjs'

const at = (kind: string, ...times: number[]) => times.map((t) => ({ t, kind }))

test('a silence of 1.5 seconds ends a burst, and counts as quiet', () => {
  expect(cadence([...at('keydown', 0, 1000), ...at('keyup', 2000, 3500), ...at('keydown', 4000)])).toEqual({
    bursts: 2,
    quiet: 1500 / 4000,
    wander: 0,
  })
  expect(cadence([])).toEqual({ bursts: 0, quiet: 0, wander: 0 })
})

test('moves wander in a burst without a press; a focus that the page moves is no input', () => {
  expect(cadence([...at('move', 0, 10), ...at('focus', 900), ...at('move', 2000), ...at('down', 2100)])).toEqual({
    bursts: 2,
    quiet: 1990 / 2100,
    wander: 2,
  })
})

test('the rule wants bursts, silence, and no move without a press', () => {
  const agent = { bursts: 4, quiet: 0.7, wander: 0 }
  expect(actsAndThinks(agent)).toBe(true)
  for (const change of [{ bursts: 3 }, { quiet: 0.69 }, { wander: 1 }])
    expect(actsAndThinks({ ...agent, ...change })).toBe(false)
})

test('no share of silence tells slow readers from agents with the same hands', () => {
  const shares = (least: number, hand: (seed: string, dice: ReturnType<typeof diceOf>) => ReturnType<typeof handOf>) =>
    Array.from({ length: 150 }, (_, i) => {
      const dice = diceOf(`cadence test ${i}`)
      return cadenceOf(hand(`cadence test ${i}`, dice), dice)
    }).filter((visit) => actsAndThinks(visit, least)).length / 150
  expect(shares(0.5, (seed) => handOf(seed))).toBe(0)
  expect(shares(0.5, (seed) => slower(handOf(seed), 5))).toBeGreaterThan(0.05)
  expect(shares(0.7, (seed, dice) => thinkingHand(handOf(seed), dice))).toBeLessThan(0.05)
})
