import { type Seconds, seconds, type UnixSeconds } from './words.ts'

/** How far back history looks: long enough to see a farm at work, short enough that an address recovers soon. */
export const HISTORY_WINDOW = seconds(600)

/** Solves of the last ten minutes whose work was checked and found right; sliding, so fractions too. */
export interface SolveCounts {
  readonly solves: number
  /** Of these, the ones that handed in a part of the work. */
  readonly parts: number
}

/** Counts of the place that a visit comes from: its address (IPv6: the /64), and the /24 or /48 around it. */
export interface Neighbourhood {
  readonly address: SolveCounts
  /** The address's own counts are in it. */
  readonly network: SolveCounts
}

const NOTHING: SolveCounts = Object.freeze({ solves: 0, parts: 0 })
/** Nothing was solved there, or nobody knows. */
export const STRANGER: Neighbourhood = Object.freeze({ address: NOTHING, network: NOTHING })

/** Solves of a site, or of an action that it lists. */
export interface SiteLoad {
  /** In the last ten minutes. */
  readonly recent: number
  /** In ten minutes of an ordinary day: the mean of the last one. */
  readonly usual: number
}

/** How often something was counted in a bucket of time and in the one before it. */
export interface Buckets {
  readonly current: number
  readonly previous: number
}

/** Returns the number of the bucket that a moment lies in. Buckets of one length begin at the same moments everywhere. */
export const bucketOf = (now: UnixSeconds, length: Seconds): number => Math.floor(now / length)

/**
 * Returns about how often something was counted in the last `length` seconds: the bucket of now, and of the one before it
 * the share that the window still covers, as if it had been counted evenly. At a constant rate it is exact, and it falls
 * to 0 two lengths after the last count.
 *
 * @param readAt when the buckets were read, at most now.
 */
export function sliding({ current, previous }: Buckets, length: Seconds, now: UnixSeconds, readAt = now): number {
  const left = 1 - (now % length) / length
  const steps = bucketOf(now, length) - bucketOf(readAt, length)
  if (steps <= 0) return current + previous * left
  return steps === 1 ? current * left : 0
}
