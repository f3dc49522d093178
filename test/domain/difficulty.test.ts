import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { keepTokensUntil, levelOfUnits, unitsAtLevel } from '../../src/domain/challenge.ts'
import { cap, levelOf, type SiteLoad } from '../../src/domain/difficulty.ts'
import { type RecentCounts, NOTHING, STRANGER } from '../../src/domain/history.ts'
import { COST_BINS, costBin, leastHumanCost, SLOW_PHONE, slowUnit, workBudget } from '../../src/domain/human-cost.ts'
import { aged, sliding } from '../../src/domain/sliding.ts'
import { seconds, unixSeconds } from '../../src/domain/words.ts'

const work = { level: 3, maxLevel: 6, humanCost: seconds(60), fallback: true }
const calm: SiteLoad = { recent: 20, usual: 20, unitCost: SLOW_PHONE }
const counts = (change: Partial<RecentCounts>): RecentCounts => ({ ...NOTHING, ...change })
const near = (address: Partial<RecentCounts>, network = address) => ({
  address: counts(address),
  network: counts(network),
})

describe('the level', () => {
  test.each([
    { when: 'nobody is known', known: STRANGER, is: 3 },
    { when: 'a family is at home', known: near({ solves: 12 }), is: 3 },
    { when: 'an address solved 20 in ten minutes', known: near({ solves: 20 }), is: 3 },
    { when: '40', known: near({ solves: 40 }), is: 4 },
    { when: '160', known: near({ solves: 160 }), is: 6 },
    { when: '5000', known: near({ solves: 5000 }), is: 6 },
    { when: '160 challenges were asked for and none solved', known: near({ challenges: 160 }), is: 4 },
    { when: 'a network solved 800', known: near({ solves: 1 }, { solves: 800 }), is: 5 },
    { when: '13 bad tries', known: near({ solves: 10, low: 10, failed: 6 }), is: 5 },
    { when: 'half of 40 solves was left undone', known: near({ solves: 40, unfinished: 20 }), is: 4.58 },
  ])('is $is when $when', ({ known, is }) => {
    expect(levelOf(work, known, calm)).toBe(is)
  })
  test.each([
    { when: 'three times as busy as ever', site: { ...calm, recent: 3000, usual: 1000 }, is: 3 },
    { when: 'six times', site: { ...calm, recent: 6000, usual: 1000 }, is: 4 },
    { when: 'a hundred times', site: { ...calm, recent: 100_000, usual: 1000 }, is: 4 },
    { when: 'new, and not yet busy', site: { ...calm, recent: 300, usual: 0 }, is: 3 },
    { when: 'new, and busy', site: { ...calm, recent: 424, usual: 0 }, is: 3.5 },
  ])('is $is for a stranger when the site is $when', ({ site, is }) => {
    expect(levelOf(work, STRANGER, site)).toBe(is)
  })
  test('a floor raises it, and no cap gives way', () => {
    expect(levelOf(work, STRANGER, calm, 5)).toBe(5)
    expect(levelOf(work, STRANGER, calm, 8)).toBe(6)
    expect(levelOf({ ...work, humanCost: seconds(2), fallback: true }, STRANGER, calm, 8)).toBe(3.51)
  })
  test('never passes the site’s caps, whatever is known', () => {
    const n = fc.double({ min: 0, max: 1e6, noNaN: true })
    const known = fc.record({ challenges: n, solves: n, verified: n, failed: n, low: n, unfinished: n })
    fc.assert(
      fc.property(known, known, n, n, fc.integer({ min: 1, max: 120 }), (address, network, recent, usual, cost) => {
        const humanCost = seconds(cost)
        const unitCost = slowUnit([])
        const level = levelOf({ ...work, humanCost }, { address, network }, { recent, usual, unitCost })
        expect(level).toBeLessThanOrEqual(work.maxLevel)
        expect(unitsAtLevel(level) * unitCost).toBeLessThanOrEqual(Math.max(cost * 1e6, 256 * unitCost) * 1.01)
      }),
    )
  })
  test('cools down by itself: from a farm’s 500 solves to the site’s own in 20 minutes', () => {
    const start = unixSeconds(1_800_000_000 + 590)
    const levels = Array.from({ length: 13 }, (_, i) => {
      const now = unixSeconds(start + 100 * i)
      const solves = sliding(aged({ current: 500, previous: 0 }, start, now, seconds(600)), now, seconds(600))
      return levelOf(work, near({ solves }), calm)
    })
    expect(levels[0]).toBe(6)
    expect(levels.at(-1)).toBe(3)
    expect(levels.toSorted((a, b) => b - a)).toEqual(levels)
  })
})

