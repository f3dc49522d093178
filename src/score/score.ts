import type { Family, Weights } from '../domain/weights.ts'
import { type Group, MODEL, type Reason, RULES, type ScoreRule } from './rules.ts'
import type { RuleEffect, VisitRule } from '../domain/site-rules/visit-rules.ts'
import type { VisitFacts } from './visit-facts.ts'
import { RELEASED } from './weight-changes.ts'

/** One rule's contribution to a score, in log-odds rounded to hundredths. */
export interface Contribution {
  /** The rule's number. */
  readonly id: number
  readonly value: number
}

/** A score and everything needed to compute it again, with the weights of its hash. */
export interface Decision {
  /** Version of the model. */
  readonly model: number
  /** Hash of the operator's changes to the model; empty if none. */
  readonly weights: string
  /** 0 to 1, two decimals; higher is more likely human. */
  readonly score: number
  /** Only the rules that counted, largest first. */
  readonly contributions: readonly Contribution[]
  /** The site's rule that matched and changed the score. */
  readonly rule: Pick<VisitRule, 'id' | 'effect'> | undefined
  /** True for the second visit of a step-up. */
  readonly stepped?: true
}

/** A rule that fired, even if its weight is 0: other weights may count it. */
export interface Fired extends Contribution {
  /** 0 to 1, hundredths. */
  readonly strength: number
}

/** A decision with the details that only the log gets. */
export interface ScoredVisit extends Decision {
  readonly fired: readonly Fired[]
  readonly sum: Sum
}

/**
 * Log-odds up to which a step-up may raise a visit: a score of 0.65.
 *
 * @see docs/design/risk.md, "Step-up"
 */
export const STEP_LIFTS_TO = 0.6

/** At or below these log-odds of a driver's evidence a step adds nothing. */
const DRIVEN = -1.5

/**
 * Below these log-odds of two groups a step adds nothing either: the most that two tools of one person cost, a password manager that
 * fills in (−1.4) and voice control (−1.2).
 */
const TWO_TOOLS = -2.6

/** Log-odds from which on a group agrees with another: two presses in the middle. Less is chance. */
const AGREES = -0.8

/** The rules of this model by number. */
export const BY_ID: ReadonlyMap<number, ScoreRule> = new Map(RULES.map((rule) => [rule.id, rule]))
const isOfStep = ({ id }: Contribution): boolean => BY_ID.get(id)!.family === 'step'

/**
 * Scores a visit: a base, plus what each rule contributes, each family clipped to its bounds, all in log-odds.
 *
 * @param rule of the site that matches the visit.
 * @param first the decision about the first visit, if this is the second of a step-up: its evidence of a driver is carried
 *   over.
 * @see docs/design/scoring.md, "The score"
 */
export function scoreVisit(
  facts: VisitFacts,
  weights: Weights = RELEASED,
  rule?: VisitRule,
  first?: Pick<Decision, 'contributions'>,
): ScoredVisit {
  const all = [...firedBy(facts, weights, first).values()]
  const counted = isDriven(all, weights) ? all.filter((each) => !isOfStep(each)) : all
  const fired = boundGroups(
    counted.sort((a, b) => Math.abs(b.value) - Math.abs(a.value) || a.value - b.value),
  )
  const contributions = fired
    .filter(({ value }) => value !== 0)
    .map(({ id, value }) => ({ id, value }))
  const effect = rule && touchesScore(rule) ? rule.effect : undefined
  const sum = combine(contributions, weights, effect)
  return {
    model: MODEL.version,
    weights: weights.hash,
    score: sum.score,
    contributions,
    rule: rule && effect && { id: rule.id, effect },
    ...(first && { stepped: true as const }),
    fired,
    sum,
  }
}

/** Returns the rules that fire for these facts, and those whose evidence the first visit of a step-up hands on. */
function firedBy(
  facts: VisitFacts,
  weights: Weights,
  first: Pick<Decision, 'contributions'> | undefined,
): ReadonlyMap<number, Fired> {
  const fired = new Map<number, Fired>()
  for (const { id, when } of RULES) {
    const strength = roundToHundredths(Math.min(1, Math.max(0, Number(when(facts)))))
    const value = roundToHundredths(weights.byRule.get(id)! * strength)
    if (strength !== 0) fired.set(id, { id, strength, value })
  }
  for (const { id, value } of first ? carriedFrom(first) : []) {
    const weight = weights.byRule.get(id)!
    const strength = weight === 0 ? 1 : roundToHundredths(value / weight)
    // If a rule fired in both visits, the worse value counts.
    if (value < (fired.get(id)?.value ?? 0)) fired.set(id, { id, value, strength })
  }
  return fired
}

/** Keeps only the strongest rule of each group, which is the first in the sorted list. */
function boundGroups(fired: readonly Fired[]): Fired[] {
  const charged = new Set<Group>()
  return fired.map((each) => {
    const { group } = BY_ID.get(each.id)!
    if (group === undefined || each.value >= 0) return each
    const value = charged.has(group) ? 0 : each.value
    charged.add(group)
    return { ...each, value }
  })
}

const touchesScore = ({ effect }: VisitRule): boolean =>
  effect.kind !== 'adjust' || effect.score !== 0

/**
 * Reports whether there is so much evidence of a driver that a step adds nothing: a step makes up only for missing evidence. A
 * tool of a person makes rules of one group fire, so a group counts only beside another, and only beyond what two tools cost.
 *
 * @see docs/design/risk.md, "Step-up"
 */
