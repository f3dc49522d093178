import { beforeEach, describe, expect, test } from '@jest/globals'
import { rememberedRefusals } from '../../../src/limits/remembered-refusals.ts'
import type { BudgetPlace } from '../../../src/limits/visit-budget.ts'

const placesOf = (name: string): readonly BudgetPlace[] => [
  { key: name, perVisitMs: 4000, roomMs: 180_000 },
  { key: `${name}'s network`, perVisitMs: 250, roomMs: 180_000 },
]
let now = 0
let asked: string[] = []
let waitMs = 0
const store = {
  async take([own]: readonly BudgetPlace[], cost: number, anyway: boolean) {
    asked.push(`${own!.key} ${cost} ${anyway}`)
    return waitMs
  },
}
beforeEach(() => {
  now = 5000
  asked = []
  waitMs = 0
})
const remembered = (capacity?: number) => rememberedRefusals(store, () => now, capacity)

describe('a refusal', () => {
  test('is repeated for a second with what is left of the wait; then the store is asked again', async () => {
    const arrivals = remembered()
    waitMs = 3000
    expect(await arrivals.take(placesOf('a'), 1, false)).toBe(3000)
    now += 999
    expect(await arrivals.take(placesOf('a'), 1, false)).toBe(2001)
    expect(asked).toEqual(['a 1 false'])
    now += 1
    waitMs = 2000
    expect(await arrivals.take(placesOf('a'), 1, false)).toBe(2000)
    expect(asked).toEqual(['a 1 false', 'a 1 false'])
  })
  test('is repeated for a visit with a call behind it, which is not made', async () => {
    const next = { lua: 'return 1', keys: [], args: [] }
    const made: string[] = []
    const arrivals = rememberedRefusals(
      {
        ...store,
        async takeThen([own]) {
          made.push(own!.key)
          return waitMs > 0 ? { waitMs } : { waitMs, answer: 'counts' }
        },
      },
      () => now,
    )
    expect(await arrivals.takeThen!(placesOf('a'), next)).toEqual({ waitMs: 0, answer: 'counts' })
    waitMs = 700
    expect(await arrivals.takeThen!(placesOf('a'), next)).toEqual({ waitMs: 700 })
    now += 200
    expect(await arrivals.takeThen!(placesOf('a'), next)).toEqual({ waitMs: 500 })
    expect(await arrivals.take(placesOf('a'), 1, false)).toBe(500)
    expect(made).toEqual(['a', 'a'])
    expect(remembered().takeThen).toBeUndefined()
  })
  test('is repeated no longer than the wait', async () => {
    const arrivals = remembered()
    waitMs = 300
    await arrivals.take(placesOf('a'), 1, false)
    now += 300
    waitMs = 0
    expect(await arrivals.take(placesOf('a'), 1, false)).toBe(0)
    expect(asked).toHaveLength(2)
  })
  test('is of that address alone', async () => {
    const arrivals = remembered()
    waitMs = 3000
    await arrivals.take(placesOf('a'), 1, false)
    waitMs = 0
    expect(await arrivals.take(placesOf('b'), 1, false)).toBe(0)
  })
  test('keeps no charge from the store', async () => {
    const arrivals = remembered()
    waitMs = 3000
    await arrivals.take(placesOf('a'), 1, false)
    await arrivals.take(placesOf('a'), 0.5, true)
    expect(asked).toEqual(['a 1 false', 'a 0.5 true'])
  })
  test('makes room for a new one when there are too many', async () => {
    const arrivals = remembered(2)
    waitMs = 3000
    for (const name of ['a', 'b', 'c']) await arrivals.take(placesOf(name), 1, false)
    asked = []
    for (const name of ['c', 'b', 'a']) await arrivals.take(placesOf(name), 1, false)
    expect(asked).toEqual(['a 1 false'])
  })
  test('is not remembered where there was room, or where nobody could tell', async () => {
    const arrivals = remembered()
    expect(await arrivals.take(placesOf('a'), 1, false)).toBe(0)
    expect(await arrivals.take(placesOf('a'), 1, false)).toBe(0)
    expect(asked).toHaveLength(2)
    const broken = rememberedRefusals({ take: () => Promise.reject(new Error('no answer in time')) })
    await expect(broken.take(placesOf('a'), 1, false)).rejects.toThrow('no answer in time')
    await expect(broken.take(placesOf('a'), 1, false)).rejects.toThrow('no answer in time')
  })
})
