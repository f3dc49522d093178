/**
 * One hash tag per partition, so that a Cluster keeps what a script touches in one slot: `{hv}:`, or, of four,
 * `{hv.4.0}:` to `{hv.4.3}:`. The number is part of the names, so instances that disagree about it share nothing,
 * and refuse each other's tokens as those of another generation. No prefix has a dot, so no two ledgers meet.
 */
export function prefixesOf(keyPrefix: string, partitions: number): readonly string[] {
  if (partitions === 1) return [`{${keyPrefix}}:`]
  return Array.from({ length: partitions }, (_, i) => `{${keyPrefix}.${partitions}.${i}}:`)
}
