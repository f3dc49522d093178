import { describe, expect, test } from '@jest/globals'
import { type BehaviourCells, behaviourCells, GRIDS } from '../../../../src/domain/score/behaviour.ts'
import type { Signals } from '../../../../src/domain/score/signals.ts'

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
const cellsOf = (signals: Signals): BehaviourCells => behaviourCells(signals, SEED)!

/** Log-normal, as counts and times of people are: a median, and the standard deviation of the logarithm. */
function around(roll: Roll, median: number, spread: number): number {
  let sum = 0
  for (let i = 0; i < 6; i++) sum += roll()
  return median * Math.exp(spread * (sum - 3) * Math.SQRT2)
}
const fives = (ms: number): number => Math.max(5, Math.round(ms / 5) * 5)
const tenths = (ms: number): number => Math.max(100, Math.round(ms / 100) * 100)

type Input = Record<string, number>
/** A person who types some forty keys; medians and spreads roughly those of docs/design/risk.md#recorded-hands. */
function typing(roll: Roll): { input: Input; page: Input } {
  const [hold, gap, keys] = [around(roll, 95, 0.25), around(roll, 190, 0.4), Math.round(around(roll, 38, 0.15))]
  const input: Input = {
    keys,
    overlaps: Math.round(keys * Math.max(0, 0.5 - gap / 500) * roll()),
    keyHold: fives(hold),
    keyHoldSpread: fives(hold * around(roll, 0.35, 0.3)),
    keyGap: fives(gap),
    keyGapSpread: fives(gap * around(roll, 0.6, 0.3)),
    keyGapLong: fives(gap * around(roll, 2.2, 0.25)),
    trusted: 2 * keys,
    timed: Math.round(2 * keys * (0.9 + 0.1 * roll())),
  }
  const filling = tenths(keys * gap * around(roll, 1.6, 0.35) + 1000)
  return { input, page: { visible: 1, firstTouch: tenths(around(roll, 2500, 0.8)), filling } }
}
function mouseAndKeys(roll: Roll): { input: Input; page: Input } {
  const { input, page } = typing(roll)
  const presses = 2 + Math.floor(3 * roll())
  const moves = Math.round(around(roll, 25 * presses, 0.45))
  Object.assign(input, {
    presses,
    moves,
    coalesced: Math.round(moves * (0.67 + 0.24 * roll())),
    moveGap: 16 + Math.floor(2 * roll()),
    rawRatio: Math.round(150 + 60 * roll()),
    reaches: presses - 1,
    pressHold: fives(around(roll, 78, 0.25)),
    trusted: input['trusted']! + moves + 3 * presses,
    timed: input['timed']! + moves,
  })
  return { input, page }
}

/** The recording with each number altered by up to a share of itself, rounded as the widget rounds. */
function altered({ input, page }: { input: Input; page: Input }, by: number, roll: Roll): Signals {
  const change = (values: Input): Input =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => {
        const changed = value > 1 ? value * (1 + by * (2 * roll() - 1)) : value
        if (/^(firstTouch|filling)$/.test(name)) return [name, tenths(changed)]
        return [name, /^(key|press)(Hold|Gap)/.test(name) ? fives(changed) : Math.round(changed)]
      }),
    )
  return { input: change(input), page: change(page) } as Signals
}

/** Counts each visit's cells, and tells in how many grids at least two earlier visits were in the same cell. */
function crowd() {
  const counts = new Map<string, number>()
  return (signals: Signals, least: number): number => {
    let alike = 0
    cellsOf(signals).grids.forEach(([hash], grid) => {
      const name = `${grid}:${hash}`
      const seen = counts.get(name) ?? 0
      counts.set(name, seen + 1)
      alike += Number(seen >= least)
    })
    return alike
  }
}

// The rule begins with two grids, of two earlier visits and one more for each 5,000 solves of the site.
test.each([
  { with: 'mouse and keys', who: mouseAndKeys },
  { with: 'keys only', who: typing },
])('of 10,000 people with $with on one site at most 10 are taken for somebody else', ({ who }) => {
  const roll = dice(7)
  const seen = crowd()
  let touched = 0
  for (let i = 0; i < 10_000; i++) touched += Number(seen(who(roll) as Signals, 2 + i / 5000) >= 2)
  expect(touched).toBeLessThanOrEqual(10)
})

test.each([
  { by: 0.02, who: mouseAndKeys, most: 5 },
  { by: 0.05, who: mouseAndKeys, most: 5 },
  { by: 0.02, who: typing, most: 5 },
  // Without a pointer there is less to tell by.
  { by: 0.05, who: typing, most: 10 },
])('a recording altered by up to $by is known after $most visits at the latest', ({ by, who, most }) => {
  for (let seed = 1; seed <= 40; seed++) {
    const roll = dice(seed)
    const recorded = who(roll)
    const seen = crowd()
    let passed = 0
    for (let i = 0; i < 60; i++) passed += Number(seen(altered(recorded, by, roll), 2) < 2)
    expect(passed).toBeLessThanOrEqual(most)
  }
})

describe('the cells of a visit', () => {
  const recorded = mouseAndKeys(dice(1))
  test('are the same for the same numbers, whatever the browser says of itself', () => {
    const other = { ...recorded, environment: { cores: 4 }, work: { ms: 999 }, automation: { webdriver: 0 } }
    expect(cellsOf(other as Signals)).toEqual(cellsOf(structuredClone(recorded) as Signals))
  })
  test('are others under another seed, so that nobody can aim at them', () => {
    const other = behaviourCells(
      recorded as Signals,
      SEED.map((word) => word + 1),
    )!
    expect(other.exact).not.toEqual(cellsOf(recorded as Signals).exact)
  })
  test('are others in a grid whose number was changed much, and the same in the rest', () => {
    const page = { ...recorded.page, firstTouch: recorded.page['firstTouch']! * 10 }
    const [was, is] = [cellsOf(recorded as Signals), cellsOf({ ...recorded, page } as Signals)]
    const changed = was.grids.map(([hash], grid) => hash !== is.grids[grid]![0])
    expect(changed).toEqual(GRIDS.map((names) => names.includes('firstTouch')))
  })
  test('are of those grids only whose numbers are all shown', () => {
    const { grids, isRich } = cellsOf(typing(dice(1)) as Signals)
    const shown = new Set<string>(Object.keys(typing(dice(1)).input).concat('filling', 'firstTouch'))
    expect(grids).toHaveLength(GRIDS.filter((names) => names.every((name) => shown.has(name))).length)
    expect(isRich).toBe(true)
  })
  test('are poor below eight numbers', () => {
    const input = { trusted: 5, presses: 1, autofills: 2 }
    expect(cellsOf({ input, page: { firstTouch: 1000, filling: 900 } })).toMatchObject({ isRich: false, grids: [] })
  })
})

test.each([
  ['nothing', {}],
  ['an empty family', { input: {} }],
  ['flags only', { page: { visible: 1, focused: 1 }, automation: { webdriver: 0 } }],
  ['two counts', { input: { trusted: 4, presses: 1 } }],
])('%s is nobody’s', (_what, signals) => {
  expect(behaviourCells(signals as Signals, SEED)).toBeUndefined()
})
