import { describe, expect, test } from '@jest/globals'
import { bucketOf, sliding } from '../../../src/domain/history.ts'
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
    expect(sliding({ current, previous }, T, moment(s))).toBeCloseTo(is, 5)
  })
  test.each([
    { read: 599, now: 599, is: 5 + 3 / 600 },
    { read: 100, now: 599, is: 5 + 3 / 600 },
    { read: 0, now: 600, is: 5 },
    { read: 599, now: 1199, is: 5 / 600 },
    { read: 599, now: 1200, is: 0 },
  ])('that was read at $read s is $is at $now s', ({ read, now, is }) => {
    expect(sliding({ current: 5, previous: 3 }, T, moment(now), moment(read))).toBeCloseTo(is, 9)
  })
  test('has buckets of one period', () => expect(bucketOf(moment(599), T)).toBe(bucketOf(moment(0), T)))
})
