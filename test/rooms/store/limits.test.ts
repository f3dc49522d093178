/** The bound of what memory counts of budgets; what memory and Redis share is in test/world/store/limits.test.ts. */
import { describe, expect, test } from '@jest/globals'
import { seconds } from '../../../src/domain/words.ts'
import { memoryCharges } from '../../../src/store/limits/charges.ts'
import { memoryWindows } from '../../../src/store/limits/windows.ts'

const NOW = 1_800_000_000_000

/** Callers with a budget of three points in a minute, in one of the two ways to count. */
const KINDS = {
  windows(capacity: number) {
    const limit = memoryWindows(capacity)('solve', { points: 3, per: seconds(60) })
    return async (whose: string) => (await limit.take(whose)) > 0
  },
  charges(capacity: number) {
    const charge = memoryCharges(capacity)
    const limit = { emissionInterval: 20_000, burstOffset: 60_000 }
    return async (owner: string) => {
      const costs = [{ budget: 'solve', owner, limit, points: 1 }]
      return (await charge({ partition: '', costs }, NOW)).is === 'full'
    }
  },
}

describe.each(Object.entries(KINDS))('%s in memory', (_kind, make) => {
  test('no more callers are kept than there is room for, the latest', async () => {
    const isRefused = make(100)
    for (let i = 0; i < 1000; i++) for (let k = 0; k < 3; k++) await isRefused(`caller ${i}`)
    let kept = 0
    for (let i = 900; i < 1000; i++) if (await isRefused(`caller ${i}`)) kept++
    expect(kept).toBeGreaterThan(50)
    const others = Array.from({ length: 800 }, (_, i) => isRefused(`caller ${i}`))
    const early = (await Promise.all(others)).filter(Boolean)
    expect(early.length).toBeLessThanOrEqual(100)
  })

  test('a caller over the budget gets no new one, however many other callers there are', async () => {
    const isRefused = make(100)
    const over = Array.from({ length: 16 }, (_, i) => `over ${i}`)
    for (const whose of over) for (let i = 0; i < 3; i++) await isRefused(whose)
    for (let i = 0; i < 1000; i++) await isRefused(`other ${i}`)
    for (const whose of over) expect(await isRefused(whose)).toBe(true)
  })
})

test('charges of one budget take no room of another, and those that have returned take none', async () => {
  const charge = memoryCharges(2)
  const take = async (owner: string, budget: string, now = NOW, isCheck = false) => {
    const limit = { emissionInterval: 60_000, burstOffset: 60_000 }
    return charge({ partition: '', costs: [{ budget, owner, limit, points: 1 }], isCheck }, now)
  }
  await take('visitor', 'visit')
  for (let i = 0; i < 10; i++) await take(`caller ${i}`, 'solve')
  expect((await take('visitor', 'visit')).is).toBe('full')
  for (const whose of ['later', 'latest']) await take(whose, 'solve', NOW + 60_000)
  expect((await take('later', 'solve', NOW + 60_000, true)).is).toBe('full')
})
