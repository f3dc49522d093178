import { expect, test } from '@jest/globals'
import { Fault } from '../../../src/domain/codes.ts'
import { seconds } from '../../../src/domain/words.ts'
import { guesses } from '../../../src/limits/guesses.ts'

const RATE = { points: 3, per: seconds(60) }

/** Guesses at a clock that stands where the test puts it. */
function guessing(capacity?: number) {
  let ms = 5_000
  const made = guesses(RATE, () => ms, capacity)
  return {
    guess: (address: string, times = 1): void => {
      for (let i = 0; i < times; i++) made.count(address)
    },
    /** Seconds to wait; 0: may guess. */
    wait: (address: string): number => {
      try {
        made.check(address)
        return 0
      } catch (error) {
        if (!(error instanceof Fault && error.code === 'rate-limit-exceeded')) throw error
        return error.retryAfter ?? NaN
      }
    },
    pass: (passedMs: number): void => {
      ms += passedMs
    },
  }
}

test('an address may guess as often as the rate says, and waits for the rest of the window', () => {
  const { guess, wait, pass } = guessing()
  guess('192.0.2.7', 2)
  expect(wait('192.0.2.7')).toBe(0)
  guess('192.0.2.7')
  expect(wait('192.0.2.7')).toBe(60)
  pass(59_001)
  expect(wait('192.0.2.7')).toBe(1)
  pass(998)
  expect(wait('192.0.2.7')).toBe(1)
  pass(1)
  expect(wait('192.0.2.7')).toBe(0)
  guess('192.0.2.7', 2)
  expect(wait('192.0.2.7')).toBe(0)
})

test.each([
  { shared: true, one: '2001:db8:1:2::1', other: '2001:db8:1:2:ffff::9' },
  { shared: false, one: '2001:db8:1:2::1', other: '2001:db8:1:3::1' },
  { shared: true, one: '192.0.2.7', other: '::ffff:192.0.2.7' },
  { shared: false, one: '192.0.2.7', other: '192.0.2.8' },
])('$one and $other share a window: $shared', ({ shared, one, other }) => {
  const { guess, wait } = guessing()
  guess(one, 3)
  expect(wait(one)).toBe(60)
  expect(wait(other)).toBe(shared ? 60 : 0)
})

test('checking alone counts nothing', () => {
  const { wait } = guessing()
  for (let i = 0; i < 10; i++) expect(wait('192.0.2.7')).toBe(0)
})

test('when all places are taken, the window that began first goes', () => {
  const { guess, wait, pass } = guessing(2)
  guess('192.0.2.1', 3)
  pass(1)
  guess('192.0.2.2', 3)
  guess('192.0.2.3', 3)
  expect([wait('192.0.2.1'), wait('192.0.2.2'), wait('192.0.2.3')]).toEqual([0, 60, 60])
})

test('a window that is over makes room, so that no other goes', () => {
  const { guess, wait, pass } = guessing(2)
  guess('192.0.2.1', 3)
  pass(30_000)
  guess('192.0.2.2', 3)
  pass(30_000)
  guess('192.0.2.3', 3)
  expect([wait('192.0.2.1'), wait('192.0.2.2'), wait('192.0.2.3')]).toEqual([0, 30, 60])
})

test('what is no address has a window of its own', () => {
  const { guess, wait } = guessing()
  guess('unknown', 3)
  expect([wait('unknown'), wait('192.0.2.7')]).toEqual([60, 0])
})
