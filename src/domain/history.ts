import { seconds } from './words.ts'

/** How far back history looks: long enough to see a farm at work, short enough that an address is soon itself again. */
export const HISTORY_WINDOW = seconds(600)

/** Counts of the last ten minutes of an address or a network; sliding, so fractions too. */
export interface RecentCounts {
  readonly challenges: number
  /** Solves whose work was checked and found right. */
  readonly solves: number
  /** Tokens that a customer verified and got accepted. */
  readonly verified: number
  /** Solutions that were wrong; counted for the address alone. */
  readonly failed: number
  /** Solves that scored below their site's threshold. */
  readonly low: number
  /** Units of work that were asked for and left undone, as shares of a solve: two halves count one. */
  readonly unfinished: number
  /** Solves that handed in a part of the work. */
  readonly parts: number
}

export const NOTHING: RecentCounts = Object.freeze({
  challenges: 0,
  solves: 0,
  verified: 0,
  failed: 0,
  low: 0,
  unfinished: 0,
  parts: 0,
})

/** Counts of the place that a visit comes from: its address (IPv6: the /64), and the /24 or /48 around it. */
export interface Neighbourhood {
  readonly address: RecentCounts
  /** The address's own counts are in it. */
  readonly network: RecentCounts
}

export const STRANGER: Neighbourhood = Object.freeze({ address: NOTHING, network: NOTHING })

/** Counts of a site, or of an action that it lists, as of a second ago. */
export interface SiteCounts {
  readonly solves: number
  readonly verified: number
  /** Solves that handed in a part of the work. */
  readonly parts: number
  /** The share of parts among the solves of the last day, 0 to 1. */
  readonly usualParts: number
}

/** The history of a visit at its solve; the solve itself is counted in. */
export interface HistoryFacts extends Neighbourhood {
  /** The address's own record on this site; no challenges: those are counted for all sites together. */
  readonly here: RecentCounts
  /** Earlier solves of the site with exactly the same behaviour, beyond chance. */
  readonly again: number
  readonly site: SiteCounts
}
