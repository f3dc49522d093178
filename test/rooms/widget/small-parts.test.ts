import { describe, expect, test } from '@jest/globals'
import { deadlineIn, whenOver } from '../../../widget/src/clock.ts'
import { platformAgrees } from '../../../widget/src/signals/environment.ts'

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

describe('agent and platform', () => {
  test.each([
    { agent: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64)', platform: 'Win32', agrees: true },
    { agent: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64)', platform: 'Linux x86_64', agrees: false },
    { agent: 'Mozilla/5.0 (Linux; Android 14; K)', platform: 'Linux armv81', agrees: true },
    { agent: 'Mozilla/5.0 (iPad; CPU OS 17_0 like Mac OS X)', platform: 'MacIntel', agrees: true },
    { agent: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)', platform: 'MacIntel', agrees: true },
    { agent: 'Mozilla/5.0 (X11; FreeBSD amd64)', platform: 'FreeBSD amd64', agrees: true },
    { agent: 'something new', platform: 'Win32', agrees: undefined },
  ])('$agent on $platform: $agrees', ({ agent, platform, agrees }) => {
    expect(platformAgrees(agent, platform)).toBe(agrees)
  })
})
