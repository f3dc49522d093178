/** Edges of the counts of one process; the promise that they share with Redis is in test/world/history/counters.test.ts. */
import { describe, expect, test } from '@jest/globals'
import { seconds, unixSeconds } from '../../../src/domain/words.ts'
import type { Bump } from '../../../src/history/counters.ts'
import { memoryCounters } from '../../../src/history/memory.ts'

/** A bucket begins. */
const NOW = 1_800_000_000
const bump = (change: Partial<Bump> = {}): Bump => ({
  subject: 'a:one',
  place: 'one',
  bucket: seconds(600),
  add: [['s', 1]],
  read: ['s'],
  keep: seconds(1200),
  ...change,
})
function counting(capacity?: number) {
  const counters = memoryCounters(capacity)
  const count = async (by: number, ...bumps: Bump[]) => counters.count(bumps, unixSeconds(NOW + by))
  /** What there is of a subject in its bucket of now and in the one before. */
  const there = async (by: number, change: Partial<Bump> = {}) => {
    const [answer] = await count(by, bump({ keep: seconds(0), ...change, add: [] }))
    const { current, previous } = answer!.values[0]!
    return [current, previous]
  }
  return { count, there }
}

describe('a bucket', () => {
  test('is kept until it ends, and not at that moment', async () => {
    const { count, there } = counting()
    await count(0, bump({ keep: seconds(120) }))
    expect(await there(119)).toEqual([1, 0])
    expect(await there(120)).toEqual([0, 0])
  })
  test('never outlives the next one, however long it is to be kept', async () => {
    const { count, there } = counting()
    await count(599, bump({ keep: seconds(100_000) }))
    expect(await there(1199)).toEqual([0, 1])
    // Looked for as what it was, after its end.
    await count(1199, bump({ subject: 'a:other' }))
    expect(await there(600)).toEqual([0, 1])
    await count(1200, bump({ subject: 'a:third' }))
    expect(await there(599)).toEqual([0, 0])
  })
  test('is kept for longer where more than that was counted, and as long as before where it was not', async () => {
    const { count, there } = counting()
    const busy = bump({ keep: seconds(120), busy: { above: 2, keep: seconds(600) } })
    for (let i = 0; i < 2; i++) await count(0, busy)
    expect(await there(120)).toEqual([0, 0])
    for (let i = 0; i < 3; i++) await count(0, busy)
    expect(await there(599)).toEqual([3, 0])
    expect(await there(600)).toEqual([0, 0])
  })
  test('is busy by the first field alone', async () => {
    const { count, there } = counting()
    const busy = { above: 2, keep: seconds(600) }
    const [few, many] = [
      ['s', 1],
      ['c', 9],
    ] as const
    await count(0, bump({ keep: seconds(120), busy, add: [few, many] }))
    expect(await there(120)).toEqual([0, 0])
    await count(0, bump({ keep: seconds(120), busy, add: [many, few] }))
    expect(await there(120)).toEqual([1, 0])
  })
  test('takes no room while it is only looked at', async () => {
    const { count, there } = counting(2)
    await count(0, bump({ subject: 'a:one' }), bump({ subject: 'a:two' }))
    await there(0, { subject: 'a:three' })
    await there(0, { subject: 'a:four' })
    expect([await there(0, { subject: 'a:one' }), await there(0, { subject: 'a:two' })]).toEqual([
      [1, 0],
      [1, 0],
    ])
  })
  test('makes room when it has ended, so that none that is wanted goes', async () => {
    const { count, there } = counting(2)
    await count(0, bump({ subject: 'a:brief', keep: seconds(60) }), bump({ subject: 'a:long' }))
    await count(60, bump({ subject: 'a:next' }))
    const left = [await there(60, { subject: 'a:long' }), await there(60, { subject: 'a:next' })]
    expect(left).toEqual([[1, 0], [1, 0]]) // prettier-ignore
  })
  test('makes room for one more only, when all are wanted', async () => {
    const { count, there } = counting(3)
    for (const name of ['a', 'b', 'c', 'd']) await count(0, bump({ subject: name }))
    const left: number[] = []
    for (const subject of ['a', 'b', 'c', 'd']) left.push((await there(0, { subject }))[0]!)
    expect(left).toEqual([0, 1, 1, 1])
  })
})

describe('an id that was counted', () => {
  test('is known in its bucket and in the next, and is new in the third', async () => {
    const { count } = counting()
    const once = bump({ once: 'j1' })
    const first = async (by: number) => (await count(by, once))[0]!.first
    expect([await first(599), await first(599), await first(1199), await first(1200)]).toEqual([
      true,
      false,
      false,
      true,
    ])
  })
  test('is of that subject alone, and says nothing of the next one', async () => {
    const { count } = counting()
    const [one, other] = [bump({ once: 'j1' }), bump({ subject: 'a:other' })]
    await count(0, one)
    const answers = await count(0, one, other, bump({ subject: 'a:third', follows: true }))
    expect(answers.map(({ first }) => first)).toEqual([false, true, true])
  })
})

describe('what follows', () => {
  const follows = bump({ subject: 'n:one', follows: true, upTo: 2 })
  test('is measured by what there is of the subject before it, not of the one before that', async () => {
    const { count } = counting()
    const answers = await count(0, bump({ add: [['s', 9]] }), bump({ subject: 'a:two' }), follows)
    expect(answers.map(({ first }) => first)).toEqual([true, true, true])
  })
  test('is not held back by a subject that was only looked at', async () => {
    const { count } = counting()
    await count(0, bump({ add: [['s', 9]] }))
    expect((await count(0, bump({ add: [] }), follows))[1]!.first).toBe(true)
  })
})
