import { levelOfUnits } from '../challenge.ts'
import type { Neighbourhood, SiteCounts } from '../history.ts'
import type { UnitCost } from './human-cost.ts'
import type { Work } from '../site.ts'

/** Traffic of a site, as of a second ago. */
export interface SiteLoad extends SiteCounts {
  /** Challenges in the last ten minutes: of the site, or of the action if that is the busier for its kind. */
  readonly recent: number
  /** Challenges in ten minutes of an ordinary day: the mean of the last one. */
  readonly usual: number
  /** `slowUnit` of its visitors. */
  readonly unitCost: UnitCost
}

interface Rise {
  /** Visits in ten minutes that are ordinary. */
  readonly ordinary: number
  /** Beyond `STEEP` times the ordinary, the work follows this power of the rate; up to there, the rate. */
  readonly power: number
  /** Levels at the most. */
  readonly most: number
}

/**
 * Where the rise of each source begins, and how steep it is. A carrier has thousands of people in a /24, and hardly ever
 * as many on one site behind one address.
 */
const RISE = {
  /** IPv6: a /64. */
  address: { ordinary: 20, power: 3, most: Infinity },
  /** A /24 or /48. */
  network: { ordinary: 100, power: 2, most: 4 },
} as const satisfies Record<string, Rise>
const STEEP = 3

const SURGE = {
  /** Challenges in ten minutes that are never too many. */
  calm: 300,
  /** So many times the usual is ordinary too: shops open, mails go out. */
  times: 3,
  /** A level at the most: it falls on everybody. */
  most: 1,
} as const

/**
 * The level of a new challenge: the site's own, raised with the rate of its address, its network and its site. It depends
 * on rates alone, which every caller knows anyway, and on no score: it tells nobody how a visit was judged. It cools down
 * with the sliding window, so nothing that was counted raises it for more than twenty minutes.
 *
 * @returns 0 to 8, hundredths: at least the site's own level, at most `work.maxLevel`. A source with an ordinary rate is
 *   asked for no more than costs a slow device `work.humanCost`.
 * @see docs/design/proof-of-work.md, "Difficulty"
 */
export function levelOf(work: Work, near: Neighbourhood, site: SiteLoad): number {
  const rise = rateRise(near)
  const ceiling = rise > 0 ? work.maxLevel : Math.min(work.maxLevel, cap(work, site.unitCost))
  return Math.round(Math.max(work.level, Math.min(work.level + rise + surge(site), ceiling)) * 100) / 100
}

/** A cheap phone takes 13 seconds for it. With that of the first try, it is ten times the work of an ordinary visit. */
const STEP_MOST = 6.2

/** The level of a second try: what a busy source is asked for, as far as a phone finishes it while somebody waits. */
export const stepLevel = ({ maxLevel }: Work): number => Math.min(maxLevel, STEP_MOST)

/** Levels that the rate of the source is worth; 0 for an ordinary source. */
function rateRise({ address, network }: Neighbourhood): number {
  const ofAddress = Math.max(address.solves + address.unfinished, address.challenges)
  // Others' unsolved challenges count half: they are free, and must not be worth much.
  const ofNetwork = Math.max(network.solves + network.unfinished, network.challenges / 2)
  return Math.max(riseOf(ofAddress, RISE.address), riseOf(ofNetwork, RISE.network))
}

/** Levels for so many visits in ten minutes. */
function riseOf(visits: number, { ordinary, power, most }: Rise): number {
  const times = visits / ordinary
  if (times <= 1) return 0
  if (times <= STEEP) return Math.log2(times)
  return Math.min(most, Math.log2(STEEP) + power * Math.log2(times / STEEP))
}

/** The highest level that a device of this cost finishes within the site's human cost. */
export function cap({ humanCost }: Work, unitCost: UnitCost): number {
  return levelOfUnits(Math.floor((humanCost * 1_000_000) / unitCost))
}

function surge({ recent, usual }: SiteLoad): number {
  const { calm, times, most } = SURGE
  return Math.min(most, Math.max(0, Math.log2(recent / Math.max(calm, times * usual))))
}
