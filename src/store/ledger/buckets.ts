import type { Consumable } from '../../domain/ports.ts'

/** As in ledger.lua. */
export const BUCKET_MS = 10_000

const KINDS = { response: 't', challenge: 'c', ticket: 's', pass: 'p' } as const

/**
 * Returns the number of the bucket that holds an entry.
 *
 * It depends on the token alone, so a token always leads to the same bucket. Bucket `n` ends at `n · BUCKET_MS`, later than
 * `keepUntil`.
 *
 * @param keepUntil Unix seconds.
 */
export const bucketNumber = (keepUntil: number): number =>
  Math.floor((keepUntil * 1000) / BUCKET_MS) + 1

/**
 * Returns the key of the bucket that holds an entry: `{hv}:t:<generation>:<number>`.
 *
 * The generation is part of the key, so two histories never share a bucket, even after keys were moved between servers.
 *
 * @param prefix of the partition: `{hv}:`.
 */
export const bucketKey = (
  prefix: string,
  { kind, generation, keepUntil }: Pick<Consumable, 'kind' | 'generation' | 'keepUntil'>,
): string => `${prefix}${KINDS[kind]}:${generation}:${bucketNumber(keepUntil)}`
