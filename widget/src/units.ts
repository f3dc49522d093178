import { prepare, tagOf, unit } from '../../src/work/s32.ts'
import type { Sample } from '../../src/work/spell-solution.ts'

/** Units `from` to `to` − 1. */
export interface Chunk {
  readonly from: number
  readonly to: number
}

/** The first message to a worker. */
export interface SetUp {
  readonly key: Int32Array
  readonly steps: number
  /** The largest output that counts. */
  readonly threshold: number
  /** True if the units are those of `pb.1`. */
  readonly isPb: boolean
  /** True if a slow engine may request other work. */
  readonly mayAsk: boolean
}

/** Does a chunk of the work, and awaits `pause` before each unit. Resolves to undefined if the engine is slow and `mayAsk` is set. */
export type DoChunk = (
  setUp: SetUp,
  chunk: Chunk,
  pause?: () => Promise<unknown> | undefined,
) => Promise<readonly Sample[] | undefined>

/** Units that are timed together: coarse clocks tick every 17 ms. */
const BLOCK = 64
/** A block takes 27 ms without a JIT on a fast processor; with one at most 7 ms, on a cheap phone, after the first two. */
const SLOW_MS = 16
/** Blocks of a lane after which its engine is judged: on a busy machine the JIT itself has to wait for its turn. */
const JUDGED_BLOCKS = 16

const now = performance.now.bind(performance)
let prepared: SetUp | undefined
let blocks = 0
let quickest = Infinity

/** Computes units of `s32.1`. Chunks of several challenges may alternate. */
export const hitsOfS32: DoChunk = async (setUp, chunk, pause) => {
  const { key, steps, threshold, mayAsk } = setUp
  const hits: Sample[] = []
  let spent = 0
  for (let index = chunk.from; index < chunk.to; index++) {
    await pause?.()
    const began = now()
    if (prepared !== setUp) {
      prepare(key, steps)
      prepared = setUp
    }
    const output = unit(key, index, steps)
    spent += now() - began
    if (output <= threshold) hits.push({ index, tag: tagOf(output) })
    if (index % BLOCK === BLOCK - 1) {
      quickest = Math.min(quickest, spent)
      spent = 0
      blocks++
    }
  }
  return mayAsk && blocks >= JUDGED_BLOCKS && quickest > SLOW_MS ? undefined : hits
}

/** Computes units of `pb.1` (src/work/pb.ts), all at once: Web Cryptography has its own threads. @throws without it, as on plain http. */
export const hitsOfPb: DoChunk = async ({ key, steps: iterations, threshold }, { from, to }) => {
  const { subtle } = crypto
  const secret = await subtle.importKey('raw', key as BufferSource, 'PBKDF2', false, ['deriveBits'])
  const units = Array.from({ length: to - from }, async (_, i) => {
    // Little-endian, as on every processor with a browser.
    const salt = Uint32Array.of(from + i)
    const bits = await subtle.deriveBits(
      { name: 'PBKDF2', hash: 'SHA-256', salt, iterations },
      secret,
      32,
    )
    return { index: from + i, output: new Uint32Array(bits)[0]! }
  })
  const hits = (await Promise.all(units)).filter(({ output }) => output <= threshold)
  return hits.map(({ index, output }) => ({ index, tag: tagOf(output) }))
}
