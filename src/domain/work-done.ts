import { type Seconds, seconds, type UnixSeconds } from './words.ts'

/** Length of the history: long enough to see a farm at work, short enough for an address to recover soon. */
export const HISTORY_WINDOW = seconds(600)

/**
 * Units of work of an ordinary visit, at the default level 3. A visit counts by its work and as at most one, so that visits to a
 * site with little work do not raise the work of another.
 */
export const ORDINARY_UNITS = 18_432
/** Units of parts of one source that count for the network around it: of a source with more, all are too many already. */
export const MOST_PARTS = 16 * ORDINARY_UNITS

/** The share of a source's work that counts for the network around it, in units of one bucket of time. */
export interface Share {
  /** Units that do not count. */
  readonly above: number
  /** The most that counts. */
  readonly most: number
}

/** All work counts: that of a /64 for its /56. */
export const ALL_WORK: Share = { above: 0, most: Number.MAX_SAFE_INTEGER }
/**
 * A subnet (an IPv6 /56, or an IPv4 address) counts for its network from the fourth visit on, and as at most seven. So people at
 * ordinary rates raise no other's work, one subnet cannot raise that of others, and a network whose subnets are all busy rises.
 */
export const SUBNET_SHARE: Share = { above: 3 * ORDINARY_UNITS, most: 7 * ORDINARY_UNITS }

/** Returns how many of a source's units count for the network around it. As in history.lua. */
export const sharedUnits = (units: number, { above, most }: Share): number =>
  Math.min(Math.max(units - above, 0), most)

/** Correct work of the last ten minutes (sliding), in ordinary visits. */
export interface WorkDone {
  readonly visits: number
  /** Visits that did only a part, by the work that they were asked for. */
  readonly parts: number
}

/** Work done by the address of a visit (IPv6: the /64), and around it. */
export interface Neighbourhood {
  readonly address: WorkDone
  /** The IPv6 /56 of the address, which one subscriber often has. Of IPv4 the address itself. */
  readonly subnet: WorkDone
  /** The /24 or /48: what its subnets did beyond an ordinary rate, of each a bounded share. */
  readonly network: WorkDone
}

const NOTHING: WorkDone = Object.freeze({ visits: 0, parts: 0 })
/** No work was done, or it is unknown. */
export const NO_WORK_DONE: Neighbourhood = Object.freeze({
  address: NOTHING,
  subnet: NOTHING,
  network: NOTHING,
})

/** Work done at a site, or for one of its listed actions, in ordinary visits. */
export interface SiteLoad {
  /** Work of the last ten minutes. */
  readonly recent: number
  /** The mean of ten minutes over the last day. */
  readonly usual: number
}

/** Counts of a bucket of time and of the previous one. */
export interface Buckets {
  readonly current: number
  readonly previous: number
}

/** Returns the number of the bucket that contains a time. Buckets of one length begin at the same times everywhere. */
export const bucketOf = (now: UnixSeconds, length: Seconds): number => Math.floor(now / length)

/**
 * Estimates the count of the last `length` seconds: the current bucket plus the share of the previous one that the window still
 * covers, as if it had been counted evenly. It is exact at a constant rate, and falls to 0 two lengths after the last count.
 *
 * @param readAt when the buckets were read, at most now.
 */
export function slidingCount(
  { current, previous }: Buckets,
  length: Seconds,
  now: UnixSeconds,
  readAt = now,
): number {
  const left = 1 - (now % length) / length
  const steps = bucketOf(now, length) - bucketOf(readAt, length)
  if (steps <= 0) return current + previous * left
  return steps === 1 ? current * left : 0
}
