import { seconds } from './words.ts'

/** How far back history looks: long enough to see a farm at work, short enough that an address is soon itself again. */
export const HISTORY_WINDOW = seconds(600)

/** What was counted in the last ten minutes of an address, a network, or a site; sliding, so fractions too. */
export interface RecentCounts {
  readonly challenges: number
  readonly solves: number
  /** Tokens that a customer verified and got accepted. */
  readonly verified: number
  /** Solutions that were wrong. */
  readonly failed: number
  /** Solves that scored below their site's threshold. */
  readonly low: number
  /** Units of work that were asked for and left undone, as shares of a solve: two halves count one. */
  readonly unfinished: number
}

export const NOTHING: RecentCounts = { challenges: 0, solves: 0, verified: 0, failed: 0, low: 0, unfinished: 0 }

/** What is known of where a visit comes from: its address (IPv6: the /64), and the /24 or /48 around it. */
export interface Neighbourhood {
  readonly address: RecentCounts
  readonly network: RecentCounts
}

export const STRANGER: Neighbourhood = { address: NOTHING, network: NOTHING }

/** What history knows at a solve; the solve itself is counted in. */
export interface HistoryFacts extends Neighbourhood {
  /** Earlier solves from this network with the same behaviour, in the window. */
  readonly again: number
  /** Earlier solves from this network with almost the same behaviour. */
  readonly alike: number
  /** Earlier solves of the whole site with the same behaviour. */
  readonly everywhere: number
  /** Solves of the site in the window, for comparison. */
  readonly siteSolves: number
  /** `suspicion` when the challenge was issued, signed into it; 0 to 1. */
  readonly suspected: number
}

/**
 * How suspicious an address is, by what became of its earlier visits: wrong solutions and low scores, where they are
 * more than the odd ones among many good visits. A school with one bot in it has trouble too, but far less than
 * solves; nobody is suspicious for three bad tries, and it takes thirteen to be fully so.
 *
 * @returns 0 to 1.
 */
export function suspicion({ address, network }: Neighbourhood): number {
  return Math.max(troubled(address, TROUBLE.address), troubled(network, TROUBLE.network))
}

/** `odd`: how much trouble is nobody's fault; `share`: of the solves, so much too; `full`: so much more is all. */
const TROUBLE = {
  address: { odd: 3, share: 0.3, full: 10 },
  // 256 neighbours: only where most of what comes from there is bad.
  network: { odd: 20, share: 0.5, full: 40 },
} as const

function troubled(counts: RecentCounts, { odd, share, full }: (typeof TROUBLE)[keyof typeof TROUBLE]): number {
  const trouble = counts.failed + counts.low - share * counts.solves - odd
  return ramp(trouble, 0, full)
}

/** 0 up to `from`, 1 from `to` on, straight in between. */
export const ramp = (x: number, from: number, to: number): number => Math.min(1, Math.max(0, (x - from) / (to - from)))
