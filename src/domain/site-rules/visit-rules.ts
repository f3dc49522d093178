/**
 * A site's rules: which visits are allowed, denied, scored differently or asked for more work. The first that matches counts, in
 * the order of the file, and the decision names it. They are decisions of the operator, not evidence; the rules of the score
 * are in src/score/rules.ts.
 */
import { createHash } from 'node:crypto'
import {
  type Condition,
  conditionsOf,
  type DescribedVisit,
  type VisitConditions,
} from './visit-conditions.ts'
import type { UnixSeconds } from '../words.ts'

/**
 * The effect of a rule. `allow` and `deny` set the score to 1 and 0; a denied visitor is refused at any threshold. `adjust` adds
 * to the log-odds, outside the families and their bounds, and sets the level of the work.
 */
export type RuleEffect =
  | { readonly kind: 'allow' | 'deny' }
  | {
      readonly kind: 'adjust'
      /** Log-odds, −8 to 8. */
      readonly score: number
      /** Level of the challenge, 0 to 8; undefined: unchanged. */
      readonly work: number | undefined
    }

export interface VisitRule {
  /** 1 to 40 characters; unique in the site. */
  readonly name: string
  /** A hash of its conditions, 8 hexadecimal digits, to distinguish it from a later rule of the same name. */
  readonly id: string
  readonly effect: RuleEffect
  /** From this time it is ignored; undefined: no end. */
  readonly until: UnixSeconds | undefined
  /** Whether it counts for some actions alone; the visitor names the action. */
  readonly isOfActions: boolean
  /** All must be true. */
  readonly conditions: readonly Condition[]
}

interface Written {
  readonly name: string
  readonly when: VisitConditions
  readonly effect: RuleEffect
  readonly until: UnixSeconds | undefined
}

/** Prepares a rule, when the configuration is read. */
export function visitRule({ name, when, effect, until }: Written): VisitRule {
  const id = createHash('sha256').update(JSON.stringify(when)).digest('hex').slice(0, 8)
  const isOfActions = when.action !== undefined
  return { name, id, effect, until, isOfActions, conditions: conditionsOf(when) }
}

/** Returns the first rule that matches; unknown facts do not match. */
export function ruleMet(rules: readonly VisitRule[], visit: DescribedVisit): VisitRule | undefined {
  return rules.find(
    (rule) => !hasEnded(rule, visit) && rule.conditions.every(({ holds }) => holds(visit) === true),
  )
}

/** The result of one rule for a visit. */
export interface RuleTrace {
  readonly rule: VisitRule
  /** `unknown`: it depends on an unknown fact. `not-asked`: an earlier rule matched. */
  readonly outcome: 'met' | 'not-met' | 'unknown' | 'ended' | 'not-asked'
  /** The first condition that is false or unknown. */
  readonly because: string | undefined
}

/** Returns the result of every rule, in order. */
export function traceRules(
  rules: readonly VisitRule[],
  visit: DescribedVisit,
): readonly RuleTrace[] {
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
const hasEnded = ({ until }: VisitRule, { at }: DescribedVisit): boolean =>
  until !== undefined && !(at < until)
