import type { Seconds, UnixSeconds } from '../domain/words.ts'

/** How often something was counted in the bucket of now and in the one before it. */
export interface Buckets {
  readonly current: number
  readonly previous: number
}

/** Buckets that were read at one moment, as they are at a later one. */
export function aged(buckets: Buckets, readAt: UnixSeconds, now: UnixSeconds, length: Seconds): Buckets {
  const steps = bucketOf(now, length) - bucketOf(readAt, length)
  if (steps <= 0) return buckets
  return { current: 0, previous: steps === 1 ? buckets.current : 0 }
}

/** The number of the bucket that a moment lies in; buckets of one length begin at the same moments everywhere. */
export const bucketOf = (now: UnixSeconds, length: Seconds): number => Math.floor(now / length)

/**
 * About how often in the last `length` seconds: the bucket of now, and of the one before it the share that the window
 * still covers, as if it had been counted evenly. Two numbers instead of a list of moments; the error is the unevenness
 * of one bucket. At a constant rate it is exact, and it falls to 0 two lengths after the last count.
 *
 * @returns 0 or more, fractions too.
 */
export function sliding({ current, previous }: Buckets, now: UnixSeconds, length: Seconds): number {
  const gone = (now % length) / length
  return current + previous * (1 - gone)
}
