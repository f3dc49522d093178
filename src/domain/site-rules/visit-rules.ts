/**
 * A site's own rules: who is let in, kept out, weighed otherwise or asked for more work. The first that a visit meets
 * counts, in the order of the file, and is named in the decision. They are the operator's word, not evidence; the
 * rules of the score are in src/score/rules.ts.
 */
import { createHash } from 'node:crypto'
import { type Condition, conditionsOf, type DescribedVisit, type VisitConditions } from './visit-conditions.ts'
import type { UnixSeconds } from '../words.ts'

/**
 * The effect of a rule. `allow` and `deny` decide the score, 1 and 0; a denied visitor is refused at any threshold.
 * `adjust` adds to the log-odds, beside the families and their bounds, and sets the level of the work.
 */
export type RuleEffect =
  | { readonly kind: 'allow' | 'deny' }
  | {
      readonly kind: 'adjust'
      /** Log-odds, −8 to 8. */
      readonly score: number
      /** Level of the challenge, 0 to 8; undefined: as without the rule. */
      readonly work: number | undefined
    }

export interface VisitRule {
  /** 1 to 40 characters; no other rule of the site has it. */
  readonly name: string
  /** A hash of its conditions, as 8 hexadecimal digits: tells it from a later rule of the same name. */
  readonly id: string
  readonly effect: RuleEffect
  /** From this moment on it is passed over; undefined: no end. */
  readonly until: UnixSeconds | undefined
  /** All must hold. */
  readonly conditions: readonly Condition[]
}

interface Written {
  readonly name: string
  readonly when: VisitConditions
  readonly effect: RuleEffect
  readonly until: UnixSeconds | undefined
}

/** Prepares a rule; once, when the configuration is read. */
export function visitRule({ name, when, effect, until }: Written): VisitRule {
  const id = createHash('sha256').update(JSON.stringify(when)).digest('hex').slice(0, 8)
  return { name, id, effect, until, conditions: conditionsOf(when) }
}

/** The rule that a visit meets; what cannot be told is not met. */
export function ruleMet(rules: readonly VisitRule[], visit: DescribedVisit): VisitRule | undefined {
  return rules.find((rule) => !hasEnded(rule, visit) && rule.conditions.every(({ holds }) => holds(visit) === true))
}

/** One rule as a visit came by it. */
export interface RuleTrace {
  readonly rule: VisitRule
  /** `unknown`: it depends on something that cannot be told. `not-asked`: an earlier one was met. */
  readonly outcome: 'met' | 'not-met' | 'unknown' | 'ended' | 'not-asked'
  /** The first condition that does not hold, or cannot be told. */
  readonly because: string | undefined
}

/** Every rule in turn, with why it is not met. */
export function traceRules(rules: readonly VisitRule[], visit: DescribedVisit): readonly RuleTrace[] {
  let isMet = false
  return rules.map((rule) => {
    if (isMet) return { rule, outcome: 'not-asked', because: undefined }
    if (hasEnded(rule, visit)) return { rule, outcome: 'ended', because: undefined }
    const missed = rule.conditions.find(({ holds }) => holds(visit) === false)
    if (missed) return { rule, outcome: 'not-met', because: missed.says }
    const unknown = rule.conditions.find(({ holds }) => holds(visit) === undefined)
    if (unknown) return { rule, outcome: 'unknown', because: unknown.says }
    isMet = true
    return { rule, outcome: 'met', because: undefined }
  })
}

/** Dead at that second itself, as tokens are. */
const hasEnded = ({ until }: VisitRule, { at }: DescribedVisit): boolean => until !== undefined && !(at < until)
