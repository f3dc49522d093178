import type { Family } from './score-rule.ts'
import type { RuleEffect } from '../site-rules/visit-rules.ts'

/** A value that a family is charged or credited with, in log-odds. */
export interface Charge {
  readonly family: Family
  /** Hundredths at the finest. */
  readonly value: number
  /** Log-odds that the whole may not pass, the rule of the site left out; undefined: any. */
  readonly cap?: number | undefined
}

/**
 * Log-odds up to which a step-up may lift a visit: a score of 0.65. Only the visit itself lifts it further.
 *
 * @see docs/design/risk.md, "Step-up"
 */
export const STEP_LIFTS_TO = 0.6

export interface FamilySum {
  readonly family: Family
  /** The sum of its contributions. */
  readonly sum: number
  /** The rest of that sum within its bounds. */
  readonly net: number
}

export interface Sum {
  readonly families: readonly FamilySum[]
  /** The cap that held base and families down; undefined: none did. */
  readonly cappedTo: number | undefined
  /** Base, families and rule together, after the cap. */
  readonly logOdds: number
  /** 0 to 1, two decimals. */
  readonly score: number
}

/**
 * A score out of its parts: `1 / (1 + e^−x)`, x being the base and each family's sum clipped to its bounds, all of that
 * at most the lowest cap, and what a rule of the site adds. Adds whole hundredths, so that the same parts give the same
 * score in any order, here and in every program that computes it again.
 *
 * @param effect of the site's rule that was met: `allow` is 1 and `deny` is 0, whatever the rest says.
 * @see docs/design/risk.md, "The score"
 */
export function addUp(
  base: number,
  charges: readonly Charge[],
  bounds: Readonly<Record<Family, readonly [number, number]>>,
  effect?: RuleEffect,
): Sum {
  const sums = new Map<Family, number>()
  for (const { family, value } of charges) sums.set(family, (sums.get(family) ?? 0) + whole(value))
  const netOf = (family: Family, sum: number): number => {
    const [least, most] = bounds[family]
    return Math.min(whole(most), Math.max(whole(least), sum))
  }
  const others = [...sums].filter(([family]) => family !== 'step')
  const without = others.reduce((so, [family, sum]) => so + netOf(family, sum), whole(base))
  const room = Math.max(0, whole(STEP_LIFTS_TO) - without)
  const families = [...sums].map(([family, sum]) => {
    const share = netOf(family, sum)
    return { family, sum: sum / 100, net: (family === 'step' ? Math.min(share, room) : share) / 100 }
  })
  const adjustment = effect?.kind === 'adjust' ? whole(effect.score) : 0
  const cap = Math.min(Infinity, ...charges.map(capOf))
  const total = families.reduce((so, each) => so + whole(each.net), whole(base))
  const net = Math.min(total, cap)
  const logOdds = (net + adjustment) / 100
  return { families, cappedTo: net < total ? net / 100 : undefined, logOdds, score: scoreOf(logOdds, effect) }
}

/** In whole hundredths; what counts nothing caps nothing. */
const capOf = ({ value, cap }: Omit<Charge, 'family'>): number =>
  value === 0 || cap === undefined ? Infinity : whole(cap)

/** The score of these log-odds, or what a rule decides instead. */
export function scoreOf(logOdds: number, effect?: RuleEffect): number {
  if (effect?.kind === 'allow') return 1
  if (effect?.kind === 'deny') return 0
  return hundredths(1 / (1 + Math.exp(-logOdds)))
}

const whole = (value: number): number => Math.round(value * 100)
/** Rounded to two decimals. */
export const hundredths = (x: number): number => Math.round(x * 100) / 100
