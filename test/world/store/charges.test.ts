/** charges.lua in a real Redis decides as the rule in gcra.ts does, call by call. */
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type Charge, redisCharges } from '../../../src/store/limits/charges.ts'
import { decide } from '../../../src/store/limits/gcra.ts'
import { redisConnection } from '../../../src/store/redis/redis-connection.ts'
import { closeLater } from '../../support/close-later.ts'
import { patient } from '../../support/ledger-on-redis.ts'
import { eventually, keepLog, random } from '../../support/ledger-contract.ts'
import { startRedis } from '../../support/redis.ts'

const redis = await startRedis()
const connection = closeLater(
  redisConnection({ url: redis.url, keyPrefix: 'hv' }, { log: keepLog() }),
  (it) => it.close(),
)
await eventually(() => expect(connection.trouble()).toBeUndefined())
const link = patient(connection)
const NOW = 1_800_000_000_000

const cost = fc.record({
  budget: fc.constantFrom('solve', 'ticket'),
  owner: fc.constantFrom('one', 'other', 'both'),
  limit: fc.record({
    // More than the test takes, since Redis drops by its own clock what has returned.
    emissionInterval: fc.constantFrom(20_000, 33_333.3, 250_000),
    burstOffset: fc.constantFrom(30_000, 60_000, 3_600_000),
  }),
  points: fc.constantFrom(0.5, 1, 2, 5, 40),
})
const call = fc.record({
  // A clock of another instance may be behind or ahead, a little or far.
  after: fc.constantFrom(0, 1, 700, 20_000, 100_000, -500, -9000, 90_000_000, -90_000_000),
  costs: fc.uniqueArray(cost, {
    minLength: 1,
    maxLength: 3,
    selector: ({ budget, owner }) => `${budget} ${owner}`,
  }),
  receipt: fc.option(fc.constantFrom('a', 'b'), { nil: undefined }),
  isCheck: fc.boolean(),
})

/** What the script should do, said by the rule alone. */
function model() {
  const tats = new Map<string, number>()
  return ({ costs, receipt, isCheck }: Charge, now: number) => {
    if (receipt && tats.has(receipt.owner)) return { is: 'charged before' }
    const decisions = costs.map(({ budget, owner, limit, points }) => {
      const key = `${budget} ${owner}`
      return { key, ...decide(limit, tats.get(key), now, points) }
    })
    const full = decisions.find(({ isAllowed }) => !isAllowed)
    if (full) return { is: 'full', waitMs: full.retryIn }
    if (isCheck !== true) for (const { key, newTat } of decisions) tats.set(key, newTat)
    if (receipt && isCheck !== true) tats.set(receipt.owner, now)
    return { is: 'charged' }
  }
}

test('the script charges and refuses as the rule says', async () => {
  const charges = redisCharges(link)
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 30 }), async (calls) => {
      const run = random.id()
      const expected = model()
      let now = NOW
      for (const { after, costs, receipt, isCheck } of calls) {
        now += after
        const charge: Charge = {
          partition: run,
          costs: costs.map((each) => ({ ...each, owner: `${run}${each.owner}` })),
          receipt: receipt && { budget: 'paid', owner: `${run}${receipt}`, endsAt: now + 1e9 },
          isCheck,
        }
        const waits = await charges(charge, now)
        const should = expected(charge, now)
        // Redis stores thousandths of a millisecond.
        const apart =
          'waitMs' in waits && 'waitMs' in should ? Math.abs(waits.waitMs - should.waitMs) : 0
        expect([waits.is, apart <= 1]).toEqual([should.is, true])
      }
    }),
    { numRuns: 60 },
  )
}, 60_000)
