import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { levelOfUnits, powAt, unitsAtLevel } from '../../../src/work/pow.ts'
import {
  cap,
  isOutpaced,
  leastHumanCost,
  levelOf,
  stepLevel,
  workBudget,
} from '../../../src/work/difficulty.ts'
import { slidingCount, NO_WORK_DONE } from '../../../src/domain/work-done.ts'
import { seconds, unixSeconds } from '../../../src/domain/words.ts'

const work = { level: 3, maxLevel: 8, humanCost: seconds(60), fallback: true }
const calm = { recent: 20, usual: 20 }
const near = (address: number, network = 0, subnet = address) => ({
  address: { visits: address, parts: 0 },
  subnet: { visits: subnet, parts: 0 },
  network: { visits: network, parts: 0 },
})

describe('the level', () => {
  test.each([
    { when: 'nobody is known', known: NO_WORK_DONE, is: 3 },
    { when: 'a family is at home', known: near(12), is: 3 },
    { when: 'an address solved 20 in ten minutes', known: near(20), is: 3 },
    { when: '40', known: near(40), is: 4 },
    { when: '21', known: near(21), is: 3.05 },
    { when: '45', known: near(45), is: 5.7 },
    { when: '50', known: near(50), is: 7.4 },
    { when: '85, as many as a carrier has behind one address', known: near(85), is: 7.4 },
    { when: '87', known: near(87), is: 7.88 },
    { when: '120, a school that signs in', known: near(120), is: 8 },
    { when: '5000', known: near(5000), is: 8 },
    { when: 'the subnets of a network solved 100 too many', known: near(1, 100), is: 3 },
    { when: '120', known: near(1, 120), is: 4 },
    { when: '130', known: near(0, 130), is: 5.35 },
    { when: '140', known: near(0, 140), is: 6.7 },
    { when: '5000', known: near(0, 5000), is: 6.7 },
    { when: 'the address rises more than its network', known: near(45, 120), is: 5.7 },
    { when: 'a /56 solved 40', known: near(1, 0, 40), is: 3 },
    { when: 'a /56 solved 80', known: near(1, 0, 80), is: 4 },
    { when: 'a /56 solved 100', known: near(1, 0, 100), is: 7.4 },
    { when: 'a /56 solved 200', known: near(1, 0, 200), is: 8 },
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
    expect(levelOf(work, NO_WORK_DONE, site)).toBe(is)
  })
  test('a slow device is asked for what it can finish, as long as its source has an ordinary rate', () => {
    const busy = { ...calm, recent: 100_000 }
    const kind = { ...work, humanCost: seconds(2) }
    expect(levelOf(kind, NO_WORK_DONE, busy)).toBe(3.51)
    expect(levelOf(kind, near(20), busy)).toBe(3.51)
    expect(levelOf(kind, near(40), busy)).toBe(5)
  })
  test('of a challenge beyond the budget of its address is twice the work, and no more than a slow device can finish', () => {
    expect(levelOf(work, NO_WORK_DONE, calm, true)).toBe(4)
    expect(levelOf({ ...work, humanCost: seconds(2) }, NO_WORK_DONE, calm, true)).toBe(3.51)
  })
  test('stays between the site’s level and its highest, whatever is known', () => {
    const n = fc.double({ min: 0, max: 1e6, noNaN: true })
    fc.assert(
      fc.property(
        fc.tuple(n, n, n),
        n,
        n,
        fc.integer({ min: 1, max: 120 }),
        (visits, recent, usual, cost) => {
          const level = levelOf({ ...work, humanCost: seconds(cost) }, near(...visits), {
            recent,
            usual,
          })
          expect(level).toBeLessThanOrEqual(work.maxLevel)
          expect(level).toBeGreaterThanOrEqual(work.level)
        },
      ),
    )
  })
  test('cools down: from a farm’s 500 solves to the site’s own in 20 minutes', () => {
    const start = unixSeconds(1_800_000_000 + 590)
    const levels = Array.from({ length: 13 }, (_, i) => {
      const now = unixSeconds(start + 100 * i)
      const solves = slidingCount({ current: 500, previous: 0 }, seconds(600), now, start)
      return levelOf(work, near(solves), calm)
    })
    expect(levels[0]).toBe(8)
    expect(levels.at(-1)).toBe(3)
    expect(levels.toSorted((a, b) => b - a)).toEqual(levels)
  })
})

test('a second try asks for at most level 6.2, which a phone finishes while its visitor waits', () => {
  expect([8, 6.2, 2.5].map((maxLevel) => stepLevel({ ...work, maxLevel }))).toEqual([6.2, 6.2, 2.5])
})

/** The level that a challenge asked for, and how many its address has solved since. */
test.each([
  { asked: 3, solves: 40, is: false },
  { asked: 3, solves: 41, is: true },
  { asked: 4, solves: 43, is: true },
  { asked: 5, solves: 42, is: false },
  { asked: 7.4, solves: 85, is: false },
  { asked: 7.4, solves: 5000, is: false },
  { asked: 6.9, solves: 5000, is: true },
])('a challenge is outpaced at level $asked after $solves solves: $is', ({ asked, solves, is }) => {
  for (const algorithm of ['s32.1', 'pb.1'] as const)
    expect(isOutpaced(powAt(asked, algorithm, 4000), work, near(solves))).toBe(is)
})

describe('what it may cost people', () => {
  test('a cheap phone finishes level 3.5 in two seconds', () => {
    expect(cap({ humanCost: seconds(2) })).toBe(3.51)
  })
  test.each([
    { of: 'the work may take', level: 3, budget: 4000 },
    { of: 'the cap of ordinary sources takes', level: 3.51, budget: 4000 },
    { of: 'raised work takes a slow phone', level: 6, budget: 22_413 },
  ])('twice what $of, a browser hands in what it has', ({ level, budget }) =>
    expect(workBudget(seconds(2), level)).toBe(budget),
  )
  test('each level requires a minimum of human_cost', () => {
    expect([0, 3, 4, 6, 8].map(leastHumanCost)).toEqual([1, 2, 3, 12, 45])
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
