import type { Consumable } from '../ports/stores.ts'

/** Entries are removed a bucket at a time. Another width is another schema: two releases must agree where an entry lies. */
export const BUCKET_MS = 10_000
/** A clock may be set back by so much without a new generation; buckets are kept this much longer for it. */
export const SETBACK_MS = 30_000

const KINDS = { response: 't', challenge: 'c', ticket: 's', pass: 'p' } as const

/**
 * Returns the number of the bucket that holds an entry.
 *
 * The bucket follows from the token alone, so everybody who presents it looks into the same bucket. The end of a bucket
 * is later than `keepUntil`: bucket `n` ends at `n · BUCKET_MS`.
 *
 * @param keepUntil Unix seconds.
 */
export const bucketNumber = (keepUntil: number): number => Math.floor((keepUntil * 1000) / BUCKET_MS) + 1

/**
 * Returns the key of the bucket that holds an entry: `{hv}:t:<generation>:<number>`.
 *
 * The generation is part of the key, so entries of two histories never meet in one bucket, also after keys were moved
 * from one server to another.
 *
 * @param prefix of the partition: `{hv}:`.
 */
export const bucketKey = (
  prefix: string,
  { kind, generation, keepUntil }: Pick<Consumable, 'kind' | 'generation' | 'keepUntil'>,
): string => `${prefix}${KINDS[kind]}:${generation}:${bucketNumber(keepUntil)}`
