/** Counters that cells share: their estimates. The promise of a sketch is in test/world/history/sketch.test.ts. */
import { describe, expect, test } from '@jest/globals'
import { seconds, unixSeconds } from '../../../src/domain/words.ts'
import { memorySketch } from '../../../src/history/memory-sketch.ts'
import { estimates, offsetsOf, SKETCH_WIDTH, type Sketch } from '../../../src/history/sketch.ts'

/** A window begins. */
const NOW = 1_800_000_000
const WINDOW = seconds(600)
const at = (by: number) => unixSeconds(NOW + by)
const still = (current: number) => ({ current, previous: 0 })

describe('the estimate of a cell', () => {
  const of = (counters: readonly (readonly [number, number])[], total: number, by = 0) =>
    estimates(
      { counters: counters.map(([current, previous]) => ({ current, previous })), total: still(total) },
      at(by),
      WINDOW,
    )

  test('is the smaller of its two counters, without the visit itself', () => {
    expect(of([[7, 0], [4, 0], [3, 0], [9, 0]], 0)).toEqual([3, 2]) // prettier-ignore
  })
  test('is without what other cells add to a counter on average, and never less than nothing', () => {
    expect(of([[7, 0], [7, 0]], SKETCH_WIDTH / 2)).toEqual([5.5]) // prettier-ignore
    expect(of([[1, 0], [0, 0]], SKETCH_WIDTH)).toEqual([0]) // prettier-ignore
  })
  test('is of the last window: counters and total slide', () => {
    expect(of([[3, 8], [3, 8]], 0, 150)).toEqual([8]) // prettier-ignore
    const total = { current: SKETCH_WIDTH, previous: 2 * SKETCH_WIDTH }
    expect(estimates({ counters: [still(9), still(9)], total }, at(300), WINDOW)).toEqual([6])
  })
})

test('the two counters of a cell lie in a row each', () => {
  expect(offsetsOf([5, 6])).toEqual([5, SKETCH_WIDTH + 6])
  expect(offsetsOf([SKETCH_WIDTH + 5, 3 * SKETCH_WIDTH + 6])).toEqual([5, SKETCH_WIDTH + 6])
})

describe('a sketch in memory', () => {
  const cells = { shard: 1, offsets: [1, SKETCH_WIDTH + 2] }
  const total = async (of: Sketch, by: number) => (await of.count(cells, false, at(by))).total.current

  // Each takes 1 MiB.
  test('is let go when a later one begins and it is not the one before that', async () => {
    const sketch = memorySketch()
    await sketch.count(cells, true, at(0))
    await sketch.count(cells, true, at(600))
    expect(await total(sketch, 0)).toBe(1)
    await sketch.count({ ...cells, shard: 2 }, true, at(1200))
    expect([await total(sketch, 0), await total(sketch, 600)]).toEqual([0, 1])
  })
})
