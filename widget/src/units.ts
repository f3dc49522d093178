import { prepare, tagOf, unit } from '../../src/work/s32.ts'
import type { Sample } from '../../src/work/spell-solution.ts'

/** Units `from` to `to` − 1. */
export interface Chunk {
  readonly from: number
  readonly to: number
}

/** The work of a challenge: the first message to a worker. */
export interface SetUp {
  readonly key: Int32Array
  readonly steps: number
  /** The largest output that counts. */
  readonly threshold: number
  /** True if the units are those of `pb.1`. */
  readonly isPb: boolean
  /** True if a slow engine may say so, and be given other work. */
  readonly mayAsk: boolean
}

/**
 * Does a chunk of the work.
 *
 * @param pause waits before each unit; left out: nobody else needs the thread.
 * @returns undefined when this engine is slow all through the first chunk, and another algorithm may be asked for.
 */
export type DoChunk = (
  setUp: SetUp,
  chunk: Chunk,
  pause?: () => Promise<unknown> | undefined,
) => Promise<readonly Sample[] | undefined>

/** So many units are timed together: where clocks are kept coarse, less than 17 ms is nothing. */
const BLOCK = 64
/**
 * A block that takes longer is slow. Without a JIT it takes 27 ms on a fast processor; with one 7 ms on a cheap phone, and
 * under 1 ms elsewhere, the first one or two of a page left out.
 */
const SLOW_MS = 16

const now = performance.now.bind(performance)
let prepared: SetUp | undefined

/** Units of `s32.1`. May run in turns with chunks of other challenges. */
export const hitsOfS32: DoChunk = async (setUp, chunk, pause) => {
  const { key, steps, threshold, mayAsk } = setUp
  const hits: Sample[] = []
  let quickest = Infinity
  let spent = 0
  for (let index = chunk.from; index < chunk.to; index++) {
    await pause?.()
    const began = now()
    if (prepared !== setUp) prepare((prepared = setUp).key, steps)
    const output = unit(key, index, steps)
    spent += now() - began
    if (output <= threshold) hits.push({ index, tag: tagOf(output) })
    if (index % BLOCK === BLOCK - 1) {
      quickest = Math.min(quickest, spent)
      spent = 0
    }
  }
  return mayAsk && !chunk.from && quickest > SLOW_MS ? undefined : hits
}

/**
 * Units of `pb.1`, src/work/pb.ts, by the browser's own cryptography: a whole chunk at once, since it has threads of its own.
 *
 * @throws where there is none, as on plain http.
 */
export const hitsOfPb: DoChunk = async ({ key, steps: iterations, threshold }, { from, to }) => {
  const { subtle } = crypto
  const secret = await subtle.importKey('raw', key as BufferSource, 'PBKDF2', false, ['deriveBits'])
  const units = Array.from({ length: to - from }, async (_, i) => {
    // All browsers run on little-endian processors.
    const salt = Uint32Array.of(from + i)
    const bits = await subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-256', salt, iterations }, secret, 32)
    return { index: from + i, output: new Uint32Array(bits)[0]! }
  })
  const hits = (await Promise.all(units)).filter(({ output }) => output <= threshold)
  return hits.map(({ index, output }) => ({ index, tag: tagOf(output) }))
}
