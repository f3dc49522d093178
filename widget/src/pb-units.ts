import { tagOf } from '../../src/work/s32.ts'
import type { Chunk } from './tally.ts'
import type { DoChunk, FlatHits } from './worker-messages.ts'

/** Missing on plain http. */
const { subtle } = crypto

/**
 * Units of `pb.1`, src/work/pb.ts, by the browser's own cryptography: a whole chunk at once, since it has threads of its own.
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

export const hitsOfPb: DoChunk = async ({ key, steps, threshold }, chunk) => {
  const hits: FlatHits = []
  const outputs = await pbOutputs(key, steps, chunk)
  outputs.forEach((output, i) => {
    if (output <= threshold) hits.push(chunk.from + i, tagOf(output))
  })
  return hits
}
