/** The rule of budgets that return with time; that charges.lua has the same one is in test/world/store/charges.test.ts. */
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { decide, type Limit } from '../../../src/store/limits/gcra.ts'

const NOW = 1_800_000_000_000
/** Three points in a minute. */
const limit: Limit = { emissionInterval: 20_000, burstOffset: 60_000 }

test.each([
  { what: 'an unused budget', tat: undefined, cost: 1, allowed: true, newTat: 20_000 },
  { what: 'an unused budget, all of it', tat: undefined, cost: 3, allowed: true, newTat: 60_000 },
  {
    what: 'more than all of it',
    tat: undefined,
    cost: 3.1,
    allowed: false,
    newTat: 62_000,
    retryIn: 2000,
  },
  { what: 'one of which a point is used', tat: 20_000, cost: 2, allowed: true, newTat: 60_000 },
  {
    what: 'one that is used up',
    tat: 60_000,
    cost: 1,
    allowed: false,
    newTat: 80_000,
    retryIn: 20_000,
  },
  {
    what: 'one of which a point is just back',
    tat: 40_000,
    cost: 1,
    allowed: true,
    newTat: 60_000,
  },
  { what: 'one that was used long ago', tat: -5000, cost: 1, allowed: true, newTat: 20_000 },
  {
    what: 'one used by a clock ten seconds ahead',
    tat: 65_000,
    cost: 1,
    allowed: false,
    newTat: 85_000,
    retryIn: 25_000,
  },
  { what: 'one used by a wrong clock', tat: 3_600_000, cost: 1, allowed: true, newTat: 20_000 },
])('a cost of $cost of $what: $allowed', ({ tat, cost, allowed, newTat, retryIn = 0 }) => {
  const decision = decide(limit, tat === undefined ? tat : NOW + tat, NOW, cost)
  expect(decision).toEqual({ isAllowed: allowed, retryIn, newTat: NOW + newTat })
})

test('never allows more than the burst at once and the rate after it, however the calls are spread', () => {
  const calls = fc.array(fc.record({ after: fc.nat(30_000), cost: fc.integer({ min: 1, max: 3 }) }))
  fc.assert(
    fc.property(calls, (asked) => {
      let [now, used] = [NOW, 0]
      let tat: number | undefined
      for (const { after, cost } of asked) {
        now += after
        const decision = decide(limit, tat, now, cost)
        if (!decision.isAllowed) continue
        tat = decision.newTat
        used += cost
        expect(used).toBeLessThanOrEqual(3.05 + (now - NOW) / 20_000)
      }
    }),
  )
})
