/** Edges of history in one process; the promise that memory shares with Redis is in test/world/history/history.test.ts. */
import { describe, expect, test } from '@jest/globals'
import { ALL_WORK } from '../../../src/domain/work-done.ts'
import { seconds, unixSeconds } from '../../../src/domain/words.ts'
import { memoryCounters } from '../../../src/store/history/counters.ts'

/** A bucket begins. */
const NOW = 1_800_000_000
const at = (by: number) => unixSeconds(NOW + by)

describe('the buckets of memory', () => {
  const [ten, day] = [seconds(600), seconds(86_400)]
  const share = ALL_WORK
  function counting(capacity?: number) {
    const counters = memoryCounters(capacity)
    // The second subject has another length, so that its buckets do not use the capacity of these.
    const other = { name: 'other', bucket: seconds(60), share }
    const add = async (by: number, name: string, bucket = ten) =>
      counters.count('', [{ name, bucket, share }, other], { units: 1, partOf: 0 }, at(by))
    const there = async (by: number, name: string, bucket = ten) => {
      const counts = await counters.count('', [{ name, bucket, share }, other], undefined, at(by))
      const { current, previous } = counts[0]!.units
      return [current, previous]
    }
    return { add, there }
  }

  test('are dropped oldest first when there is no room', async () => {
    const { add, there } = counting(2)
    for (const name of ['a', 'b', 'c']) await add(0, name)
    expect([await there(0, 'a'), await there(0, 'b'), await there(0, 'c')]).toEqual([[0, 0], [1, 0], [1, 0]]) // prettier-ignore
  })
  test('that have expired are dropped before older ones of a longer period', async () => {
    const { add, there } = counting(2)
    await add(0, 'd', day)
    await add(0, 'a')
    await add(600, 'b')
    await add(1200, 'c')
    expect([await there(600, 'a'), await there(1200, 'b'), await there(1200, 'c')]).toEqual([[0, 0], [0, 1], [1, 0]]) // prettier-ignore
    expect(await there(1200, 'd', day)).toEqual([1, 0])
  })
})
