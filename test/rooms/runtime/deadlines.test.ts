import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { withDeadline } from '../../../src/runtime/deadlines.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

const late = (): Error => new Error('late')
const never = new Promise<string>(() => {})

/** Waits so long for what never comes. @returns what was heard of it, and when, in milliseconds, to ten. */
function wait(ms: number, work = never): string[] {
  const heard: string[] = []
  const tell = (what: string): void =>
    void heard.push(`${what} at ${Math.floor((performance.now() - began) / 10) * 10}`)
  const began = performance.now()
  withDeadline(work, ms, late).then(tell, (error: Error) => tell(error.message))
  return heard
}

test('each is told at its own moment, in whatever order they were asked for', async () => {
  const heard = [500, 20, 300, 20, 800].map((ms) => wait(ms))
  await jest.advanceTimersByTimeAsync(19)
  expect(heard.flat()).toEqual([])
  await jest.advanceTimersByTimeAsync(800)
  expect(heard).toEqual([['late at 500'], ['late at 20'], ['late at 300'], ['late at 20'], ['late at 800']])
})

test('who comes while others wait has all of its time', async () => {
  const first = wait(500)
  await jest.advanceTimersByTimeAsync(499)
  const second = wait(500)
  const short = wait(100)
  await jest.advanceTimersByTimeAsync(600)
  expect([first, second, short]).toEqual([['late at 500'], ['late at 500'], ['late at 100']])
})

test('of a thousand, those that are answered hear the answer, and the others that it is late', async () => {
  const answers: ((answer: string) => void)[] = []
  const heard = Array.from({ length: 1000 }, () => wait(100, new Promise((resolve) => answers.push(resolve))))
  await jest.advanceTimersByTimeAsync(50)
  for (let i = 0; i < 1000; i += 3) answers[i]!('answer')
  await jest.advanceTimersByTimeAsync(100)
  expect(heard).toEqual(heard.map((_, i) => [i % 3 === 0 ? 'answer at 50' : 'late at 100']))
})

test('an answer after its time disturbs nobody', async () => {
  let answer!: (text: string) => void
  const over = wait(10, new Promise((resolve) => (answer = resolve)))
  await jest.advanceTimersByTimeAsync(20)
  const next = [wait(100), wait(100)]
  answer('answer')
  await jest.advanceTimersByTimeAsync(200)
  expect([over, ...next]).toEqual([['late at 10'], ['late at 100'], ['late at 100']])
})

test('an answer that came while the process was busy is heard, though its time is over', async () => {
  jest.useRealTimers()
  const began = performance.now()
  const work = new Promise<string>((resolve) => setImmediate(() => resolve('answer')))
  const heard = withDeadline(work, 20, late)
  while (performance.now() - began < 60);
  expect(await heard).toBe('answer')
})

test('no timer is left when nobody waits', async () => {
  let answer!: (text: string) => void
  const heard = [wait(100, new Promise((resolve) => (answer = resolve))), wait(20)]
  await jest.advanceTimersByTimeAsync(30)
  expect(jest.getTimerCount()).toBe(1)
  answer('answer')
  await jest.advanceTimersByTimeAsync(0)
  expect(heard).toEqual([['answer at 30'], ['late at 20']])
  expect(jest.getTimerCount()).toBe(0)
})
