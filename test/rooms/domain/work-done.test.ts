import { expect, test } from '@jest/globals'
import { slidingCount } from '../../../src/domain/work-done.ts'
import { seconds, unixSeconds } from '../../../src/domain/words.ts'

const moment = (s: number) => unixSeconds(1_800_000_000 + s)

test.each([
  { read: 0, now: 0, is: 5 + 3 },
  { read: 300, now: 300, is: 5 + 3 / 2 },
  { read: 100, now: 599, is: 5 + 3 / 600 },
  { read: 0, now: 600, is: 5 },
  { read: 599, now: 1199, is: 5 / 600 },
  { read: 599, now: 1200, is: 0 },
])(
  '5 in ten minutes and 3 in those before, read at $read s, are $is at $now s',
  ({ read, now, is }) => {
    expect(
      slidingCount({ current: 5, previous: 3 }, seconds(600), moment(now), moment(read)),
    ).toBeCloseTo(is, 9)
  },
)
