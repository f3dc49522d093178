import { createHash } from 'node:crypto'

/**
 * Which partition a name belongs to: a challenge and its tokens by their id, a limiter's window by its name.
 *
 * Computed from the name alone, so every instance that knows the number of partitions finds the same one, and
 * nobody can move a token to another. Hashed, because not every name is random.
 *
 * @param partitions 1 to 64.
 * @returns 0 to `partitions - 1`, evenly (the remainder of 2^32 shifts a share by 2^-26 at most).
 */
export function partitionOf(name: string, partitions: number): number {
  if (partitions === 1) return 0
  return createHash('sha256').update(name).digest().readUInt32BE(0) % partitions
}
