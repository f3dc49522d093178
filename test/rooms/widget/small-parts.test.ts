import { expect, jest, test } from '@jest/globals'

const now = { steady: 0 }
const timers: { ms: number | undefined; task: () => void }[] = []
jest.spyOn(performance, 'now').mockImplementation(() => now.steady)
jest.spyOn(Date, 'now').mockReturnValue(0)
const setTimer = (task: () => void, ms?: number) => timers.push({ ms, task })
jest.spyOn(globalThis, 'setTimeout').mockImplementation(setTimer as never)
// It keeps the browser's functions when it loads.
const { deadlineIn, whenOver } = await import('../../../widget/src/clock.ts')

// Found under load: a timer that fired 0.4 ms early looked once, saw time left, and the work was never renewed.
test('a timer that fires early is set again until the deadline is over', () => {
  let runs = 0
  whenOver(deadlineIn(99.6), () => runs++)
  now.steady = 99.2
  timers.shift()!.task()
  expect(runs).toBe(0)
  expect(timers).toMatchObject([{ ms: 1 }])
  now.steady = 100.2
  timers.shift()!.task()
  expect(runs).toBe(1)
  expect(timers).toEqual([])
})
