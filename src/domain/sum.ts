import type { Family } from './score-rule.ts'
import type { RuleEffect } from './visit-rules.ts'

/** A value that a family is charged or credited with, in log-odds. */
export interface Charge {
  readonly family: Family
  /** Hundredths at the finest. */
  readonly value: number
}

export interface FamilySum {
  readonly family: Family
  /** What its contributions add up to. */
  readonly sum: number
  /** What its bounds leave of that. */
  readonly kept: number
}

export interface Sum {
  readonly families: readonly FamilySum[]
  /** Base, families and rule together. */
  readonly logOdds: number
  /** 0 to 1, two decimals. */
  readonly score: number
}

/**
 * A score out of its parts: `1 / (1 + e^−x)`, x being the base, each family's sum clipped to its bounds, and what a
 * rule of the site adds. Adds whole hundredths, so that the same parts give the same score in any order, here and in
 * every program that computes it again.
 *
 * @param effect of the site's rule that was met: `allow` is 1 and `deny` is 0, whatever the rest says.
 * @see RISK.md, section 4
 */
export function addUp(
  base: number,
  charges: readonly Charge[],
  bounds: Readonly<Record<Family, readonly [number, number]>>,
  effect?: RuleEffect,
): Sum {
  const sums = new Map<Family, number>()
  for (const { family, value } of charges) sums.set(family, (sums.get(family) ?? 0) + whole(value))
  const families = [...sums].map(([family, sum]) => {
    const [least, most] = bounds[family]
    return { family, sum: sum / 100, kept: Math.min(whole(most), Math.max(whole(least), sum)) / 100 }
  })
  const added = effect?.kind === 'adjust' ? whole(effect.score) : 0
  const logOdds = (families.reduce((total, { kept }) => total + whole(kept), whole(base)) + added) / 100
  return { families, logOdds, score: scoreOf(logOdds, effect) }
}

/** The score of these log-odds, or what a rule decides instead. */
export function scoreOf(logOdds: number, effect?: RuleEffect): number {
  if (effect?.kind === 'allow') return 1
  if (effect?.kind === 'deny') return 0
  return hundredths(1 / (1 + Math.exp(-logOdds)))
}

const whole = (value: number): number => Math.round(value * 100)
/** Rounded to two decimals. */
export const hundredths = (x: number): number => Math.round(x * 100) / 100
