import { describe, expect, test } from '@jest/globals'
import { type RecentCounts, type HistoryFacts, NOTHING, STRANGER, suspicion } from '../../src/domain/history.ts'
import { HISTORY_RULES } from '../../src/domain/rules/history.ts'
import { MODEL } from '../../src/domain/score-model.ts'
import { aged, bucketOf, sliding } from '../../src/domain/sliding.ts'
import { seconds, unixSeconds } from '../../src/domain/words.ts'

const T = seconds(600)
const at = (s: number) => unixSeconds(1_800_000_000 + s)

describe('a sliding count', () => {
  test.each([
    { s: 0, current: 0, previous: 60, is: 60 },
    { s: 300, current: 30, previous: 60, is: 60 },
    { s: 300, current: 0, previous: 60, is: 30 },
    { s: 599, current: 60, previous: 60, is: 60.1 },
  ])('of $previous and $current after $s s is $is', ({ s, current, previous, is }) => {
    expect(sliding({ current, previous }, at(s), T)).toBeCloseTo(is, 5)
  })
  test('never rises while nothing is counted, and is over two lengths later', () => {
    let last = Infinity
    for (let s = 0; s <= 1200; s += 10) {
      const now = sliding(aged({ current: 100, previous: 40 }, at(0), at(s), T), at(s), T)
      expect(now).toBeLessThanOrEqual(last)
      last = now
    }
    expect(last).toBe(0)
    expect(bucketOf(at(599), T)).toBe(bucketOf(at(0), T))
  })
})

const counts = (change: Partial<RecentCounts>): RecentCounts => ({ ...NOTHING, ...change })
const near = (address: Partial<RecentCounts>, network = address) => ({
  address: counts(address),
  network: counts(network),
})

describe('suspicion', () => {
  test.each([
    { who: 'a stranger', known: STRANGER, is: 0 },
    { who: 'somebody whose browser scores low, after three tries', known: near({ solves: 3, low: 3 }), is: 0 },
    { who: 'the same after five', known: near({ solves: 5, low: 5 }), is: 0.05 },
    { who: 'a bot after its thirtieth', known: near({ solves: 30, low: 30 }), is: 1 },
    { who: 'a school of 90 with a bot in it', known: near({ solves: 100, low: 20, verified: 80 }), is: 0 },
    { who: 'a carrier’s address with 400 people, 40 of them low', known: near({ solves: 400, low: 40 }), is: 0 },
    { who: 'wrong work, again and again', known: near({ solves: 20, failed: 20 }), is: 1 },
    {
      who: 'a good address in a network where most is bad',
      known: near({ solves: 1 }, { solves: 200, low: 190 }),
      is: 1,
    },
    { who: 'a good address in a network with one bot', known: near({ solves: 1 }, { solves: 60, low: 30 }), is: 0 },
  ])('of $who is $is', ({ known, is }) => {
    expect(suspicion(known)).toBeCloseTo(is, 5)
  })
})

const facts = (change: Partial<HistoryFacts> = {}): HistoryFacts => ({
  ...near({ solves: 1, verified: 1, challenges: 1 }),
  again: 0,
  alike: 0,
  everywhere: 0,
  siteSolves: 0,
  suspected: 0,
  ...change,
})
/** What the family takes from a score, in log-odds. */
function taken(history: HistoryFacts): number {
  const visit = { signals: {}, request: {} as never, units: 256, history }
  const sum = HISTORY_RULES.reduce((total, { weight, when }) => total + weight * Number(when(visit)), 0)
  return Math.max(MODEL.bounds.history[0], sum)
}

describe('shared addresses do not sink', () => {
  // In ten minutes each. A share of them is alike by chance, as test/domain/behaviour.test.ts has it.
  test.each([
    { who: 'one visitor', history: facts() },
    { who: 'a family', history: facts(near({ solves: 12, verified: 11, challenges: 15 })) },
    { who: 'an office of 60', history: facts({ ...near({ solves: 40, verified: 38 }), alike: 2, again: 1 }) },
    {
      who: 'a school: 120 sign in at once',
      history: facts({ ...near({ solves: 120, verified: 115, low: 4 }), alike: 12, again: 2 }),
    },
    {
      who: 'a carrier’s address: 1,200 an hour',
      history: facts({ ...near({ solves: 200, verified: 190, low: 10, failed: 2 }), alike: 25, again: 3 }),
    },
    {
      who: 'a carrier’s network of 40 such addresses',
      history: facts({
        address: counts({ solves: 100, verified: 95, low: 5 }),
        network: counts({ solves: 4000, verified: 3800, low: 200 }),
        alike: 400,
        again: 20,
        everywhere: 30,
        siteSolves: 9000,
      }),
    },
  ])('$who loses nothing', ({ history }) => {
    expect(taken(history)).toBeCloseTo(0, 5)
  })
})

describe('farms sink', () => {
  test.each([
    { who: 'a recording sent 4 times', history: facts({ ...near({ solves: 4 }), again: 3 }), most: 0 },
    { who: '8 times', history: facts({ ...near({ solves: 8 }), again: 7 }), most: -2.5 },
    { who: '10 times', history: facts({ ...near({ solves: 10 }), again: 9.5 }), most: -3.9 },
    { who: 'altered by a step, 30 times', history: facts({ ...near({ solves: 30 }), alike: 13 }), most: -3 },
    { who: 'through 500 networks', history: facts({ everywhere: 100, siteSolves: 2000 }), most: -4 },
  ])('$who', ({ history, most }) => {
    expect(taken(history)).toBeLessThanOrEqual(most)
  })
  test('and nothing sinks deeper than the bound', () => {
    const all = facts({ ...near({ solves: 600, low: 600 }), again: 599, alike: 599, everywhere: 599, suspected: 1 })
    expect(taken(all)).toBe(MODEL.bounds.history[0])
  })
  test('suspicion of the challenge goes along to another address', () => {
    expect(taken(facts({ suspected: 1 }))).toBeCloseTo(-1.2, 5)
  })
})
