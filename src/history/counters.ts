import type { Buckets } from './sliding.ts'
import type { Seconds, UnixSeconds } from '../domain/words.ts'

/** Whose counts, and how they are kept. */
export interface Subject {
  /** Whose counts: `a:MARK`, without prefix and bucket. */
  readonly subject: string
  /** The text that decides on the partition; subjects of one place can be counted in one call. */
  readonly place: string
  /** Length of a bucket, and of the sliding window. */
  readonly bucket: Seconds
  /** Fields wanted; after adding. */
  readonly read: readonly string[]
  /** Kept until this long after now, at least; never beyond the end of the next bucket. */
  readonly keep: Seconds
  /** Kept until this long after now where the first addition makes its field more than `above` in the bucket. */
  readonly busy?: { readonly above: number; readonly keep: Seconds } | undefined
  /** A field that says that this was counted already: then it is not added again. */
  readonly once?: string | undefined
  /** Added only if the bump before it, of the same place, was. */
  readonly follows?: boolean | undefined
  /** With `follows`: and only while the first field that the bump before it adds to is at most this in the bucket. */
  readonly upTo?: number | undefined
}

/** An amount that is added to a field of a subject. A pair, and not a member of an object: V8 makes a shape for each set of names. */
export type Addition = readonly [field: string, by: number]

/** One subject's counts that are to be raised, and read. */
export interface Bump extends Subject {
  /** Each field once. */
  readonly add: readonly Addition[]
}

export interface Counted {
  /** False: `once` was there already, of this bump or of the one that it follows. */
  readonly first: boolean
  /** As many as `read` of the bump, in that order. */
  readonly values: readonly Buckets[]
}

/** Where counts are kept; one promise for Redis and for memory. */
export interface Counters {
  /**
   * Counts, then reads, what is of one place in one step. A bucket holds `MOST_FIELDS` fields at most; further new ones
   * are not added.
   *
   * @returns as many as there are bumps, in their order.
   * @throws {Error} when there is no answer in time. Then it may have been counted, or not.
   */
  count(bumps: readonly Bump[], now: UnixSeconds): Promise<readonly Counted[]>
}

/** Fields of one bucket: bounds what one address or site can take of the memory, at some 20 bytes each. */
export const MOST_FIELDS = 2000
