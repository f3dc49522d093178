import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { Fault } from '../../../src/domain/codes.ts'
import { type WatchedLimiter, watchLimiter } from '../../../src/limits/watch.ts'
import type { Limiter } from '../../../src/ports/stores.ts'
import { keepLog } from '../../support/ledger-contract.ts'

let answer: unknown
let called: unknown[][]
let log: ReturnType<typeof keepLog>
let limiter: WatchedLimiter
beforeEach(() => {
  jest.useFakeTimers()
  answer = undefined
  log = keepLog()
  called = []
  const take = async (...of: unknown[]) => {
    called.push(['take', ...of])
    if (answer instanceof Error) throw answer
  }
  const stored: Limiter = {
    take,
    charge: (...of) => void called.push(['charge', ...of]),
    giveBack: (...of) => void called.push(['giveBack', ...of]),
    close: async () => void called.push(['close']),
  }
  limiter = watchLimiter(stored, log, () => Date.now())
})
afterEach(async () => {
  await limiter.close()
  jest.useRealTimers()
})

const after = async (ms: number, says: unknown) => {
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
    const said = 'error unavailable {"code":"rate-limiter-unavailable","cause":{}}'
    await after(10_000, UNAVAILABLE)
    expect(log.lines).toEqual([said])
    await after(500, undefined)
    await after(10_000, UNAVAILABLE)
    expect(log.lines).toEqual([said, said])
  })

  test('is at fault 1.5 s after the first question in vain, and not a moment earlier', async () => {
    await after(500, UNAVAILABLE)
    expect(await after(1499, UNAVAILABLE)).toBeUndefined()
    expect(await after(1, UNAVAILABLE)).toBe('rate-limiter-unavailable')
    expect(await after(5000, UNAVAILABLE)).toBe('rate-limiter-unavailable')
    // The next outage begins anew.
    expect(await after(500, undefined)).toBeUndefined()
    expect(await after(1999, UNAVAILABLE)).toBeUndefined()
    expect(await after(1, UNAVAILABLE)).toBe('rate-limiter-unavailable')
  })

  test('is not at fault for something that is no fault', async () => {
    expect(await after(5000, new Error('rate-limiter-unavailable'))).toBeUndefined()
  })

  test('is asked for a point of nobody, twice a second', async () => {
    await after(499, undefined)
    expect(called).toEqual([])
    await after(501, undefined)
    expect(called).toEqual([['take', 'siteverify', 'watch'], ['take', 'siteverify', 'watch']]) // prettier-ignore
  })

  test('is asked no more once it is closed', async () => {
    await limiter.close()
    expect(called).toEqual([['close']])
    expect(await after(10_000, UNAVAILABLE)).toBeUndefined()
    expect(called).toEqual([['close']])
  })

  test('is looked at by the clock of the process where no other is given', async () => {
    const own = watchLimiter({ ...limiter, take: () => Promise.reject(UNAVAILABLE) }, log)
    await jest.advanceTimersByTimeAsync(1999)
    expect(own.fault()).toBeUndefined()
    await jest.advanceTimersByTimeAsync(1)
    expect(own.fault()).toBe(UNAVAILABLE)
    await own.close()
  })

  test('is handed everything else as it is', async () => {
    await limiter.take('challenge', 'one')
    limiter.charge('one', 0.5)
    limiter.giveBack('siteverify', 'hv_site_one')
    expect(called).toEqual([
      ['take', 'challenge', 'one'],
      ['charge', 'one', 0.5],
      ['giveBack', 'siteverify', 'hv_site_one'],
    ])
  })

  test('is looked at by a clock that keeps no process alive', async () => {
    jest.useRealTimers()
    const pending = () => process.getActiveResourcesInfo().filter((each) => each === 'Timeout').length
    const before = pending()
    const idle = watchLimiter({ ...limiter, take: async () => undefined }, log)
    expect(pending()).toBe(before)
    await idle.close()
  })
})
