/** Which engines count as ones without a JIT: docs/design/work.md, "Browsers without a JIT". */
import { afterEach, expect, jest, test } from '@jest/globals'

const BLOCK = 64
const CHUNK = 256

afterEach(() => void jest.restoreAllMocks())

/** Does so many chunks in a lane of its own, where block `i` takes `msOf(i)`. Returns which of them ask for other work. */
async function asksOf(
  msOf: (block: number) => number,
  { chunks, mayAsk = true }: { chunks: number; mayAsk?: boolean },
) {
  let time = 0
  let reads = 0
  // The clock is read before and after each unit.
  jest.spyOn(performance, 'now').mockImplementation(() => {
    if (reads++ % 2 === 1) time += msOf(Math.floor((reads - 1) / 2 / BLOCK)) / BLOCK
    return time
  })
  jest.resetModules()
  const { hitsOfS32 } = await import('../../../widget/src/units.ts')
  const setUp = { key: new Int32Array(8), steps: 1, threshold: 0, isPb: false, mayAsk }
  const asks: boolean[] = []
  for (let i = 0; i < chunks; i++)
    asks.push((await hitsOfS32(setUp, { from: i * CHUNK, to: (i + 1) * CHUNK })) === undefined)
  return asks
}

test('an engine without a JIT asks for other work after 1,024 units', async () => {
  expect(await asksOf(() => 27, { chunks: 4 })).toEqual([false, false, false, true])
})

test.each<[engine: string, msOf: (block: number) => number]>([
  ['whose JIT waits for its turn on a busy machine', (block) => (block < 10 ? 90 : 5)],
  ['that gets its turn only now and then', (block) => (block === 15 ? 6 : 120)],
  ['of a cheap phone', () => 7],
])('an ordinary engine %s does not', async (_engine, msOf) => {
  expect(await asksOf(msOf, { chunks: 8 })).toEqual(Array(8).fill(false))
})

test('a slow engine that may not ask does its work', async () => {
  expect(await asksOf(() => 27, { chunks: 8, mayAsk: false })).toEqual(Array(8).fill(false))
})
