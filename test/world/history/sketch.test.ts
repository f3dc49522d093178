/** One promise, kept in memory and in a real Redis. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { unixSeconds } from '../../../src/domain/words.ts'
import { memorySketch } from '../../../src/history/memory-sketch.ts'
import { redisSketch } from '../../../src/history/redis-sketch.ts'
import { SKETCH_WIDTH, type Sketch } from '../../../src/history/sketch.ts'
import { type RedisConnection, redisConnection } from '../../../src/store/redis.ts'
import { eventually, keepLog } from '../../support/ledger-contract.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'

let redis: TestRedis
let link: RedisConnection
beforeAll(async () => {
  redis = await startRedis()
  const place = { url: redis.url, cluster: undefined, sentinel: undefined, keyPrefix: 'hv' }
  link = redisConnection(place, { log: keepLog() })
  await eventually(() => expect(link.client.status).toBe('ready'))
})
afterAll(async () => {
  await link.close()
  await redis.remove()
})
async function inRedis(): Promise<Sketch> {
  await redis.cli('FLUSHALL')
  return redisSketch(link)
}

/** A window begins. */
const NOW = 1_800_000_000
const at = (by: number) => unixSeconds(NOW + by)
const still = (current: number) => ({ current, previous: 0 })

describe.each([
  { name: 'memory', make: async () => memorySketch() },
  { name: 'Redis', make: inRedis },
])('a sketch in $name', ({ make }) => {
  let sketch: Sketch
  beforeEach(async () => {
    sketch = await make()
  })
  const cells = { shard: 1, offsets: [1, SKETCH_WIDTH + 2, 3, SKETCH_WIDTH + 4] }
  const read = (by: number, change = {}) => sketch.count({ ...cells, ...change }, false, at(by))

  test('adds, then reads: one to each counter, and to the total one for each cell', async () => {
    expect(await sketch.count(cells, true, at(0))).toEqual({
      counters: [1, 1, 1, 1].map(still),
      total: still(2),
    })
    expect((await sketch.count({ ...cells, offsets: [1, SKETCH_WIDTH + 9] }, true, at(0))).counters).toEqual(
      [2, 1].map(still),
    )
    expect(await read(0)).toEqual({ counters: [2, 1, 1, 1].map(still), total: still(3) })
  })
  test('that is only read stays as it is, and tells nothing of another shard', async () => {
    const nothing = { counters: [0, 0, 0, 0].map(still), total: still(0) }
    expect(await read(0)).toEqual(nothing)
    await sketch.count(cells, true, at(0))
    for (let i = 0; i < 2; i++) expect((await read(0)).total).toEqual(still(2))
    expect(await read(0, { shard: 2 })).toEqual(nothing)
  })
  test('counts up to 255, and stays there', async () => {
    for (let i = 0; i < 255; i++) await sketch.count(cells, true, at(0))
    expect((await read(0)).counters[0]).toEqual(still(255))
    await sketch.count(cells, true, at(0))
    expect((await read(0)).counters[0]).toEqual(still(255))
  })
  test('is the one before in the next window, and is told apart from that of now', async () => {
    await sketch.count(cells, true, at(599))
    const before = { current: 0, previous: 1 }
    expect(await read(600)).toEqual({
      counters: [before, before, before, before],
      total: { current: 0, previous: 2 },
    })
    await sketch.count(cells, true, at(600))
    expect(await read(600)).toMatchObject({ total: { current: 2, previous: 2 } })
    expect((await read(1800)).total).toEqual(still(0))
  })
})

test('a sketch in Redis takes 1 MiB and four bytes, and ends with the window after its own', async () => {
  const sketch = await inRedis()
  await sketch.count({ shard: 3, offsets: [1, SKETCH_WIDTH + 2] }, true, at(0))
  const key = '{hv}:h:k:3:3000000'
  expect(await redis.cli('STRLEN', key)).toBe(2 ** 20 + 4)
  expect(Number(await redis.cli('PTTL', key))).toBeGreaterThan(1_194_000)
  await sketch.count({ shard: 3, offsets: [1, SKETCH_WIDTH + 2] }, true, at(599))
  expect(Number(await redis.cli('PTTL', key))).toBeGreaterThan(1_188_000)
  expect(Number(await redis.cli('PTTL', key))).toBeLessThanOrEqual(1_200_000)
  await sketch.count({ shard: 4, offsets: [1, SKETCH_WIDTH + 2] }, true, at(599))
  expect(Number(await redis.cli('PTTL', '{hv}:h:k:4:3000000'))).toBeLessThanOrEqual(601_000)
})
