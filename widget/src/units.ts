import { prepare, tagOf, unit } from '../../src/domain/work/s32.ts'
import type { Chunk } from './chunks.ts'
import type { SetUp } from './worker.ts'

/** Index and tag of each hit, one after the other. */
export type FlatHits = number[]

/** So many units are timed together: where clocks are kept coarse, less than 17 ms is nothing. */
const BLOCK = 64
/**
 * A block that takes longer is slow. Without a JIT it takes 27 ms on a fast processor; with one 7 ms on a cheap phone, and
 * under 1 ms elsewhere, the first one or two of a page left out.
 */
const SLOW_MS = 16

const now = performance.now.bind(performance)
/** Missing on plain http. */
const { subtle } = crypto
let prepared: SetUp | undefined

/**
 * Does a chunk of the work. May run in turns with chunks of other challenges.
 *
 * @param pause waits before each unit.
 * @returns undefined when this engine is slow all through the first chunk, another algorithm may be asked for, and it works here.
 */
export async function hitsOf(
  setUp: SetUp,
  chunk: Chunk,
  pause?: () => Promise<unknown> | undefined,
): Promise<FlatHits | undefined> {
  const { key, steps, threshold, isPb, mayAsk } = setUp
  const hits: FlatHits = []
  const count = (index: number, output: number): void => {
    if (output <= threshold) hits.push(index, tagOf(output))
  }
  if (isPb) {
    const outputs = await pbOutputs(key, steps, chunk)
    outputs.forEach((output, i) => count(chunk.from + i, output))
    return hits
  }
  let quickest = Infinity
  let spent = 0
  for (let index = chunk.from; index < chunk.to; index++) {
    await pause?.()
    const began = now()
    if (prepared !== setUp) prepare((prepared = setUp).key, steps)
    const output = unit(key, index, steps)
    spent += now() - began
    count(index, output)
    if (index % BLOCK === BLOCK - 1) {
      quickest = Math.min(quickest, spent)
      spent = 0
    }
  }
  const isSlow = mayAsk && !chunk.from && quickest > SLOW_MS
  return isSlow && (await pbOutputs(key, 1, { from: 0, to: 1 }).catch(() => undefined)) ? undefined : hits
}

/**
 * Units of `pb.1`, src/domain/work/pb.ts, by the browser's own cryptography: a whole chunk at once, since it has threads of its own.
 *
 * @throws where there is none of it.
 */
export async function pbOutputs(key: Int32Array, iterations: number, { from, to }: Chunk): Promise<number[]> {
  const secret = await subtle.importKey('raw', key as BufferSource, 'PBKDF2', false, ['deriveBits'])
  return Promise.all(
    Array.from({ length: to - from }, async (_, i) => {
      // All browsers run on little-endian processors.
      const salt = Uint32Array.of(from + i)
      const bits = await subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-256', salt, iterations }, secret, 32)
      return new Uint32Array(bits)[0]!
    }),
  )
}
