/** Which of two stores is to blame, and when the second is asked. Real ones are in test/world/limits/limits.test.ts. */
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { Fault } from '../../../src/domain/codes.ts'
import { blameLedgerFirst } from '../../../src/limits/root-cause.ts'
import type { Limiter } from '../../../src/ports/stores.ts'
import { faultOf } from '../../support/ledger-contract.ts'

const UNAVAILABLE = new Fault('rate-limiter-unavailable')
beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

/** A limiter that says something after so many ms, before a ledger that answers or faults. */
function asking(says: unknown, ms: number, ledgerFault?: Fault) {
  let probes = 0
  const called: unknown[][] = []
  const limiter: Limiter = {
    async take(...of) {
      called.push(['take', ...of])
      await new Promise((resolve) => setTimeout(resolve, ms))
      if (says instanceof Error) throw says
    },
    charge: (...of) => void called.push(['charge', ...of]),
    giveBack: (...of) => void called.push(['giveBack', ...of]),
    close: async () => void called.push(['close']),
  }
  const ledger = {
    async probe() {
      probes++
      if (ledgerFault) throw ledgerFault
    },
  }
  return { on: blameLedgerFirst(limiter, ledger), probes: () => probes, called }
}
const after = async <T>(ms: number, outcome: Promise<T>): Promise<T> => {
  await jest.advanceTimersByTimeAsync(ms)
  return outcome
}

describe('the ledger', () => {
  test('is asked when the limiter has been slow for 200 ms, once, and not before', async () => {
    const { on, probes } = asking(UNAVAILABLE, 350, new Fault('database-unavailable'))
    const taken = faultOf(() => on.take('solve', 'one'))
    await jest.advanceTimersByTimeAsync(199)
    expect(probes()).toBe(0)
    await jest.advanceTimersByTimeAsync(1)
    expect(probes()).toBe(1)
    expect(await after(150, taken)).toBe('database-unavailable')
    expect(probes()).toBe(1)
  })
  test('is asked when the limiter fails at once', async () => {
    const { on, probes } = asking(UNAVAILABLE, 0)
    expect(
      await after(
        0,
        faultOf(() => on.take('solve', 'one')),
      ),
    ).toBe('rate-limiter-unavailable')
    expect(probes()).toBe(1)
  })
  test.each([
    { what: 'an answer', says: 'an answer', then: 'none' },
    { what: 'a refusal', says: new Fault('rate-limit-exceeded'), then: 'rate-limit-exceeded' },
    { what: 'a mistake of ours', says: new TypeError('x is not a function'), then: 'TypeError: x is not a function' },
  ])('is not asked after $what that came in time, and no clock goes on', async ({ says, then }) => {
    const { on, probes } = asking(says, 100, new Fault('database-unavailable'))
    expect(
      await after(
        100,
        faultOf(() => on.take('solve', 'one')),
      ),
    ).toBe(then)
    expect(jest.getTimerCount()).toBe(0)
    await jest.advanceTimersByTimeAsync(1000)
    expect(probes()).toBe(0)
  })
})

test('everything reaches the limiter as it is', async () => {
  const { on, called } = asking(undefined, 10)
  await after(10, on.take('challenge', 'one'))
  on.charge('one', 0.5)
  on.giveBack('siteverify', 'hv_site_one')
  await on.close()
  expect(called).toEqual([
    ['take', 'challenge', 'one'],
    ['charge', 'one', 0.5],
    ['giveBack', 'siteverify', 'hv_site_one'],
    ['close'],
  ])
})
