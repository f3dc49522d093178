import { createHash } from 'node:crypto'

/**
 * Returns the key prefix of each partition: `{hv}:` for one, `{hv.4.0}:` to `{hv.4.3}:` for four.
 *
 * Each has its own hash tag, so that all keys of a script are in one Cluster slot. The number of partitions is part of the
 * name, so instances that disagree about it share no keys and refuse each other's tokens as of another generation. A
 * configured prefix has no dot, so ledgers cannot collide.
 */
export function prefixesOf(keyPrefix: string, partitions: number): readonly string[] {
  if (partitions === 1) return [`{${keyPrefix}}:`]
  return Array.from({ length: partitions }, (_, i) => `{${keyPrefix}.${partitions}.${i}}:`)
}

/**
 * Returns the partition of a name: the id of a challenge and its tokens, or the subject of a limit. All instances with
 * the same number of partitions agree. Hashed, because not every name is random.
 *
 * @param partitions 1 to 64.
 * @returns 0 to `partitions - 1`, evenly distributed (the remainder of 2^32 changes a share by at most 2^-26).
 */
export function partitionOf(name: string, partitions: number): number {
  if (partitions === 1) return 0
  return createHash('sha256').update(name).digest().readUInt32BE(0) % partitions
}
