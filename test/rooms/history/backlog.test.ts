/** A store that is slow, or hangs: what waits for it has a bound, and so has the end of the process. */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { seconds, unixSeconds } from '../../../src/domain/words.ts'
import { type Backlog, backlog } from '../../../src/history/backlog.ts'
import type { Bump } from '../../../src/history/counters.ts'

let stored: Bump[]
let answer: () => void
let waiting: Backlog
beforeEach(() => {
  jest.useFakeTimers()
  stored = []
  const answered: Promise<void> = new Promise((resolve) => (answer = resolve))
  waiting = backlog(
    {
      async count(bumps) {
        stored.push(...bumps)
        await answered
        return bumps.map(() => ({ first: true, values: [] }))
      },
    },
    { clock: { now: () => unixSeconds(1_800_000_000) }, everyMs: 250, capacity: 100, learned: () => {} },
  )
})
afterEach(() => void jest.useRealTimers())

/** Visits of as many addresses, each a second time. */
function visits(from: number, to: number): void {
  for (let i = from; i < to; i++) {
    const subject = { subject: `s${i}`, place: 'p', bucket: seconds(600), keep: seconds(600), read: [] }
    for (let again = 0; again < 2; again++) waiting.add(subject, [['f', 1]])
  }
}

test('while the store hangs, no more waits than the capacity, however long that takes', async () => {
  visits(0, 50)
  await jest.advanceTimersByTimeAsync(250)
  for (let i = 1; i <= 40; i++) {
    visits(i * 50, i * 50 + 50)
    await jest.advanceTimersByTimeAsync(250)
  }
  expect(stored).toHaveLength(50)
  answer()
  await jest.advanceTimersByTimeAsync(1000)
  expect(stored).toHaveLength(150)
  expect(new Set(stored.flatMap(({ add }) => add.map(([, by]) => by)))).toEqual(new Set([2]))
})

test('its end sends what is left', async () => {
  answer()
  visits(0, 90)
  await waiting.close()
  expect(stored).toHaveLength(90)
})

test('its end waits for a store that hangs for a second', async () => {
  visits(0, 50)
  await jest.advanceTimersByTimeAsync(250)
  visits(50, 90)
  let closed = false
  void waiting.close().then(() => (closed = true))
  await jest.advanceTimersByTimeAsync(900)
  expect(closed).toBe(false)
  await jest.advanceTimersByTimeAsync(200)
  expect(closed).toBe(true)
})
