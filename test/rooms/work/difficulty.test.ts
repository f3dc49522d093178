import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { keepTokensUntil, levelOfUnits, unitsAtLevel } from '../../../src/domain/challenge.ts'
import { cap, levelOf, type SiteLoad, stepLevel } from '../../../src/work/difficulty.ts'
import { type RecentCounts, NOTHING, STRANGER } from '../../../src/domain/history.ts'
import { COST_BINS, costBin, leastHumanCost, SLOW_PHONE, slowUnit, workBudget } from '../../../src/work/human-cost.ts'
import { aged, sliding } from '../../../src/history/sliding.ts'
import { seconds, unixSeconds } from '../../../src/domain/words.ts'

const work = { level: 3, maxLevel: 8, humanCost: seconds(60), fallback: true }
const quiet = { solves: 0, verified: 0, parts: 0, usualParts: 0.05 }
const calm: SiteLoad = { ...quiet, recent: 20, usual: 20, unitCost: SLOW_PHONE }
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
    { when: '21', known: near({ solves: 21 }), is: 3.05 },
    { when: '45', known: near({ solves: 45 }), is: 5.7 },
    { when: '50', known: near({ solves: 50 }), is: 7.4 },
    { when: '85, as many as a carrier has behind one address', known: near({ solves: 85 }), is: 7.4 },
    { when: '87', known: near({ solves: 87 }), is: 7.88 },
    { when: '120, a school that signs in', known: near({ solves: 120 }), is: 8 },
    { when: '5000', known: near({ solves: 5000 }), is: 8 },
    { when: '40 challenges were asked for and none solved', known: near({ challenges: 40 }, {}), is: 4 },
    { when: 'a network solved 100', known: near({ solves: 1 }, { solves: 100 }), is: 3 },
    { when: 'a network solved 200', known: near({ solves: 1 }, { solves: 200 }), is: 4 },
    { when: 'a network solved 230', known: near({}, { solves: 230 }), is: 5.35 },
    { when: 'a network solved 260', known: near({}, { solves: 260 }), is: 6.7 },
    { when: 'a network solved 5000', known: near({}, { solves: 5000 }), is: 6.7 },
    { when: 'neighbours asked for 200 challenges and solved none', known: near({}, { challenges: 200 }), is: 4 },
    { when: 'the address rises more than its network', known: near({ solves: 45 }, { solves: 200 }), is: 5.7 },
    { when: 'all tries were bad', known: near({ solves: 10, low: 10, failed: 6 }), is: 3 },
    { when: 'a third of 30 solves was left undone', known: near({ solves: 30, unfinished: 10 }), is: 4 },
  ])('is $is when $when', ({ known, is }) => {
    expect(levelOf(work, known, calm)).toBe(is)
  })
  test('goes to the most that a site allows, whatever its own', () => {
    const levels = [40, 50, 85, 90, 100].map((solves) => levelOf({ ...work, level: 0 }, near({ solves }), calm))
    expect(levels).toEqual([1, 4.4, 4.4, 5.6, 8])
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
  test('a slow device is asked for what it can finish, as long as its source has an ordinary rate', () => {
    const busy = { ...calm, recent: 100_000 }
    const kind = { ...work, humanCost: seconds(2) }
    expect(levelOf(kind, STRANGER, busy)).toBe(3.51)
    expect(levelOf(kind, near({ solves: 20 }), busy)).toBe(3.51)
    expect(levelOf(kind, near({ solves: 40 }), busy)).toBe(5)
  })
  test('is never below the site’s own, however slow its visitors say they are', () => {
    expect(levelOf({ ...work, humanCost: seconds(1) }, STRANGER, { ...calm, unitCost: 2 * SLOW_PHONE })).toBe(3)
  })
  test('stays between the site’s level and its highest, whatever is known', () => {
    const n = fc.double({ min: 0, max: 1e6, noNaN: true })
    const known = fc.record({ challenges: n, solves: n, verified: n, failed: n, low: n, unfinished: n, parts: n })
    fc.assert(
      fc.property(known, known, n, n, fc.integer({ min: 1, max: 120 }), (address, network, recent, usual, cost) => {
        const site = { ...quiet, recent, usual, unitCost: slowUnit([]) }
        const level = levelOf({ ...work, humanCost: seconds(cost) }, { address, network }, site)
        expect(level).toBeLessThanOrEqual(work.maxLevel)
        expect(level).toBeGreaterThanOrEqual(work.level)
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
    expect(levels[0]).toBe(8)
    expect(levels.at(-1)).toBe(3)
    expect(levels.toSorted((a, b) => b - a)).toEqual(levels)
  })
})

test.each([
  { most: 8, is: 6.2 },
  { most: 6.2, is: 6.2 },
  { most: 2.5, is: 2.5 },
])(
  'a second try asks for level $is where the most is $most: a phone finishes it while somebody waits',
  ({ most, is }) => {
    expect(stepLevel({ ...work, maxLevel: most })).toBe(is)
  },
)

describe('what it may cost people', () => {
  test('a new site is taken for one whose slowest are cheap phones', () => {
    expect(slowUnit([])).toBe(SLOW_PHONE)
    expect(cap({ ...work, humanCost: seconds(2), fallback: true }, slowUnit([]))).toBe(3.51)
  })
  /** @param many microseconds that six units take, and how many visits. */
  const bins = (many: readonly (readonly [us: number, times: number])[]) => {
    const all = Array.from({ length: COST_BINS }, () => 0)
    for (const [us, times] of many) all[costBin({ ms: us * 3, units: 18_000, age: 60, unitCost: 1e6 })!]! += times
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
    ).toBeGreaterThan(100)
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
    expect(slowUnit(bins([[250, 1e6]]))).toBeCloseTo((4 / 3) * 2 ** 5.25, 9)
  })
  test.each([
    { of: 'the work may take', level: 3, budget: 4000 },
    { of: 'the cap of ordinary sources takes', level: 3.51, budget: 4000 },
    { of: 'raised work takes a slow phone', level: 6, budget: 22_413 },
  ])('twice what $of, a browser hands in what it has', ({ level, budget }) =>
    expect(workBudget(seconds(2), level, SLOW_PHONE)).toBe(budget),
  )
  test.each<[string, Partial<Parameters<typeof costBin>[0]>, number | undefined]>([
    ['the least work that counts', { ms: 512, units: 3072 }, 14],
    ['a unit less', { ms: 511, units: 3071 }, undefined],
    ['three times the estimate', { ms: 1368, units: 6000 }, 15],
    ['more than that', { ms: 1369, units: 6000 }, undefined],
    ['as long as the challenge can be old', { ms: 3000, units: 18_000, age: 2 }, 14],
    ['a millisecond longer', { ms: 3001, units: 18_000, age: 2 }, undefined],
    ['as fast as four cores can be', { ms: 12, units: 6000 }, 1],
    ['faster', { ms: 11, units: 6000 }, undefined],
    ['slower than any bin', { ms: 60_000, units: 3072, age: 99, unitCost: 1e6 }, 23],
  ])('%s: %j is counted in bin %s', (_what, change, bin) => {
    expect(costBin({ ms: 400, units: 6000, age: 10, unitCost: SLOW_PHONE, ...change })).toBe(bin)
  })
  test.each([
    { when: 'honest', change: {}, counted: true },
    { when: 'not said', change: { ms: undefined }, counted: false },
    { when: 'longer than the challenge is old', change: { ms: 4000, age: 2 }, counted: false },
    { when: 'as long as it is old, to the second', change: { ms: 2900, age: 2 }, counted: true },
    { when: 'faster than any four cores', change: { ms: 30 }, counted: false },
    { when: 'of hardly any work', change: { units: 1536 }, counted: false },
    { when: 'three times what its site’s slowest take', change: { ms: 4300 }, counted: false },
  ])('a time that is $when counts: $counted', ({ change, counted }) => {
    const report = { ms: 400, units: 18_432, age: 10, unitCost: SLOW_PHONE, ...change }
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
    fc.property(fc.integer({ min: 1536, max: 589_824 }), (units) => {
      const back = unitsAtLevel(levelOfUnits(units))
      expect(back).toBeLessThanOrEqual(units)
      expect(back).toBeGreaterThan(units * 0.98 - 18)
    }),
  )
  expect(levelOfUnits(1)).toBe(0)
  expect(levelOfUnits(1e9)).toBe(8)
})

test('in between, a level lies on the line or the curve', () => {
  expect([levelOfUnits(3072), levelOfUnits(6912), levelOfUnits(13_032)]).toEqual([0.5, 1.5, 2.49])
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
