import { type Seconds, seconds, type UnixSeconds } from './words.ts'

/** How far back history looks: long enough to see a farm at work, short enough that an address recovers soon. */
export const HISTORY_WINDOW = seconds(600)

/**
 * Units of work of an ordinary visit: those of level 3, the default. A visit counts by the work that it did, as one at most, so
 * that visits of a site that asks for little raise no work at another.
 */
export const ORDINARY_UNITS = 18_432

/** Work of the last ten minutes that was checked and found right, in ordinary visits; sliding. */
export interface WorkDone {
  readonly visits: number
  /** Visits that handed in a part, by the work that they were asked for. */
  readonly parts: number
}

/** Work done where a visit comes from: at its address (IPv6: the /64), and in the /24 or /48 around it. */
export interface Neighbourhood {
  readonly address: WorkDone
  /** The address's own is in it. */
  readonly network: WorkDone
}

const NOTHING: WorkDone = Object.freeze({ visits: 0, parts: 0 })
/** Nothing was done there, or it is unknown. */
export const STRANGER: Neighbourhood = Object.freeze({ address: NOTHING, network: NOTHING })

/** Work done at a site, or for an action that it lists, in ordinary visits. */
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
