import { describe, expect, test } from '@jest/globals'
import { seconds } from '../../../src/domain/words.ts'
import { memoryArrivals, visitBudget } from '../../../src/limits/visit-budget.ts'
import { faultOf } from '../../support/ledger-contract.ts'

const place = (key: string, perVisitMs = 1000, roomMs = 3000) => ({ key, perVisitMs, roomMs })

describe('arrival times in memory', () => {
  const arriving = (capacity?: number, ms = 7_000) => {
    const arrivals = memoryArrivals(() => ms, capacity)
    return { pass: (by: number) => void (ms += by), take: arrivals.take.bind(arrivals) }
  }

  test('say how many milliseconds are missing in the place that has the least room', async () => {
    const { take, pass } = arriving()
    const both = [place('narrow'), place('wide', 250)]
    for (let i = 0; i < 3; i++) expect(await take(both, 1, false)).toBe(0)
    expect(await take(both, 1, false)).toBe(1000)
    expect(await take(both, 0.5, false)).toBe(500)
    pass(999)
    expect(await take(both, 1, false)).toBe(1)
    pass(1)
    expect(await take(both, 1, false)).toBe(0)
    // The three that were refused took nothing of it.
    expect(await take([place('wide', 3000)], 1, false)).toBe(250)
  })
  test('take room anyway where they are told to, and say that they did', async () => {
    const { take } = arriving()
    expect(await take([place('a')], 5, true)).toBe(0)
    expect(await take([place('a')], 1, false)).toBe(3000)
    expect(await take([place('a')], 1, true)).toBe(0)
    expect(await take([place('a')], 1, false)).toBe(4000)
  })
  test('are so many at the most: the one that was used longest ago goes, and one that is used again stays', async () => {
    const { take } = arriving(2)
    const full = (key: string) => [place(key, 3000)]
    for (const key of ['a', 'b', 'a']) await take(full(key), 1, true)
    await take(full('c'), 1, false)
    expect([await take(full('a'), 1, false), await take(full('c'), 1, false)]).toEqual([6000, 3000])
    expect(await take(full('b'), 1, false)).toBe(0)
  })
  test.each([0.3, 31_072.9, 86_400_000.7, 1e9 + 0.1])(
    'give all of the room, %p ms after the start of the process',
    async (ms) => {
      const { take } = arriving(undefined, ms)
      expect(await take([place('whole', 100_000, 100_000)], 1, false)).toBe(0)
      const thirds = [place('thirds', 100_000 / 3, 100_000)]
      for (let i = 0; i < 3; i++) expect(await take(thirds, 1, false)).toBe(0)
      expect(await take(thirds, 1, false)).toBeCloseTo(100_000 / 3, 3)
    },
  )
  test('run by a clock that never jumps where none is given', async () => {
    const arrivals = memoryArrivals()
    const began = performance.now()
    expect(await arrivals.take([place('a', 100_000, 100_000)], 1, false)).toBe(0)
    const wait = await arrivals.take([place('a', 100_000, 100_000)], 1, false)
    expect(wait).toBeLessThanOrEqual(100_000)
    expect(wait).toBeGreaterThanOrEqual(Math.floor(100_000 - (performance.now() - began)))
  })
})

test('a charge that nobody can take is lost without a word; a visit is not', async () => {
  const unhandled: unknown[] = []
  const keep = (reason: unknown): void => void unhandled.push(reason)
  process.on('unhandledRejection', keep)
  const budget = visitBudget(
    { take: () => Promise.reject(new Error('no answer in time')) },
    { points: 3, per: seconds(60) },
  )
  budget.charge('one', 0.5)
  expect(await faultOf(() => budget.take('one'))).toBe('Error: no answer in time')
  await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', keep)
  expect(unhandled).toEqual([])
})
