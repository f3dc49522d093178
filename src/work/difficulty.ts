import { levelOfUnits } from '../domain/challenge.ts'
import type { Neighbourhood, RecentCounts, SiteCounts } from '../domain/history.ts'
import type { UnitCost } from './human-cost.ts'
import type { Work } from '../domain/site.ts'

/** Traffic of a site, as of a second ago. */
export interface SiteLoad extends SiteCounts {
  /** Challenges in the last ten minutes: of the site, or of the action if that is the busier for its kind. */
  readonly recent: number
  /** Challenges in ten minutes of an ordinary day: the mean of the last one. */
  readonly usual: number
  /** `slowUnit` of its visitors. */
  readonly unitCost: UnitCost
}

/** So many visits in ten minutes are worth so many levels. */
type Point = readonly [visits: number, levels: number]

/**
 * How the levels rise with the visits of a source, in straight lines from point to point. Up to the first point visits are
 * ordinary. People and a script at one rate differ only by what they spend, so the lines follow what people can wait for: a
 * class of 40 waits for twice the ordinary work, a notebook of four slow cores five seconds where up to 85 people share an
 * address, and an ordinary phone of a carrier as long where its network is busy. Beyond a hundred visits there are hardly any
 * people, and a script has most of its own.
 *
 * @see docs/design/proof-of-work.md, "The rise with the rate"
 */
const RISE = {
  /** IPv6: a /64. The last point is more than any site's `work.maxLevel` lets through. */
  address: [
    [20, 0],
    [40, 1],
    [50, 4.4],
    [85, 4.4],
    [100, 8],
  ],
  /** A /24 or /48. */
  network: [
    [100, 0],
    [200, 1],
    [260, 3.7],
  ],
} as const satisfies Record<string, readonly Point[]>

/** Visits in ten minutes that raise nothing, of an address and of a network. */
export const ORDINARY = { address: RISE.address[0][0], network: RISE.network[0][0] } as const

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
  return Math.max(riseOf(rateOf(address), RISE.address), riseOf(rateOf(network), RISE.network))
}

/** An unsolved challenge counts as much as a solve: else somebody would ask first and solve later. */
const rateOf = ({ challenges, solves, unfinished }: RecentCounts): number => Math.max(challenges, solves + unfinished)

/** Levels for so many visits in ten minutes. */
function riseOf(visits: number, points: readonly Point[]): number {
  let [from, low] = points[0]!
  if (visits <= from) return 0
  for (const [to, high] of points) {
    if (visits <= to) return low + ((high - low) * (visits - from)) / (to - from)
    ;[from, low] = [to, high]
  }
  return low
}

/** The highest level that a device of this cost finishes within the site's human cost. */
export function cap({ humanCost }: Work, unitCost: UnitCost): number {
  return levelOfUnits(Math.floor((humanCost * 1_000_000) / unitCost))
}

function surge({ recent, usual }: SiteLoad): number {
  const { calm, times, most } = SURGE
  return Math.min(most, Math.max(0, Math.log2(recent / Math.max(calm, times * usual))))
}
