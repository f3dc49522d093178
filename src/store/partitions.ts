import { createHash } from 'node:crypto'

/**
 * Returns one key prefix for each partition: `{hv}:`, or, of four, `{hv.4.0}:` to `{hv.4.3}:`.
 *
 * Each is a hash tag of its own, so that a Cluster keeps what a script touches in one slot. The number is part of the
 * names, so instances that disagree about it share nothing, and refuse each other's tokens as those of another
 * generation. No prefix has a dot, so no two ledgers meet.
 */
export function prefixesOf(keyPrefix: string, partitions: number): readonly string[] {
  if (partitions === 1) return [`{${keyPrefix}}:`]
  return Array.from({ length: partitions }, (_, i) => `{${keyPrefix}.${partitions}.${i}}:`)
}

/**
 * Returns the partition of a name: of a challenge and its tokens by their id, of a limit by whom it counts.
 *
 * Computed from the name alone, so every instance that knows the number of partitions finds the same one. Hashed,
 * because not every name is random.
 *
 * @param partitions 1 to 64.
 * @returns 0 to `partitions - 1`, evenly (the remainder of 2^32 shifts a share by 2^-26 at most).
 */
export function partitionOf(name: string, partitions: number): number {
  if (partitions === 1) return 0
  return createHash('sha256').update(name).digest().readUInt32BE(0) % partitions
}
