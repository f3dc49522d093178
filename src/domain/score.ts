import { MODEL, RULES } from './score-model.ts'
import type { Family, Reason, ScoreRule, VisitFacts } from './score-rule.ts'

/** One rule's part in a score, in log-odds rounded to hundredths. */
export interface Contribution {
  /** The rule's number; stable across releases, so an old token can still be explained. */
  readonly id: number
  readonly value: number
}

/** A score and everything it was computed from: enough to compute it again. */
export interface Decision {
  /** Version of the weights. */
  readonly model: number
  /** 0 to 1, two decimals; higher is more likely human. */
  readonly score: number
  /** Only the rules that fired, largest first; at most `MOST_CONTRIBUTIONS`. */
  readonly contributions: readonly Contribution[]
}

/**
 * What a token has room for (token/sealed.ts). No real visit comes near it; of one that is made up so that more rules
 * fire, the rules that speak for it are left out first.
 */
export const MOST_CONTRIBUTIONS = 46

/**
 * Scores a visit: a base, plus what each rule contributes, each family clipped to its bounds,
 * all in log-odds. RISK.md, section 4.
 */
export function scoreVisit(facts: VisitFacts): Decision {
  const fired: Contribution[] = []
  for (const { id, weight, when } of RULES) {
    const value = hundredths(weight * strength(when(facts)))
    if (value !== 0) fired.push({ id, value })
  }
  const contributions = fired
    .sort((a, b) => a.value - b.value)
    .slice(0, MOST_CONTRIBUTIONS)
    .sort((a, b) => Math.abs(b.value) - Math.abs(a.value))
  return { model: MODEL.version, score: combine(contributions), contributions }
}

/** The score that these contributions make. The same list gives the same score, in any order. */
export function combine(contributions: readonly Contribution[]): number {
  const sums = new Map<Family, number>()
  for (const { id, value } of contributions) {
    const rule = ruleById(id)
    sums.set(rule.family, (sums.get(rule.family) ?? 0) + value)
  }
  let logOdds = MODEL.base
  for (const [family, sum] of sums) {
    const [least, most] = MODEL.bounds[family]
    logOdds += Math.min(most, Math.max(least, sum))
  }
  return hundredths(1 / (1 + Math.exp(-logOdds)))
}

/** A contribution in words, for the decision log. */
export function explain({ id, value }: Contribution): { name: string; family: Family; reason: Reason; value: number } {
  const { name, family, reason } = ruleById(id)
  return { name, family, reason, value }
}

const BY_ID: ReadonlyMap<number, ScoreRule> = new Map(RULES.map((rule) => [rule.id, rule]))

function ruleById(id: number): ScoreRule {
  const rule = BY_ID.get(id)
  if (!rule) throw new RangeError(`no rule has the number ${id} in model ${MODEL.version}`)
  return rule
}

const strength = (fired: number | boolean): number => Math.min(1, Math.max(0, Number(fired)))
const hundredths = (x: number): number => Math.round(x * 100) / 100
