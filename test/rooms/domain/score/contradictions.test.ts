/** What a summary cannot say of itself: each kind alone, and the nearest summary that is sound. */
import { describe, expect, test } from '@jest/globals'
import { contradictions } from '../../../../src/domain/score/contradictions.ts'
import type { Signals } from '../../../../src/domain/score/signals.ts'

/** 999 trusted events: the counter has stopped, so that nothing is said of what it counts. */
const input = (of: Record<string, number>): Signals => ({ input: { trusted: 999, ...of } })

test('a summary that says nothing does not contradict itself', () => {
  for (const nothing of [{}, { input: {} }, { input: {}, page: {}, work: {} }]) expect(contradictions(nothing)).toBe(0)
})

describe('a part', () => {
  const PARTS = [
    ['coalesced', 'moves'],
    ['sameFrame', 'moves'],
    ['touches', 'presses'],
    ['flatPresses', 'presses'],
    ['jumps', 'presses'],
    ['centred', 'presses'],
    ['reaches', 'presses'],
    ['straight', 'reaches'],
    ['even', 'reaches'],
    ['balanced', 'reaches'],
    ['timedKeys', 'keys'],
    ['overlaps', 'keys'],
    ['unfocused', 'keys'],
    ['bareCapitals', 'keys'],
  ] as const
  test.each(PARTS)('of %s is no larger than the %s, as long as those are counted', (part, whole) => {
    const of = (parts: number | undefined, all: number | undefined): number =>
      contradictions(
        input({ presses: 999, ...(all !== undefined && { [whole]: all }), ...(parts && { [part]: parts }) }),
      )
    expect(of(5, 5)).toBe(0)
    expect(of(6, 5)).toBe(1)
    expect(of(1000, 998)).toBe(1)
    expect(of(1000, 999)).toBe(0)
    expect(of(undefined, 0)).toBe(0)
  })
})

test('a part of what is not counted is one too many', () => {
  for (const part of ['coalesced', 'touches', 'overlaps', 'straight']) {
    expect(contradictions({ input: { trusted: 999, [part]: 1 } })).toBe(1)
  }
})

test('moves, presses, keys and pastes together are no more than the trusted events', () => {
  const four = { trusted: 8, moves: 2, presses: 2, keys: 2, pastes: 2 }
  expect(contradictions({ input: four })).toBe(0)
  for (const name of ['moves', 'presses', 'keys', 'pastes'] as const) {
    expect(contradictions({ input: { ...four, [name]: 3 } })).toBe(1)
  }
  expect(contradictions({ input: { trusted: 7 } })).toBe(0)
})

test.each([
  ['keyHold', 'keys'],
  ['pressHold', 'presses'],
] as const)('%s has a time only where there are %s', (time, counted) => {
  expect(contradictions(input({ [time]: 50, [counted]: 1 }))).toBe(0)
  expect(contradictions(input({ [time]: 50, [counted]: 0 }))).toBe(1)
  expect(contradictions(input({ [time]: 0 }))).toBe(1)
})

describe('a time is rounded', () => {
  const keysAndPresses = { trusted: 999, keys: 1, presses: 1 }
  const TO_5_MS = ['keyHold', 'keyHoldSpread', 'keyGap', 'keyGapSpread', 'keyGapLong', 'pressHold', 'pressHoldSpread']
  test.each(TO_5_MS)('%s to 5 ms', (name) => {
    for (const [ms, found] of [
      [0, 0],
      [5, 0],
      [1000, 0],
      [1, 1],
      [9, 1],
    ] as const)
      expect(contradictions({ input: { ...keysAndPresses, [name]: ms } })).toBe(found)
  })
  test.each(['firstTouch', 'filling'])('%s to 100 ms', (name) => {
    expect(contradictions({ page: { [name]: 19_300 } })).toBe(0)
    expect(contradictions({ page: { [name]: 19_350 } })).toBe(1)
  })
  test('the work to 10 ms', () => {
    expect(contradictions({ work: { ms: 1290 } })).toBe(0)
    expect(contradictions({ work: { ms: 1295 } })).toBe(1)
  })
})

test('several are counted', () => {
  expect(contradictions({ input: { moves: 3, keyHold: 7 }, page: { filling: 1 }, work: { ms: 1 } })).toBe(5)
})
