import { describe, expect, test } from '@jest/globals'
import {
  addressTrouble,
  type HistoryFacts,
  networkTrouble,
  NOTHING,
  type RecentCounts,
} from '../../../src/domain/history.ts'
import { HISTORY_RULES } from '../../../src/domain/score/rules/history.ts'
import { MODEL } from '../../../src/domain/score/score-model.ts'
import { aged, bucketOf, sliding } from '../../../src/history/sliding.ts'
import { seconds, unixSeconds } from '../../../src/domain/words.ts'

const T = seconds(600)
const moment = (s: number) => unixSeconds(1_800_000_000 + s)

describe('a sliding count', () => {
  test.each([
    { s: 0, current: 0, previous: 60, is: 60 },
    { s: 300, current: 30, previous: 60, is: 60 },
    { s: 300, current: 0, previous: 60, is: 30 },
    { s: 599, current: 60, previous: 60, is: 60.1 },
  ])('of $previous and $current after $s s is $is', ({ s, current, previous, is }) => {
    expect(sliding({ current, previous }, moment(s), T)).toBeCloseTo(is, 5)
  })
  test('never rises while nothing is counted, and is over two lengths later', () => {
    let last = Infinity
    for (let s = 0; s <= 1200; s += 10) {
      const now = sliding(aged({ current: 100, previous: 40 }, moment(0), moment(s), T), moment(s), T)
      expect(now).toBeLessThanOrEqual(last)
      last = now
    }
    expect(last).toBe(0)
    expect(bucketOf(moment(599), T)).toBe(bucketOf(moment(0), T))
  })
})

const counts = (change: Partial<RecentCounts>): RecentCounts => ({ ...NOTHING, ...change })
const near = (address: Partial<RecentCounts>, network = address) => ({
  address: counts(address),
  network: counts(network),
})

const site = { solves: 0, verified: 0, parts: 0, usualParts: 0.05 }
const facts = (change: Partial<HistoryFacts> = {}): HistoryFacts => ({
  ...near({ solves: 1, verified: 1, challenges: 1 }),
  here: counts({ solves: 1, verified: 1 }),
  again: 0,
  alike: [],
  site,
  ...change,
})
/** An address whose whole record was made on this site. */
const at = (address: Partial<RecentCounts>, network = address, change: Partial<HistoryFacts> = {}): HistoryFacts =>
  facts({ ...near(address, network), here: counts(address), ...change })

describe('trouble of an address', () => {
  test.each([
    { who: 'a stranger', known: facts(), is: 0 },
    { who: 'somebody whose browser scores low, after three tries', known: at({ solves: 3, low: 3 }), is: 0 },
    { who: 'the same after five', known: at({ solves: 5, low: 5 }), is: 0.0417 },
    { who: 'a bot after its thirtieth', known: at({ solves: 30, low: 30 }), is: 1 },
    { who: 'an office of 90 with a bot in it', known: at({ solves: 100, low: 20, verified: 80 }), is: 0 },
    { who: 'a carrier’s address with 400 people, 40 of them low', known: at({ solves: 400, low: 40 }), is: 0 },
    { who: 'wrong work, fifteen times', known: at({ failed: 15 }), is: 1 },
    {
      who: 'an address with the same record on another site',
      known: facts({ ...near({ failed: 15 }), here: NOTHING }),
      is: 0.25,
    },
    { who: 'a good address among bad neighbours', known: at({ solves: 1 }, { solves: 200, low: 190 }), is: 0 },
  ])('of $who is $is', ({ known, is }) => {
    expect(addressTrouble(known)).toBeCloseTo(is, 3)
  })
})

describe('trouble of a network', () => {
  test.each([
    { who: 'where most of what others solved is low', known: at({ solves: 1 }, { solves: 200, low: 190 }), is: 1 },
    { who: 'with one bot', known: at({ solves: 1 }, { solves: 60, low: 30 }), is: 0 },
    { who: 'whose only trouble is the address itself', known: at({ solves: 190, low: 190 }), is: 0 },
    { who: 'with wrong solutions of others, which cost nothing', known: at({}, { failed: 1000 }), is: 0 },
  ])('$who is $is', ({ known, is }) => {
    expect(networkTrouble(known)).toBeCloseTo(is, 5)
  })
})

