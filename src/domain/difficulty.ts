import { levelOfUnits } from './challenge.ts'
import { type Neighbourhood, suspicion } from './history.ts'
import type { UnitCost } from './human-cost.ts'
import type { Work } from './site.ts'

/** What is known of a site's traffic, as of a second ago. */
export interface SiteLoad {
  /** Challenges in the last ten minutes: of the site, or of the action if that is the busier for its kind. */
  readonly recent: number
  /** Challenges in ten minutes of an ordinary day: the mean of the last one. */
  readonly usual: number
  /** `slowUnit` of its visitors. */
  readonly unitCost: UnitCost
}

/** Where rises begin, and how far each goes. */
const RISE = {
  /** Solves of an address in ten minutes that are ordinary; each doubling beyond is a level. */
  address: 20,
  /** The same of a /24 or /48. */
  network: 200,
  /** Levels that full suspicion is worth: four times the work. */
  suspicion: 2,
  site: {
    /** Challenges in ten minutes that are never too many. */
    calm: 300,
    /** So many times the usual is ordinary too: shops open, mails go out. */
    times: 3,
    /** A level at the most: it falls on everybody. */
    most: 1,
  },
} as const

/**
 * The level of a new challenge: the site's own, raised with what its address, network and site asked for lately and with
 * suspicion. It cools down with the sliding window, so nothing that was counted raises it for more than twenty minutes.
 *
 * @param floor a level that a rule of the site demands, 0 to 8; the caps hold for it too.
 * @returns 0 to 8, hundredths; never above `work.maxLevel`, nor above what costs a slow device `work.humanCost`.
 * @see POW.md; issue 5, "Adaptive work"
 */
export function levelOf(work: Work, near: Neighbourhood, site: SiteLoad, floor = 0): number {
  const raised =
    work.level +
    Math.max(doublings(asked(near.address), RISE.address), doublings(asked(near.network), RISE.network)) +
    RISE.suspicion * suspicion(near) +
    surge(site)
  const level = Math.min(Math.max(raised, floor), work.maxLevel, cap(work, site.unitCost))
  return Math.round(level * 100) / 100
}

/** The highest level that a device of this cost finishes within the site's human cost. */
export function cap({ humanCost }: Work, unitCost: UnitCost): number {
  return levelOfUnits(Math.floor((humanCost * 1_000_000) / unitCost))
}

/** Solves count, and unsolved challenges a little: a page that is opened often asks for many. What was left undone comes on top. */
function asked({ challenges, solves, unfinished }: Neighbourhood['address']): number {
  return Math.max(solves + unfinished, challenges / 4)
}

const doublings = (count: number, ordinary: number): number => Math.max(0, Math.log2(count / ordinary))

function surge({ recent, usual }: SiteLoad): number {
  const { calm, times, most } = RISE.site
  return Math.min(most, doublings(recent, Math.max(calm, times * usual)))
}
