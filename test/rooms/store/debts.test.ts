/** The bound of debts in memory; what memory and Redis share is in test/world/store/limits.test.ts. */
import { expect, test } from '@jest/globals'
import { memoryDebts } from '../../../src/store/limits/debts.ts'

const NOW = 1_800_000_000_000

/** Callers with a budget of three points in a minute. */
function callers(capacity: number) {
  const debts = memoryDebts(capacity)
  const take = (whose: string, addMs = 20_000, of = 'solve', now = NOW) =>
    debts.charge('', [{ of, whose, addMs, roomMs: 20_000, mostMs: 60_000 }], undefined, now)
  const isFull = async (whose: string, of = 'solve') => (await take(whose, 0, of)).is === 'full'
  return { take, isFull }
}

test('no more debts of a kind are kept than it has room for, the latest', async () => {
  const { take, isFull } = callers(100)
  for (let i = 0; i < 1000; i++) await take(`caller ${i}`, 60_000)
  const kept: number[] = []
  for (let i = 0; i < 1000; i++) if (await isFull(`caller ${i}`)) kept.push(i)
  expect(kept.length).toBeLessThanOrEqual(100)
  expect(kept).toContain(999)
})

test('a caller over the budget gets no new one, however many other callers there are', async () => {
  const { take, isFull } = callers(100)
  const over = Array.from({ length: 16 }, (_, i) => `over ${i}`)
  for (const whose of over) for (let i = 0; i < 3; i++) await take(whose)
  for (let i = 0; i < 1000; i++) await take(`other ${i}`)
  for (const whose of over) expect(await isFull(whose)).toBe(true)
})

test('debts of one kind take no room of another, and those that are paid take none', async () => {
  const { take, isFull } = callers(2)
  await take('visitor', 60_000, 'visit')
  for (let i = 0; i < 10; i++) await take(`caller ${i}`, 60_000)
  expect(await isFull('visitor', 'visit')).toBe(true)
  for (const whose of ['later', 'latest']) await take(whose, 60_000, 'solve', NOW + 60_000)
  expect((await take('later', 0, 'solve', NOW + 60_000)).is).toBe('full')
})

test('a debt that was written by a clock ahead is ignored', async () => {
  const { take, isFull } = callers(2)
  await take('caller', 60_000, 'solve', NOW + 3_600_000)
  expect(await isFull('caller')).toBe(false)
})
