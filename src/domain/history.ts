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
  /** The same, of each grid of cells: solves of the site in the same cell. domain/score/behaviour.ts */
  readonly alike: readonly number[]
  readonly site: SiteCounts
}

/** Limits of trouble: `odd` is nobody's fault; so is the `share` of the solves; `full` is how much more counts in full. */
interface TroubleLimits {
  readonly odd: number
  readonly share: number
  readonly full: number
}

const TROUBLE = {
  address: { odd: 3, share: 0.3, full: 12 },
  network: { odd: 20, share: 0.5, full: 40 },
} as const satisfies Record<string, TroubleLimits>

/** A record made on other sites counts for so much here. */
const ELSEWHERE = 0.25

/**
 * Trouble of an address by its own earlier visits: wrong solutions and low scores, where they are more than the odd ones
 * among many good visits. An office with one bot in it has trouble too, but far less than solves.
 *
 * @returns 0 to 1; full after fifteen bad tries without a good one.
 */
export function addressTrouble({ here, address }: Pick<HistoryFacts, 'here' | 'address'>): number {
  return Math.max(troubled(here, TROUBLE.address), ELSEWHERE * troubled(address, TROUBLE.address))
}

/** Trouble that others of the network made: low scores of solves whose work was done. @returns 0 to 1. */
export function networkTrouble({ address, network }: Neighbourhood): number {
  const others = { failed: 0, low: network.low - address.low, solves: network.solves - address.solves }
  return troubled(others, TROUBLE.network)
}

function troubled(
  { failed, low, solves }: Pick<RecentCounts, 'failed' | 'low' | 'solves'>,
  { odd, share, full }: TroubleLimits,
): number {
  return ramp(failed + low - share * solves - odd, 0, full)
}

/** 0 up to `from`, 1 from `to` on, straight in between. */
export const ramp = (x: number, from: number, to: number): number => Math.min(1, Math.max(0, (x - from) / (to - from)))
