/** Counters that cells share: their estimates, and the sketches of one process. */
import { describe, expect, test } from '@jest/globals'
import { seconds, unixSeconds } from '../../../src/domain/words.ts'
import { memorySketch } from '../../../src/history/memory-sketch.ts'
import { estimates, offsetsOf, SKETCH_WIDTH } from '../../../src/history/sketch.ts'

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
  const cells = { shard: 1, offsets: [1, SKETCH_WIDTH + 2, 3, SKETCH_WIDTH + 4] }
  const read = (of: ReturnType<typeof memorySketch>, by: number, change = {}) =>
    of.count({ ...cells, ...change }, false, at(by))

  test('adds, then reads: one to each counter, and to the total one for each cell', async () => {
    const sketch = memorySketch()
    expect(await sketch.count(cells, true, at(0))).toEqual({
      counters: [1, 1, 1, 1].map(still),
      total: still(2),
    })
    expect((await sketch.count({ ...cells, offsets: [1, SKETCH_WIDTH + 9] }, true, at(0))).counters).toEqual(
      [2, 1].map(still),
    )
    expect(await read(sketch, 0)).toEqual({ counters: [2, 1, 1, 1].map(still), total: still(3) })
  })
  test('that is only read stays as it is, and tells nothing of another shard', async () => {
    const sketch = memorySketch()
    const nothing = { counters: [0, 0, 0, 0].map(still), total: still(0) }
    expect(await read(sketch, 0)).toEqual(nothing)
    await sketch.count(cells, true, at(0))
    for (let i = 0; i < 2; i++) expect((await read(sketch, 0)).total).toEqual(still(2))
    expect(await read(sketch, 0, { shard: 2 })).toEqual(nothing)
  })
  test('counts up to 255, and stays there', async () => {
    const sketch = memorySketch()
    for (let i = 0; i < 255; i++) await sketch.count(cells, true, at(0))
    expect((await read(sketch, 0)).counters[0]).toEqual(still(255))
    await sketch.count(cells, true, at(0))
    expect((await read(sketch, 0)).counters[0]).toEqual(still(255))
  })
  test('is the one before in the next window, and is told apart from that of now', async () => {
    const sketch = memorySketch()
    await sketch.count(cells, true, at(599))
    const before = { current: 0, previous: 1 }
    expect(await read(sketch, 600)).toEqual({
      counters: [before, before, before, before],
      total: { current: 0, previous: 2 },
    })
    await sketch.count(cells, true, at(600))
    expect(await read(sketch, 600)).toMatchObject({ total: { current: 2, previous: 2 } })
    expect((await read(sketch, 1800)).total).toEqual(still(0))
  })
  // Each takes 1 MiB.
  test('is let go when a later one begins and it is not the one before that', async () => {
    const sketch = memorySketch()
    await sketch.count(cells, true, at(0))
    await sketch.count(cells, true, at(600))
    expect((await read(sketch, 0)).total).toEqual(still(2))
    await sketch.count({ ...cells, shard: 2 }, true, at(1200))
    expect((await read(sketch, 0)).total).toEqual(still(0))
    expect((await read(sketch, 600)).total).toEqual(still(2))
  })
})