describe('what it may cost people', () => {
  test('a new site is taken for one whose slowest are cheap phones', () => {
    expect(slowUnit([])).toBe(SLOW_PHONE)
    expect(cap({ ...work, humanCost: seconds(2), fallback: true }, slowUnit([]))).toBe(3.51)
  })
  const bins = (many: readonly (readonly [us: number, times: number])[]) => {
    const all = Array.from({ length: COST_BINS }, () => 0)
    for (const [us, times] of many) all[costBin({ ms: us * 3, units: 3000, age: 60, addressSolves: 1 })!]! += times
    return all
  }
  test('where hardly anybody is slow, more is allowed; where many are, less', () => {
    expect(slowUnit(bins([[40, 10_000]]))).toBe(SLOW_PHONE / 4)
    expect(
      slowUnit(
        bins([
          [40, 8000],
          [700, 2000],
        ]),
      ),
    ).toBeGreaterThan(600)
  })
  test('a farm that says it is slow, or fast, moves it by one level, or two, and no further', () => {
    expect(slowUnit(bins([[19_000, 1e6]]))).toBe(2 * SLOW_PHONE)
    expect(slowUnit(bins([[13, 1e6]]))).toBe(SLOW_PHONE / 4)
  })
  test('twenty liars do not move a new site by a bin', () => {
    expect(slowUnit(bins([[13, 20]]))).toBe(SLOW_PHONE)
  })
  test('a hundred fast visits are as many as the slowest twentieth needs, and one fewer is not', () => {
    expect(slowUnit(bins([[60, 100]]))).toBe(SLOW_PHONE / 4)
    expect(slowUnit(bins([[60, 99]]))).toBe(SLOW_PHONE)
  })
  test('is told by the upper end of the bin that the slowest twentieth falls into', () => {
    expect(slowUnit(bins([[250, 1e6]]))).toBeCloseTo(8 * 2 ** 5.25, 9)
  })
  test('twice what the work may take, a browser hands in what it has', () => expect(workBudget(seconds(2))).toBe(4000))
  test.each<[string, Partial<Parameters<typeof costBin>[0]>, number | undefined]>([
    ['the least work that counts', { ms: 512, units: 512 }, 14],
    ['a unit less', { ms: 511, units: 511 }, undefined],
    ['the third of its address', { ms: 400, units: 1000, addressSolves: 3 }, 11],
    ['as long as the challenge can be old', { ms: 3000, units: 3000, age: 2 }, 14],
    ['a millisecond longer', { ms: 3001, units: 3000, age: 2 }, undefined],
    ['as fast as four cores can be', { ms: 12, units: 1000 }, 1],
    ['faster', { ms: 11, units: 1000 }, undefined],
    ['slower than any bin', { ms: 60_000, units: 512, age: 99 }, 23],
  ])('%s: %j is counted in bin %s', (_what, change, bin) => {
    expect(costBin({ ms: 400, units: 1000, age: 10, addressSolves: 1, ...change })).toBe(bin)
  })
  test.each([
    { when: 'honest', change: {}, counted: true },
    { when: 'not said', change: { ms: undefined }, counted: false },
    { when: 'longer than the challenge is old', change: { ms: 4000, age: 2 }, counted: false },
    { when: 'as long as it is old, to the second', change: { ms: 2900, age: 2 }, counted: true },
    { when: 'faster than any four cores', change: { ms: 30 }, counted: false },
    { when: 'of hardly any work', change: { units: 256 }, counted: false },
    { when: 'the fourth of its address', change: { addressSolves: 4 }, counted: false },
  ])('a time that is $when counts: $counted', ({ change, counted }) => {
    const report = { ms: 400, units: 3072, age: 10, addressSolves: 1, ...change }
    expect(costBin(report) !== undefined).toBe(counted)
  })
  test.each([
    [0, 1],
    [3, 2],
    [4, 3],
    [6, 12],
    [8, 45],
  ])('level %d wants %d s at least', (level, least) => {
    expect(leastHumanCost(level)).toBe(least)
  })
})

test('a level of units is never more work than asked for, and hardly less', () => {
  fc.assert(
    fc.property(fc.integer({ min: 256, max: 98_304 }), (units) => {
      const back = unitsAtLevel(levelOfUnits(units))
      expect(back).toBeLessThanOrEqual(units)
      expect(back).toBeGreaterThan(units * 0.98 - 6)
    }),
  )
  expect(levelOfUnits(1)).toBe(0)
  expect(levelOfUnits(1e9)).toBe(8)
})

test('in between, a level lies on the line or the curve', () => {
  expect([levelOfUnits(512), levelOfUnits(1152), levelOfUnits(2172)]).toEqual([0.5, 1.5, 2.49])
})

test('an entry is kept until the last token of its challenge is over, and a minute', () => {
  expect(keepTokensUntil(unixSeconds(1000), seconds(120))).toBe(1180)
})

test('what was counted in one bucket is that of before in the next, and nothing in the one after', () => {
  const ten = seconds(10)
  const counted = { current: 5, previous: 3 }
  const at = (now: number) => aged(counted, unixSeconds(100), unixSeconds(now), ten)
  expect([at(99), at(109), at(110), at(119), at(120)]).toEqual([
    counted,
    counted,
    { current: 0, previous: 5 },
    { current: 0, previous: 5 },
    { current: 0, previous: 0 },
  ])
})
