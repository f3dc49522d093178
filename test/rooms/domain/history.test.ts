import { describe, expect, test } from '@jest/globals'
import { aged, bucketOf, sliding } from '../../../src/history/sliding.ts'
import { seconds, unixSeconds } from '../../../src/domain/words.ts'

const T = seconds(600)
const moment = (s: number) => unixSeconds(1_800_000_000 + s)

describe('a sliding count', () => {
  test.each([
    { s: 0, current: 0, previous: 60, is: 60 },
    { s: 300, current: 30, previous: 60, is: 60 },
    { s: 300, current: 0, previous: 60, is: 30 },
    { s: 599, current: 60, previous: 60, is: 60.1 },
  ])('of $previous and $current after $s s is $is', ({ s, current, previous, is }) => {
    expect(sliding({ current, previous }, moment(s), T)).toBeCloseTo(is, 5)
  })
  test('never rises while nothing is counted, and is over two lengths later', () => {
    let last = Infinity
    for (let s = 0; s <= 1200; s += 10) {
      const now = sliding(aged({ current: 100, previous: 40 }, moment(0), moment(s), T), moment(s), T)
      expect(now).toBeLessThanOrEqual(last)
      last = now
    }
    expect(last).toBe(0)
    expect(bucketOf(moment(599), T)).toBe(bucketOf(moment(0), T))
  })
})
