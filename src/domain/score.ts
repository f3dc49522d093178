import { type Family, MODEL, RULES, type Reason, type VisitFacts } from './score-model.ts'

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
  /** Only the rules that fired, largest first. */
  readonly contributions: readonly Contribution[]
}

/**
 * Scores a visit: a base, plus what each rule contributes, each family clipped to its bounds,
 * all in log-odds. RISK.md, section 4.
 */
export function scoreVisit(facts: VisitFacts): Decision {
  const contributions = RULES.map((rule) => ({
    id: rule.id,
    value: hundredths(rule.weight * strength(rule.when(facts))),
  }))
    .filter(({ value }) => value !== 0)
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

function ruleById(id: number): (typeof RULES)[number] {
  const rule = RULES.find((r) => r.id === id)
  if (!rule) throw new RangeError(`no rule has the number ${id} in model ${MODEL.version}`)
  return rule
}

const strength = (fired: number | boolean): number => Math.min(1, Math.max(0, Number(fired)))
const hundredths = (x: number): number => Math.round(x * 100) / 100