/** What the family takes from a score, in log-odds. */
function taken(history: HistoryFacts, shows: 'much' | 'little' = 'much'): number {
  const visit = { signals: {}, request: {} as never, units: 256, history, shows }
  const sum = HISTORY_RULES.reduce((total, { weight, when }) => total + weight * Number(when(visit)), 0)
  return Math.max(MODEL.bounds.history[0], sum)
}
const verifying = { ...site, solves: 1000, verified: 950 }

describe('shared addresses do not sink', () => {
  test.each([
    { who: 'one visitor', history: facts() },
    { who: 'a family', history: at({ solves: 12, verified: 11, challenges: 15 }, undefined, { site: verifying }) },
    {
      who: 'an office of 60',
      history: at({ solves: 40, verified: 38 }, undefined, { alike: [1, 0, 2, 1], again: 1, site: verifying }),
    },
    {
      who: 'a school: 120 sign in at once',
      history: at({ solves: 120, verified: 115, low: 4 }, undefined, { alike: [1, 1, 1], again: 1, site: verifying }),
    },
    {
      who: 'a carrier’s address: 1,200 an hour',
      history: at({ solves: 200, verified: 190, low: 10, failed: 2 }, undefined, { site: verifying }),
    },
  ])('$who loses nothing', ({ history }) => {
    expect(taken(history)).toBeCloseTo(0, 5)
  })
})

describe('nobody pays for a neighbour', () => {
  test.each([
    { what: '1,000 junk solutions', network: { failed: 1000, challenges: 1000 } },
    { what: '1,000 low scores', network: { solves: 1000, low: 1000 } },
    { what: '1,000 tokens that nobody verifies', network: { solves: 1000 } },
    { what: 'all of it', network: { solves: 2000, low: 1000, failed: 1000, unfinished: 700, parts: 0 } },
  ])('$what of neighbours take 0.3 at most', ({ network }) => {
    expect(taken(at({ solves: 1 }, network, { site: verifying }))).toBeGreaterThanOrEqual(-0.3)
  })
})

describe('who does it pays', () => {
  test.each([
    { who: 'a recording sent twice more', history: facts({ again: 2.5 }), most: -1.9 },
    { who: 'four times more', history: facts({ again: 4 }), most: -4 },
    { who: 'altered by some per cent, seen in two grids', history: facts({ alike: [3, 3, 1, 0] }), most: -4 },
    { who: 'thirty junk solutions of one address', history: at({ failed: 30 }), most: -2.4 },
    { who: 'thirty low scores', history: at({ solves: 30, low: 30 }), most: -2.4 },
    {
      who: 'thirty tokens that are never verified',
      history: at({ solves: 30 }, undefined, { site: verifying }),
      most: -1.8,
    },
  ])('$who', ({ history, most }) => {
    expect(taken(history)).toBeLessThanOrEqual(most)
  })
  test('who shows little is the same as others by chance, and is given more room', () => {
    expect(taken(facts({ again: 8 }), 'little')).toBeCloseTo(0, 5)
    expect(taken(facts({ again: 20 }), 'little')).toBeCloseTo(-4, 5)
  })
  test('where the customer verifies elsewhere, nothing is said of tokens that are not verified', () => {
    expect(taken(at({ solves: 30 }, undefined, { site: { ...site, solves: 1000 } }))).toBeCloseTo(0, 5)
  })
  test('and nothing sinks deeper than the bound', () => {
    const all = at({ solves: 600, low: 600 }, undefined, { again: 599, alike: [599, 599, 599], site: verifying })
    expect(taken(all)).toBe(MODEL.bounds.history[0])
  })
})
