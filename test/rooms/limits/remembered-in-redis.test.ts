/** How often the limiter asks the store about an address that keeps asking: by its port, over a store that counts its calls. */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { seconds } from '../../../src/domain/words.ts'
import { redisLimiter } from '../../../src/limits/limits.ts'
import { faultOf } from '../../support/ledger-contract.ts'

let calls: number
let waitMs: number
const rate = { points: 3, per: seconds(60) }
const limiter = () =>
  redisLimiter(
    { prefixes: ['{hv}:'], prefixFor: () => '{hv}:', evaluate: async () => (calls++, waitMs) },
    { challenge: rate, solve: rate, siteverify: rate, fallback: rate, junk: rate, ticket: rate },
  )
beforeEach(() => {
  jest.useFakeTimers()
  calls = 0
})
afterEach(() => void jest.useRealTimers())

test('a refusal costs the store one call a second, however often the address asks', async () => {
  const on = limiter()
  waitMs = 20_000
  const ask = () => faultOf(() => on.take('challenge', 'one'))
  for (let i = 0; i < 50; i++) expect(await ask()).toBe('rate-limit-exceeded')
  expect(calls).toBe(1)
  await jest.advanceTimersByTimeAsync(999)
  await ask()
  expect(calls).toBe(1)
  await jest.advanceTimersByTimeAsync(1)
  await ask()
  expect(calls).toBe(2)
})

test('a refusal is not forgotten over the visits of 10,000 other addresses that have room', async () => {
  const on = limiter()
  waitMs = 20_000
  expect(await faultOf(() => on.take('challenge', 'one'))).toBe('rate-limit-exceeded')
  waitMs = 0
  for (let i = 0; i < 10_000; i++) await on.take('challenge', `other ${i}`)
  calls = 0
  expect(await faultOf(() => on.take('challenge', 'one'))).toBe('rate-limit-exceeded')
  expect(calls).toBe(0)
})
