import { describe, expect, test } from '@jest/globals'
import { behaviourCell } from '../../../src/score/behaviour.ts'
import type { Signals } from '../../../src/score/signals.ts'

/** The same numbers each time: a test that a die decides teaches nothing. Mulberry32. */
function dice(seed: number): () => number {
  let a = seed
  return () => {
    a = (a + 0x6d2b79f5) | 0
    let t = Math.imul(a ^ (a >>> 15), 1 | a)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}
type Roll = () => number
const SEED = Int32Array.from({ length: 8 }, (_, i) => Math.imul(i + 1, 0x9e3779b1))

/** Log-normal, as counts and times of people are: a median, and the standard deviation of the logarithm. */
function around(roll: Roll, median: number, spread: number): number {
  let sum = 0
  for (let i = 0; i < 6; i++) sum += roll()
  return median * Math.exp(spread * (sum - 3) * Math.SQRT2)
}
const fives = (ms: number): number => Math.max(5, Math.round(ms / 5) * 5)
const tenths = (ms: number): number => Math.max(100, Math.round(ms / 100) * 100)

interface Visit {
  readonly input: Record<string, number>
  readonly page: Record<string, number>
}
/** A person who types some forty keys; medians and spreads roughly those of docs/design/risk.md#recorded-hands. */
function typing(roll: Roll): Visit {
  const [gap, keys] = [around(roll, 190, 0.4), Math.round(around(roll, 38, 0.15))]
  const input = {
    keys,
    overlaps: Math.round(keys * Math.max(0, 0.5 - gap / 500) * roll()),
    keyGap: fives(gap),
    keyGapLong: fives(gap * around(roll, 2.2, 0.25)),
    trusted: 2 * keys,
    timed: Math.round(2 * keys * (0.9 + 0.1 * roll())),
    samePhase: 100,
  }
  const filling = tenths(keys * gap * around(roll, 1.6, 0.35) + 1000)
  return { input, page: { visible: 1, firstTouch: tenths(around(roll, 2500, 0.8)), filling } }
}
/** A person whose browser fills the form in, and who presses with the mouse. */
function pressing(roll: Roll): Visit {
  const moves = Math.round(around(roll, 60, 0.45))
  const input = {
    presses: 2,
    moves,
    coalesced: Math.round(moves * (0.67 + 0.24 * roll())),
    moveGap: 16 + Math.floor(2 * roll()),
    reaches: 1,
    pressHold: fives(around(roll, 78, 0.25)),
    trusted: moves + 6,
    timed: moves,
    samePhase: 100,
  }
  return { input, page: { firstTouch: tenths(around(roll, 2500, 0.8)), filling: tenths(around(roll, 6000, 0.5)) } }
}

test.each([
  { with: 'keys only', who: typing },
  { with: 'a mouse only', who: pressing },
])('10,000 people with $with on one site are not taken for repeated visits', ({ who }) => {
  const roll = dice(7)
  const seen = new Map<string, number>()
  for (let i = 0; i < 10_000; i++) {
    const cell = String(behaviourCell(who(roll) as Signals, SEED))
    seen.set(cell, (seen.get(cell) ?? 0) + 1)
  }
  // The rule begins with the third visit of a kind.
  expect(Math.max(...seen.values())).toBeLessThanOrEqual(2)
})

describe('the behaviour cell of a visit', () => {
  const recorded = typing(dice(1))
  const cell = behaviourCell(recorded as Signals, SEED)
  test('is the same for the same input, whatever the browser', () => {
    const other = { ...structuredClone(recorded), automation: { webdriver: 1 }, environment: { engine: 2 } }
    expect(cell).toBeDefined()
    expect(behaviourCell(other as Signals, SEED)).toEqual(cell)
  })
  test('differs by seed, so that nobody can aim at a cell', () => {
    for (const i of SEED.keys())
      expect(behaviourCell(recorded as Signals, SEED.with(i, SEED[i]! + 1))).not.toEqual(cell)
  })
  const pressed = ['untrusted', 'flatPresses', 'touches', 'centred', ...Object.keys(pressing(dice(1)).input)]
  test.each([...new Set([...Object.keys(recorded.input), ...pressed])])('differs when %s differs by one', (name) => {
    const input = { ...recorded.input, [name]: (recorded.input[name] ?? 0) + 1 }
    expect(behaviourCell({ ...recorded, input } as Signals, SEED)).not.toEqual(cell)
  })
})

const eight = { trusted: 4, timed: 4, samePhase: 4, keys: 4, overlaps: 4, keyGap: 4, keyGapLong: 4, moves: 4 }
const tap = { trusted: 9, presses: 1, touches: 1, timed: 8, samePhase: 100 }
test.each([
  ['nothing', {}],
  ['flags only', { page: { visible: 1, focused: 1 }, automation: { webdriver: 0 } }],
  ['eight numbers, of which one is 3', { input: { ...eight, overlaps: 3 } }],
  ['one tap', { input: tap, page: { firstTouch: 900, filling: 300 } }],
  ['one tap after a short way', { input: { ...tap, moves: 6, moveGap: 16 }, page: { firstTouch: 900 } }],
])('a visit with %s has no cell', (_what, signals) => {
  expect(behaviourCell(signals as Signals, SEED)).toBeUndefined()
})
