/** Every blink of the server's clock, ahead, back, and ahead then back; `npm test -- faults`. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type LyingRedis, startLyingRedis } from '../../support/lying-clock/clock.ts'
import { ALL_BLINKS, blinkAt, blinkAtExpiringEntries, nameOf, SOME_BLINKS } from '../../support/lying-clock/rows.ts'

const isShort = process.env['HV_FAULTS'] === 'ci'
const blinks = isShort ? SOME_BLINKS.slice(0, 2) : ALL_BLINKS

let redis: LyingRedis
beforeAll(async () => {
  redis = await startLyingRedis()
})
afterAll(() => redis.remove())

test('the control doubles', async () => {
  expect(await blinkAtExpiringEntries(redis, 3_600_000, 500)).toBeGreaterThan(0)
})

test.each(blinks.map((blink) => [nameOf(blink), blink] as const))('accepted twice: none; %s', async (_name, blink) => {
  const { twice, freshAfterMs } = await blinkAt(redis, blink)
  expect(twice).toBe(0)
  expect(freshAfterMs).toBeLessThan(3000)
})
