import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { Fault } from '../../../src/domain/codes.ts'
import { type WatchedLimiter, watchLimiter } from '../../../src/limits/watch.ts'
import { keepLog } from '../../support/ledger-contract.ts'

let answer: Fault | undefined
let log: ReturnType<typeof keepLog>
let limiter: WatchedLimiter
beforeEach(() => {
  jest.useFakeTimers()
  answer = undefined
  log = keepLog()
  const take = async () => {
    if (answer) throw answer
  }
  limiter = watchLimiter(
    { take, charge: () => {}, refusesFor: () => undefined, giveBack: () => {}, close: async () => {} },
    log,
    () => Date.now(),
  )
})
afterEach(async () => {
  await limiter.close()
  jest.useRealTimers()
})

const after = async (ms: number, says: Fault | undefined) => {
  answer = says
  await jest.advanceTimersByTimeAsync(ms)
  return limiter.fault()?.code
}
const UNAVAILABLE = new Fault('rate-limiter-unavailable', { cause: new Error('NOPERM') })

describe('a limiter that is watched', () => {
  test('is at fault once nobody could ask it for a while, and no longer once somebody can', async () => {
    expect(await after(1000, undefined)).toBeUndefined()
    expect(await after(1500, UNAVAILABLE)).toBeUndefined()
    expect(await after(1000, UNAVAILABLE)).toBe('rate-limiter-unavailable')
    expect(await after(500, undefined)).toBeUndefined()
  })

  test('is not at fault for single answers that are lost', async () => {
    for (let i = 0; i < 20; i++) {
      expect(await after(1000, UNAVAILABLE)).toBeUndefined()
      expect(await after(500, undefined)).toBeUndefined()
    }
  })

  test.each(['rate-limit-exceeded', 'database-unavailable'] as const)('is not at fault for %s', async (code) => {
    expect(await after(5000, new Fault(code))).toBeUndefined()
  })

  test('says why, once an outage', async () => {
    await after(10_000, UNAVAILABLE)
    await after(500, undefined)
    await after(10_000, UNAVAILABLE)
    expect(log.lines.filter((line) => line.includes('rate-limiter-unavailable'))).toHaveLength(2)
  })

  test('is asked no more once it is closed', async () => {
    await limiter.close()
    expect(await after(10_000, UNAVAILABLE)).toBeUndefined()
  })
})
