import { levelOfUnits, type Pow, unitsAtLevel, unitsOf } from './pow.ts'
import type { Neighbourhood, SiteLoad } from '../domain/work-done.ts'
import type { Work } from '../domain/site.ts'
import { type Seconds, seconds } from '../domain/words.ts'

/** Levels for a number of solved visits in ten minutes. */
type Point = readonly [visits: number, levels: number]

/**
 * How the levels rise with the solved visits of a source, in straight lines from point to point. Up to the first point visits are
 * ordinary. People and a script at one rate differ only by what they spend, so the lines follow what people can wait for: a
 * class of 40 waits for twice the ordinary work, a notebook of four slow cores five seconds where up to 85 people share an
 * address, and an ordinary phone of a carrier as long where its network is busy. Beyond a hundred visits there are hardly any
 * people, and a script has most of its own.
 *
 * @see docs/design/work.md, "The rise with the rate"
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
  /** A /56, most often one subscriber: twice as many visits as of an address. */
  subnet: [
    [40, 0],
    [80, 1],
    [100, 4.4],
    [170, 4.4],
    [200, 8],
  ],
  /** A /24 or /48: visits of its subnets beyond an ordinary rate. */
  network: [
    [100, 0],
    [120, 1],
    [140, 3.7],
  ],
} as const satisfies Record<string, readonly Point[]>

const SURGE = {
  /** Solves in ten minutes that are never too many. */
  calm: 300,
  /** Multiple of the usual rate that still counts as ordinary: shops open, newsletters go out. */
  times: 3,
  /** The most that a surge adds: one level, since it affects every visitor. */
  most: 1,
} as const

/**
 * The level of a new challenge: the site's own, raised with the solved visits of its address, its network and its site. It
 * depends on these rates alone, which every caller knows anyway, and on no score, so it does not reveal how a visit was
 * judged. It cools down with the sliding window: a visit raises it for at most twenty minutes.
 *
 * @param isCrowded whether the challenge is beyond the budget of its address. Other people behind that address pay for it too, so
 *   it adds one level only.
 * @returns 0 to 8, hundredths: at least the site's own level, at most `work.maxLevel`. A source with an ordinary rate is
 *   asked for no more than costs a slow device `work.humanCost`.
 * @see docs/design/work.md, "Difficulty"
 */
export function levelOf(
  work: Work,
  near: Neighbourhood,
  site: SiteLoad,
  isCrowded = false,
): number {
  const rise = rateRise(near)
  const ceiling = rise > 0 ? work.maxLevel : Math.min(work.maxLevel, cap(work))
  const level = work.level + rise + surge(site) + (isCrowded ? CROWDED : 0)
  return Math.round(Math.max(work.level, Math.min(level, ceiling)) * 100) / 100
}

/** Levels that a challenge beyond the budget of its address costs: twice the work, for as long as they come too fast. */
const CROWDED = 1

/** Levels that a source may have risen between a challenge and its solve: people take their time for a form. */
const LATE = 1

/**
 * Reports whether a challenge asked for much less work than its source is asked for now: it was asked for before others, and
 * solved after them. Challenges are free, so that one visitor could have hundreds of them at the price of the first.
 *
 * @param near the solve itself counted in.
 */
export function isOutpaced(pow: Pow, { level, maxLevel }: Work, near: Neighbourhood): boolean {
  return levelOfUnits(unitsOf(pow)) < Math.min(level + rateRise(near), maxLevel) - LATE
}

/** A cheap phone takes 13 seconds for it. With that of the first try, it is ten times the work of an ordinary visit. */
const STEP_MOST = 6.2

/** The level of a second try: what a busy source is asked for, as far as a phone finishes it while its owner waits. */
export const stepLevel = ({ maxLevel }: Work): number => Math.min(maxLevel, STEP_MOST)

/** Levels that the rate of the source is worth; 0 for an ordinary source. */
const rateRise = ({ address, subnet, network }: Neighbourhood): number =>
  Math.max(
    riseOf(address.visits, RISE.address),
    riseOf(subnet.visits, RISE.subnet),
    riseOf(network.visits, RISE.network),
  )

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

function surge({ recent, usual }: SiteLoad): number {
  const { calm, times, most } = SURGE
  return Math.min(most, Math.max(0, Math.log2(recent / Math.max(calm, times * usual))))
}

/**
 * Microseconds that one unit of `s32.1` takes a cheap phone with two workers: 18,432 units in 1.4 s. An estimate;
 * docs/design/work.md, "Difficulty".
 */
const SLOW_PHONE = 76

/** Seconds that a level takes a cheap phone. */
const slowest = (level: number): number => (unitsAtLevel(level) * SLOW_PHONE) / 1_000_000

/** The highest level that a cheap phone finishes within the site's human cost. */
export const cap = ({ humanCost }: Pick<Work, 'humanCost'>): number =>
  levelOfUnits(Math.floor((humanCost * 1_000_000) / SLOW_PHONE))

/** The time that a level takes a cheap phone, in whole seconds: a lower `human_cost` contradicts the level. */
export const leastHumanCost = (level: number): Seconds => seconds(Math.ceil(slowest(level)))

/**
 * Milliseconds of work after which a browser hands in what it has done: twice what the work may take. Where the rate of its
 * source or a step has raised the work, twice what that takes a cheap phone: behind the address of a school people wait, and
 * nobody is taken for somebody who saves work.
 */
export const workBudget = (humanCost: Seconds, level: number): number =>
  Math.round(2000 * Math.max(humanCost, slowest(level)))
