import { pbkdf2 } from 'node:crypto'
import { promisify } from 'node:util'
import type { Pow } from './pow.ts'
import { hitThreshold, type PowKey, tagOf } from './s32.ts'
import type { Sample } from './spell-solution.ts'

const derive = promisify(pbkdf2)

/**
 * Runs one unit of `pb.1`: PBKDF2-HMAC-SHA-256 of the key, salted with the unit's number as four little-endian bytes. Off
 * the event loop, in one of the threads that Node.js keeps for it. `hitsOfPb` of widget/src/units.ts is the browser's.
 *
 * @param index 0 to 2³²−1.
 * @returns the unit's output, an unsigned 32-bit number: the first four bytes, little-endian.
 * @see docs/design/work.md, "Browsers without a JIT", and test/vectors/pb.json
 */
export async function pbUnit(key: PowKey, index: number, iterations: number): Promise<number> {
  const salt = Buffer.alloc(4)
  salt.writeUInt32LE(index)
  return (await derive(Buffer.from(key.buffer), salt, iterations, 4, 'sha256')).readUInt32LE(0)
}

/** Checks as `checkSolution` does, for `pb.1`: two units, 0.8 ms of another thread. */
export async function checkPbSolution(
  key: PowKey,
  pow: Pow,
  samples: readonly Sample[],
  positions: readonly [number, number],
): Promise<boolean> {
  const threshold = hitThreshold(pow.n)
  const right = positions.map(async (position) => {
    const sample = samples[position]
    if (!sample) return false
    const output = await pbUnit(key, sample.index, pow.s)
    return output <= threshold && tagOf(output) === sample.tag
  })
  return (await Promise.all(right)).every(Boolean)
}
