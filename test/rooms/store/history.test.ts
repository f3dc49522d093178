/** Edges of history in one process; the promise that memory shares with Redis is in test/world/history/history.test.ts. */
import { describe, expect, test } from '@jest/globals'
import { STRANGER } from '../../../src/domain/history.ts'
import { type Action, type Sitekey, seconds, unixSeconds } from '../../../src/domain/words.ts'
import type { History } from '../../../src/domain/ports/stores.ts'
import { type Counters, memoryCounters } from '../../../src/store/counters.ts'
import { history } from '../../../src/store/history.ts'
import { RedisFailure } from '../../../src/store/redis-failure.ts'
import { keepLog, newJti } from '../../support/ledger-contract.ts'

/** A bucket begins. */
const NOW = 1_800_000_000
const at = (by: number) => unixSeconds(NOW + by)
const place = { sitekey: 'hv_site_testshop' as Sitekey, action: undefined }
const behaviour = [1, 2] as const
const solve = (change: Partial<Parameters<History['solved']>[1]> = {}) => ({
  jti: newJti(),
  place,
  behaviour: undefined,
  isPart: false,
  ...change,
})
const ADDRESS = 'nnnnnnn1aaaaaaaaaaaaa1'

describe('the buckets of memory', () => {
  const [ten, day] = [seconds(600), seconds(86_400)]
  function counting(capacity?: number) {
    const counters = memoryCounters(capacity)
    const add = async (by: number, name: string, bucket = ten) =>
      counters.count('', [{ name, bucket }], { isPart: false }, at(by))
    const there = async (by: number, name: string, bucket = ten) => {
      const { counts } = await counters.count('', [{ name, bucket }], undefined, at(by))
      return [counts[0]!.solves.current, counts[0]!.solves.previous]
    }
    return { add, there }
  }

  test('go in the order in which they came when there is no room', async () => {
    const { add, there } = counting(2)
    for (const name of ['a', 'b', 'c']) await add(0, name)
    expect([await there(0, 'a'), await there(0, 'b'), await there(0, 'c')]).toEqual([[0, 0], [1, 0], [1, 0]]) // prettier-ignore
  })
  test('that have ended make room first, beside those of a day that came earlier', async () => {
    const { add, there } = counting(2)
    await add(0, 'd', day)
    await add(0, 'a')
    await add(600, 'b')
    await add(1200, 'c')
    expect([await there(600, 'a'), await there(1200, 'b'), await there(1200, 'c')]).toEqual([[0, 0], [0, 1], [1, 0]]) // prettier-ignore
    expect(await there(1200, 'd', day)).toEqual([1, 0])
  })
})

describe('the load of a place', () => {
  test('follows the clock between two solves, and is of the action alone where there is one', async () => {
    const on = history(memoryCounters(), keepLog())
    for (let i = 0; i < 30; i++) await on.solved(undefined, solve(), at(0))
    expect(on.load(place, at(0))).toEqual({ recent: 30, usual: (30 * 600) / 86_400 })
    expect(on.load(place, at(900)).recent).toBe(15)
    expect(on.load(place, at(1200)).recent).toBe(0)
    expect(on.load({ ...place, action: 'log-in' as Action }, at(0)).recent).toBe(0)
  })
})

describe('a store that fails', () => {
  const UNREACHABLE = 'warn history is unreachable; visits are scored without it {"detail":"RedisFailure: no answer"}'
  const BACK = 'info history is back {}'
  function breakable() {
    const state = { broken: false, calls: 0, error: new RedisFailure(new Error('no answer')) as Error }
    const stored = memoryCounters()
    const counters: Counters = {
      async count(...asked) {
        state.calls++
        if (state.broken) throw state.error
        return stored.count(...asked)
      },
    }
    return { state, counters }
  }

  test('leaves strangers, and is asked once a visit; the log says so once, and once when it is over', async () => {
    const { state, counters } = breakable()
    const log = keepLog()
    const on = history(counters, log)
    expect((await on.solved(ADDRESS, solve({ behaviour }), at(0))).address.solves).toBe(1)
    expect(state.calls).toBe(2)
    for (let outage = 1; outage <= 2; outage++) {
      state.broken = true
      state.calls = 0
      for (let i = 0; i < 2; i++) {
        expect(await on.near(ADDRESS, at(0))).toEqual(STRANGER)
        expect(await on.solved(ADDRESS, solve({ behaviour }), at(0))).toEqual({ ...STRANGER, again: 0 })
        expect(await on.solved(undefined, solve({ behaviour }), at(0))).toEqual({ ...STRANGER, again: 0 })
      }
      expect(state.calls).toBe(6)
      state.broken = false
      for (let i = 0; i < 2; i++) await on.near(ADDRESS, at(0))
      expect(log.lines).toEqual(Array.from({ length: outage }, () => [UNREACHABLE, BACK]).flat())
    }
    Object.assign(state, { broken: true, error: new TypeError('a defect') })
    await expect(on.near(ADDRESS, at(0))).rejects.toThrow('a defect')
  })
})
