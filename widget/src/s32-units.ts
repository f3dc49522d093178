import { prepare, tagOf, unit } from '../../src/work/s32.ts'
import type { DoChunk, FlatHits, SetUp } from './worker-messages.ts'

/** So many units are timed together: where clocks are kept coarse, less than 17 ms is nothing. */
const BLOCK = 64
/**
 * A block that takes longer is slow. Without a JIT it takes 27 ms on a fast processor; with one 7 ms on a cheap phone, and
 * under 1 ms elsewhere, the first one or two of a page left out.
 */
const SLOW_MS = 16

const now = performance.now.bind(performance)
let prepared: SetUp | undefined

/** Units of `s32.2`. May run in turns with chunks of other challenges. */
export const hitsOfS32: DoChunk = async (setUp, chunk, pause) => {
  const { key, steps, threshold, mayAsk } = setUp
  const hits: FlatHits = []
  let quickest = Infinity
  let spent = 0
  for (let index = chunk.from; index < chunk.to; index++) {
    await pause?.()
    const began = now()
    if (prepared !== setUp) prepare((prepared = setUp).key, steps)
    const output = unit(key, index, steps)
    spent += now() - began
    if (output <= threshold) hits.push(index, tagOf(output))
    if (index % BLOCK === BLOCK - 1) {
      quickest = Math.min(quickest, spent)
      spent = 0
    }
  }
  return mayAsk && !chunk.from && quickest > SLOW_MS ? undefined : hits
}
