/** Single use while the server's wall clock is wrong for a moment: a real Redis under a clock that the test sets. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { redisLimiter } from '../../../src/store/limits.ts'
import { redisConnection } from '../../../src/store/redis.ts'
import { eventually, keepLog } from '../../support/ledger-contract.ts'
import { everyBudget } from '../../support/ledger-on-redis.ts'
import { type LyingRedis, startLyingRedis } from '../../support/lying-clock/clock.ts'
import { blinkAt, blinkAtExpiringEntries, nameOf, SOME_BLINKS } from '../../support/lying-clock/rows.ts'

let redis: LyingRedis
beforeAll(async () => {
  redis = await startLyingRedis()
})
afterAll(() => redis.remove())

test('the control: where Redis expires entries, an hour ahead for half a second accepts tokens twice', async () => {
  expect(await blinkAtExpiringEntries(redis, 3_600_000, 500)).toBeGreaterThan(0)
})

test.each(SOME_BLINKS.map((blink) => [nameOf(blink), blink] as const))(
  'nothing is accepted twice, and a fresh challenge works within 3 s: %s',
  async (_name, blink) => {
    const { twice, freshAfterMs } = await blinkAt(redis, blink)
    expect(twice).toBe(0)
    expect(freshAfterMs).toBeLessThan(3000)
  },
)

test('whoever used up a budget while the clock was an hour ahead has another as soon as it is right', async () => {
  const link = redisConnection({ url: redis.url, keyPrefix: 'hv' }, { log: keepLog() })
  await eventually(() => expect(link.client.status).toBe('ready'))
  const POINTS = 4
  const limiter = redisLimiter(link, everyBudget(POINTS, 60))
  const visitors = Array.from({ length: 20 }, (_, i) => `somebody-${i}`)
  const allCome = () => Promise.all(visitors.map((who) => limiter.take('solve', who)))
  redis.shift(3_600_000)
  for (let i = 0; i < POINTS; i++) await allCome()
  redis.shift(0)
  for (let i = 0; i < POINTS; i++) await allCome()
  await link.close()
})
