/** Single use while the server's wall clock is wrong for a moment: a real Redis under a clock that the test sets. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { redisLimiter } from '../../../src/store/limits.ts'
import { redisConnection } from '../../../src/store/redis.ts'
import { eventually, keepLog, random, sleep } from '../../support/ledger-contract.ts'
import { closeAfterEach, everyBudget } from '../../support/ledger-on-redis.ts'
import { type LyingRedis, startLyingRedis } from '../../support/lying-clock/clock.ts'
import { blinkAt, blinkAtExpiringEntries, nameOf, SOME_BLINKS } from '../../support/lying-clock/rows.ts'

let redis: LyingRedis
beforeAll(async () => {
  redis = await startLyingRedis()
})
afterAll(() => redis.remove())
const closeLater = closeAfterEach()

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

test.each([
  { name: 'an hour ahead', ahead: 3_600_000, forMs: 0 },
  { name: 'ahead by less than the time of the budget', ahead: 3000, forMs: 3000 },
])('whoever used up a budget while the clock was $name waits no longer for the next one', async ({ ahead, forMs }) => {
  const link = redisConnection({ url: redis.url, keyPrefix: random.id() }, { log: keepLog() })
  closeLater(() => link.close())
  await eventually(() => expect(link.client.status).toBe('ready'))
  const POINTS = 4
  const limiter = redisLimiter(link, everyBudget(POINTS, 4))
  const visitors = Array.from({ length: 20 }, (_, i) => `somebody-${i}`)
  const allCome = () => Promise.all(visitors.map((who) => limiter.take('solve', who)))
  redis.shift(ahead)
  const over = sleep(4100)
  for (let i = 0; i < POINTS; i++) await allCome()
  await sleep(forMs)
  redis.shift(0)
  await expect(allCome()).rejects.toMatchObject({ code: 'rate-limit-exceeded' })
  await over
  for (let i = 0; i < POINTS; i++) await allCome()
})
