import { describe, expect, test } from '@jest/globals'
import { deadlineIn, whenOver } from '../../../widget/src/clock.ts'

describe('a deadline', () => {
  test.each([
    { says: 'both clocks agree', steady: 400, wall: 400, left: 600 },
    { says: 'the device slept and the steady clock stood still', steady: 0, wall: 5000, left: -4000 },
    { says: 'the visitor set the clock back by a day', steady: 400, wall: -86_400_000, left: 600 },
  ])('believes the clock that says more has passed: $says', ({ steady, wall, left }) => {
    const now = { steady: 7, wall: 1_700_000_000_000 }
    const deadline = deadlineIn(1000, { steady: () => now.steady, wall: () => now.wall })
    now.steady += steady
    now.wall += wall
    expect(deadline.leftMs()).toBe(left)
  })
})

// Found under load: a timer that fired 0.4 ms early looked once, saw time left, and the work was never renewed.
test('a timer that fires early is set again until the deadline is over', () => {
  let now = 0
  const clock = { steady: () => now, wall: () => 0 }
  const timers: { ms: number; task: () => void }[] = []
  const after = (ms: number, task: () => void): (() => void) => {
    timers.push({ ms, task })
    return () => {}
  }
  let runs = 0
  whenOver(deadlineIn(99.6, clock), after, () => runs++)
  now = 99.2
  timers.shift()!.task()
  expect(runs).toBe(0)
  expect(timers).toMatchObject([{ ms: 1 }])
  now = 100.2
  timers.shift()!.task()
  expect(runs).toBe(1)
  expect(timers).toEqual([])
})
