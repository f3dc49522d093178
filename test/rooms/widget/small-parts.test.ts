import { expect, jest, test } from '@jest/globals'

const now = { steady: 0, wall: 0 }
const timers: { ms: number | undefined; task: () => void }[] = []
jest.spyOn(performance, 'now').mockImplementation(() => now.steady)
jest.spyOn(Date, 'now').mockImplementation(() => now.wall)
const setTimer = (task: () => void, ms?: number) => timers.push({ ms, task })
jest.spyOn(globalThis, 'setTimeout').mockImplementation(setTimer as never)
// It keeps the browser's functions when it loads.
const { deadlineIn, whenOver } = await import('../../../widget/src/clock.ts')

test.each([
  { says: 'both clocks agree', steady: 400, wall: 400, left: 600 },
  { says: 'the device slept and the steady clock stood still', steady: 0, wall: 5000, left: -4000 },
  { says: 'the visitor set the clock back by a day', steady: 400, wall: -86_400_000, left: 600 },
])('a deadline believes the clock that says more has passed: $says', ({ steady, wall, left }) => {
  Object.assign(now, { steady: 0, wall: 0 })
  const leftMs = deadlineIn(1000)
  Object.assign(now, { steady, wall })
  expect(leftMs()).toBe(left)
})

// Found under load: a timer that fired 0.4 ms early looked once, saw time left, and the work was never renewed.
test('a timer that fires early is set again until the deadline', () => {
  Object.assign(now, { steady: 0, wall: 0 })
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