export function isDriven(contributions: readonly Contribution[], { bounds }: Weights): boolean {
  const carried = carriedFrom({ contributions })
  const ungrouped = carried.filter(({ id }) => BY_ID.get(id)!.group === undefined)
  const agreeing = strongestOfGroups(carried).filter(({ value }) => value <= AGREES)
  return (
    boundedSum(ungrouped, bounds) <= DRIVEN ||
    (agreeing.length > 1 && boundedSum(agreeing, bounds) < TWO_TOOLS)
  )
}

function strongestOfGroups(contributions: readonly Contribution[]): Contribution[] {
  const strongest = new Map<Group, Contribution>()
  for (const each of contributions) {
    const { group } = BY_ID.get(each.id)!
    if (group !== undefined && each.value < (strongest.get(group)?.value ?? 0))
      strongest.set(group, each)
  }
  return [...strongest.values()]
}

/** Sums evidence against a visit, of each family no more than its bound. */
function boundedSum(contributions: readonly Contribution[], bounds: Weights['bounds']): number {
  const sums = new Map<Family, number>()
  for (const { id, value } of contributions) {
    const { family } = BY_ID.get(id)!
    sums.set(family, Math.max(bounds[family][0], (sums.get(family) ?? 0) + value))
  }
  return roundToHundredths([...sums.values()].reduce((so, sum) => so + sum, 0))
}

/**
 * Returns the contributions that a second visit inherits: evidence of a driver stays, whatever comes later. Evidence that was
 * merely missing (no input, a sparse page), the network and the work are judged again.
 *
 * @see docs/design/risk.md, "Step-up"
 */
export const carriedFrom = ({
  contributions,
}: Pick<Decision, 'contributions'>): readonly Contribution[] =>
  contributions.filter(({ id, value }) => value < 0 && BY_ID.get(id)?.reason === 'automation')

/**
 * Returns why a score is not higher: the reasons of the rules that count against the visitor, strongest first; `behaviour` if
 * there are none and the score is below a half, since then nothing indicates a person.
 *
 * A site's rule gives no reason: it is the operator's decision, and the log names it.
 */
export function reasonsOf({
  contributions,
  score,
  rule,
}: Pick<Decision, 'contributions' | 'score' | 'rule'>): Reason[] {
  const against = new Map<Reason, number>()
  for (const { id, value } of contributions) {
    const reason = BY_ID.get(id)?.reason
    if (value < 0 && reason !== undefined) against.set(reason, (against.get(reason) ?? 0) + value)
  }
  if (against.size === 0 && score < 0.5 && rule === undefined) return ['behaviour']
  return [...against].sort(([, a], [, b]) => a - b).map(([reason]) => reason)
}

export interface Sum {
  readonly families: readonly {
    readonly family: Family
    /** The sum of its contributions. */
    readonly sum: number
    /** The sum, clipped to the bounds of the family. */
    readonly net: number
  }[]
  /** The sum of base, families and rule, after the cap. */
  readonly logOdds: number
  /** 0 to 1, two decimals. */
  readonly score: number
}

/**
 * Computes a score: `1 / (1 + e^−x)`, where x is the base plus each family's sum clipped to its bounds, limited by the lowest cap,
 * plus what the site's rule adds. Adds integers (hundredths), so that the order of the parts never matters, here or in any other
 * program.
 *
 * @param contributions of the rules that count.
 * @param effect of the site's rule that matched: `allow` gives 1 and `deny` gives 0.
 * @see docs/design/scoring.md, "The score"
 */
export function combine(
  contributions: readonly Contribution[],
  { base, bounds }: Weights = RELEASED,
  effect?: RuleEffect,
): Sum {
  const sums = new Map<Family, number>()
  const caps: number[] = []
  for (const { id, value } of contributions) {
    const { family, cap = Infinity } = BY_ID.get(id)!
    sums.set(family, (sums.get(family) ?? 0) + inHundredths(value))
    caps.push(inHundredths(cap))
  }
  const netOf = (family: Family, sum: number): number => {
    const [least, most] = bounds[family]
    return Math.min(inHundredths(most), Math.max(inHundredths(least), sum))
  }
  const others = [...sums].filter(([family]) => family !== 'step')
  const without = others.reduce((so, [family, sum]) => so + netOf(family, sum), inHundredths(base))
  const room = Math.max(0, inHundredths(STEP_LIFTS_TO) - without)
  const families = [...sums].map(([family, sum]) => {
    const share = netOf(family, sum)
    return {
      family,
      sum: sum / 100,
      net: (family === 'step' ? Math.min(share, room) : share) / 100,
    }
  })
  const total = families.reduce((so, each) => so + inHundredths(each.net), inHundredths(base))
  const logOdds =
    (Math.min(total, ...caps) + (effect?.kind === 'adjust' ? inHundredths(effect.score) : 0)) / 100
  return { families, logOdds, score: scoreOf(logOdds, effect) }
}

/** Returns the score of these log-odds, or the one that a rule sets. */
export function scoreOf(logOdds: number, effect?: RuleEffect): number {
  if (effect?.kind === 'allow') return 1
  if (effect?.kind === 'deny') return 0
  return roundToHundredths(1 / (1 + Math.exp(-logOdds)))
}

/** Returns a number as an integer of hundredths, which adds up in any order to the same sum. */
const inHundredths = (value: number): number => Math.round(value * 100)
/** Rounds to two decimals. */
export const roundToHundredths = (x: number): number => Math.round(x * 100) / 100
