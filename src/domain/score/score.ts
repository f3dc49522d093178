import { MODEL, RULES } from './score-model.ts'
import type { Family, Reason, ScoreRule, VisitFacts } from './score-rule.ts'
import { addUp, hundredths, type Sum } from './sum.ts'
import type { VisitRule } from '../site-rules/visit-rules.ts'
import { RELEASED, type Weights } from './weights.ts'

/** One rule's part in a score, in log-odds rounded to hundredths. */
export interface Contribution {
  /** The rule's number; stable across releases, so an old token can still be explained. */
  readonly id: number
  readonly value: number
}

/** A score and everything it was computed from: enough to compute it again, with the weights of its hash. */
export interface Decision {
  /** Version of the model. */
  readonly model: number
  /** Which changes of the model were in force; empty: none. */
  readonly weights: string
  /** 0 to 1, two decimals; higher is more likely human. */
  readonly score: number
  /** Only the rules that counted, largest first; at most `MOST_CONTRIBUTIONS`. */
  readonly contributions: readonly Contribution[]
  /** The site's own rule that was met and touched the score. */
  readonly rule: Pick<VisitRule, 'id' | 'effect'> | undefined
  /** True if it is of the second visit of a step-up; left out: of an ordinary visit. */
  readonly stepped?: true
}

/** A rule that fired, whatever it weighs now: other weights may count it. */
export interface Fired extends Contribution {
  /** 0 to 1, hundredths. */
  readonly strength: number
}

/** A decision as it is made, with what only the log keeps. */
export interface ScoredVisit extends Decision {
  readonly fired: readonly Fired[]
  readonly sum: Sum
}

/**
 * The number for which a token has room (token/sealed.ts). No real visit comes near it; of one that is made up so that more rules
 * fire, the rules that speak for it are left out first.
 */
export const MOST_CONTRIBUTIONS = 37

/**
 * Scores a visit: a base, plus what each rule contributes, each family clipped to its bounds, all in log-odds.
 *
 * @param rule of the site, that the visit meets.
 * @param first the decision about the first visit, where this is the second one of a step-up: what spoke against that
 *   one is carried over.
 * @see docs/design/risk.md, "The score"
 */
export function scoreVisit(
  facts: VisitFacts,
  weights: Weights = RELEASED,
  rule?: VisitRule,
  first?: Pick<Decision, 'contributions'>,
): ScoredVisit {
  const all: Fired[] = []
  for (const { id, when } of RULES) {
    const fired = strength(when(facts))
    if (fired !== 0) all.push({ id, strength: fired, value: hundredths(weights.of.get(id)! * fired) })
  }
  if (first) carryOver(first, all, weights)
  if (isDriven(all, weights)) drop(STEPPED_UP, all)
  const strongest = all.length > MOST_CONTRIBUTIONS ? all.sort(byValue).slice(0, MOST_CONTRIBUTIONS) : all
  const fired = strongest.sort((a, b) => Math.abs(b.value) - Math.abs(a.value) || byValue(a, b))
  const contributions = fired.filter(({ value }) => value !== 0).map(({ id, value }) => ({ id, value }))
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

/** The least log-odds of a driver's evidence from which on no step lifts a visit. One rule of a person's browser alone is above. */
const DRIVEN = -1.5
const STEPPED_UP = RULES.find(({ name }) => name === 'stepped-up')!.id

/**
 * Tells whether a visit shows so much of a driver that a step is worth nothing: it is for what was merely not shown. Rules
 * that assistive technology fires, too, are left out.
 *
 * @see docs/design/risk.md, "Step-up"
 */
export function isDriven(contributions: readonly Contribution[], { bounds }: Weights): boolean {
  const sums = new Map<Family, number>()
  for (const { id, value } of contributions) {
    const rule = BY_ID.get(id)
    if (value >= 0 || rule?.reason !== 'automation' || rule.isAssistive) continue
    sums.set(rule.family, Math.max(bounds[rule.family][0], (sums.get(rule.family) ?? 0) + value))
  }
  return hundredths([...sums.values()].reduce((so, sum) => so + sum, 0)) <= DRIVEN
}

function drop(id: number, all: Fired[]): void {
  const at = all.findIndex((fired) => fired.id === id)
  if (at !== -1) all.splice(at, 1)
}

/** Adds what spoke against the first visit to what fired in the second; of a rule that fired in both, the worse counts. */
function carryOver(first: Pick<Decision, 'contributions'>, all: Fired[], weights: Weights): void {
  for (const { id, value } of carriedFrom(first)) {
    const weight = weights.of.get(id)!
    const carried = { id, value, strength: weight === 0 ? 1 : hundredths(value / weight) }
    const at = all.findIndex((fired) => fired.id === id)
    if (at === -1) all.push(carried)
    else if (value < all[at]!.value) all[at] = carried
  }
}

const byValue = (a: Contribution, b: Contribution): number => a.value - b.value

const touchesScore = ({ effect }: VisitRule): boolean => effect.kind !== 'adjust' || effect.score !== 0

/** Adds these contributions up. The same list gives the same score, in any order. */
export function combine(contributions: readonly Contribution[], weights = RELEASED, effect?: VisitRule['effect']): Sum {
  const charges = contributions.map(({ id, value }) => {
    const { family, cap } = ruleById(id)
    return { family, value, cap }
  })
  return addUp(weights.base, charges, weights.bounds, effect)
}

/** Reasons that speak against a visit whatever it shows later: no second visit can be better for having had a first one. */
const CARRIED: ReadonlySet<Reason> = new Set(['automation', 'environment'])

/**
 * Returns the contributions that a second visit keeps of the first one. Facts that were merely not shown (no input, a
 * thin page), the network, the velocity and the work are judged anew.
 *
 * @see docs/design/risk.md, "Step-up"
 */
export const carriedFrom = ({ contributions }: Pick<Decision, 'contributions'>): readonly Contribution[] =>
  contributions.filter(({ id, value }) => value < 0 && CARRIED.has(BY_ID.get(id)?.reason as Reason))

export interface Explained {
  readonly name: string
  readonly family: Family
  readonly reason: Reason
  readonly value: number
  /** Log-odds that it holds the score down to; left out: it does not. */
  readonly cap?: number
}

/** A contribution in words. */
export function explain({ id, value }: Contribution): Explained {
  const { name, family, reason, cap } = ruleById(id)
  return { name, family, reason, value, ...(cap !== undefined && value !== 0 && { cap }) }
}

/**
 * Why a score is no higher, from the strongest on: the reasons of what speaks against the visitor. Where nothing does
 * and the score is below a half all the same, the visitor showed nothing that speaks for a person: `behaviour`.
 *
 * A rule of the site gives no reason: it is the operator's word, and the log names it.
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

const BY_ID: ReadonlyMap<number, ScoreRule> = new Map(RULES.map((rule) => [rule.id, rule]))

function ruleById(id: number): ScoreRule {
  const rule = BY_ID.get(id)
  if (!rule) throw new RangeError(`no rule has the number ${id} in model ${MODEL.version}`)
  return rule
}

const strength = (fired: number | boolean): number => hundredths(Math.min(1, Math.max(0, Number(fired))))
