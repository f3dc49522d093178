/** The last answers of a store, as they are when they are asked for. */
import { describe, expect, test } from '@jest/globals'
import { seconds, unixSeconds } from '../../../src/domain/words.ts'
import { lastAnswers } from '../../../src/history/last-answers.ts'
import { aged, sliding } from '../../../src/history/sliding.ts'

/** A bucket begins. */
const NOW = 1_800_000_000
const LENGTH = seconds(600)
const at = (by: number) => unixSeconds(NOW + by)
const counts = { current: 6, previous: 60 }

test.each([
  { by: 0, then: 66 },
  { by: 150, then: 51 },
  { by: 599, then: 6.1 },
])('a bucket counts in full, and the one before it with what the window still covers: $by s', ({ by, then }) => {
  expect(sliding(counts, at(by), LENGTH)).toBeCloseTo(then, 9)
})

test.each([
  { then: counts, read: 100, by: 599 },
  { then: { current: 0, previous: 6 }, read: 599, by: 600 },
  { then: { current: 0, previous: 6 }, read: 0, by: 1199 },
  { then: { current: 0, previous: 0 }, read: 599, by: 1200 },
  // A clock that was set back.
  { then: counts, read: 600, by: 599 },
])('buckets that were read at $read are at $by what they have become', ({ then, read, by }) => {
  expect(aged(counts, at(read), at(by), LENGTH)).toEqual(then)
})

describe('the last answers', () => {
  const put = (answers: ReturnType<typeof lastAnswers>, name: string, current = 1, by = 0) =>
    answers.put(name, [{ current, previous: 0 }], LENGTH, at(by))

  test('are told by name, aged and sliding; without one there is none', () => {
    const answers = lastAnswers(2)
    answers.put('a', [counts, { current: 1, previous: 0 }], LENGTH, at(0))
    put(answers, 'b', 5)
    expect(answers.get('a', at(300))).toEqual([36, 1])
    expect(answers.get('a', at(900))).toEqual([3, 0.5])
    expect(answers.get('b', at(0))).toEqual([5])
    expect(answers.get('c', at(0))).toBeUndefined()
    put(answers, 'b', 7)
    expect(answers.get('b', at(0))).toEqual([7])
  })
  test('are so many at the most: the one that was heard of longest ago goes', () => {
    const answers = lastAnswers(2)
    for (const name of ['a', 'b', 'a', 'c']) put(answers, name)
    expect(['a', 'b', 'c'].map((name) => answers.get(name, at(0)))).toEqual([[1], undefined, [1]])
    // One that is heard of again takes no room of another.
    put(answers, 'a')
    expect(answers.get('c', at(0))).toEqual([1])
  })
})
