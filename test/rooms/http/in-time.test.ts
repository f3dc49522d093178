import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { inTime } from '../../../src/http/operations.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

const never = new Promise<string>(() => {})

/** Waits so long for what never comes. @returns what was heard of it, and when, in milliseconds, to ten. */
function wait(ms: number, work = never): string[] {
  const heard: string[] = []
  const tell = (what: string): void =>
    void heard.push(`${what} at ${Math.floor((performance.now() - began) / 10) * 10}`)
  const began = performance.now()
  inTime(work, ms).then(tell, ({ code }: { code: string }) => tell(code))
  return heard
}

test('an answer after its time disturbs nobody', async () => {
  let answer!: (text: string) => void
  const heard = wait(10, new Promise((resolve) => (answer = resolve)))
  await jest.advanceTimersByTimeAsync(20)
  answer('answer')
  await jest.advanceTimersByTimeAsync(200)
  expect(heard).toEqual(['database-unavailable at 10'])
})

test('an answer that came while the process was busy is heard, though its time is over', async () => {
  jest.useRealTimers()
  const began = performance.now()
  const work = new Promise<string>((resolve) => setImmediate(() => resolve('answer')))
  const heard = inTime(work, 20)
  while (performance.now() - began < 60);
  expect(await heard).toBe('answer')
})

test('no timer is left when nobody waits', async () => {
  let answer!: (text: string) => void
  const heard = wait(100, new Promise((resolve) => (answer = resolve)))
  expect(jest.getTimerCount()).toBe(1)
  answer('answer')
  await jest.advanceTimersByTimeAsync(0)
  expect(heard).toEqual(['answer at 0'])
  expect(jest.getTimerCount()).toBe(0)
})
