/** The decision of another policy about a visit that the log remembers. */
import type { DecisionRecord } from './decision-record.ts'
import { RULES } from './score-model.ts'
import { couldPass } from './step-up.ts'
import type { Site } from '../site.ts'
import { addUp, hundredths } from './sum.ts'
import type { DescribedVisit } from '../site-rules/visit-conditions.ts'
import { traceRules, type VisitRule } from '../site-rules/visit-rules.ts'

export type Policy = Pick<Site, 'weights' | 'scoreThreshold' | 'rules' | 'stepUp'>

export interface Rescored {
  /** 0 to 1. */
  readonly score: number
  readonly passes: boolean
  /** True if the visitor gets a second try. */
  readonly stepsUp: boolean
  /** The rule that is met. */
  readonly rule: VisitRule | undefined
  /** A rule that might have been met too, if the log knew more (agent strings and full addresses it does not). */
  readonly undecided: VisitRule | undefined
}

/** As it was decided. */
export function decided({ score, threshold, rule }: DecisionRecord): Pick<Rescored, 'score' | 'passes'> {
  return { score, passes: rule?.kind !== 'deny' && score >= threshold }
}

/**
 * As another policy decides it: its weights on the strengths that were recorded, its rules, its threshold. A rule of
 * the score that this release no longer knows keeps its value.
 *
 * @param visit what the log says of it; the agent string is never known.
 * @param before the rules that were in force when it was decided, where they are known: what they did not meet then is
 *   known not to hold.
 */
export function rescore(
  record: DecisionRecord,
  { weights, scoreThreshold, rules, stepUp }: Policy,
  visit: DescribedVisit,
  before: readonly VisitRule[] = [],
): Rescored {
  const charges = record.contributions.map(({ name, family, strength, value, cap }) => {
    const rule = BY_NAME.get(name)
    if (!rule) return { family, value, cap }
    return { family: rule.family, value: hundredths(weights.of.get(rule.id)! * strength), cap: rule.cap }
  })
  const { rule, undecided } = meet(rules, visit, record.rule?.id, missed(record, visit, before))
  const { score } = addUp(weights.base, charges, weights.bounds, rule?.effect)
  const passes = rule?.effect.kind !== 'deny' && score >= scoreThreshold
  const contributions = record.contributions.flatMap(({ name, strength }) => {
    const id = BY_NAME.get(name)?.id
    return id === undefined ? [] : [{ id, value: hundredths(weights.of.get(id)! * strength) }]
  })
  const isFirst = !passes && record.step_up === undefined
  const couldHelp = stepUp === 'ticket' || couldPass({ contributions, rule }, weights, scoreThreshold)
  return { score, passes, stepsUp: isFirst && stepUp !== 'off' && couldHelp, rule, undecided }
}

const BY_NAME = new Map(RULES.map((rule) => [rule.name, rule]))

function meet(
  rules: readonly VisitRule[],
  visit: DescribedVisit,
  ruleId: string | undefined,
  unmet: ReadonlySet<string>,
): Pick<Rescored, 'rule' | 'undecided'> {
  let undecided: VisitRule | undefined
  for (const rule of rules) {
    // Alone, so that the ones above do not hide it.
    const [trace] = traceRules([rule], visit)
    if (trace!.outcome === 'met') return { rule, undecided }
    if (trace!.outcome !== 'unknown' || unmet.has(rule.id)) continue
    if (rule.id === ruleId) return { rule, undecided }
    undecided ??= rule
  }
  return { rule: undefined, undecided }
}

/** The ids of the rules that were asked before the one that was met, or of all where none was. */
function missed(record: DecisionRecord, visit: DescribedVisit, before: readonly VisitRule[]): ReadonlySet<string> {
  const at = before.findIndex(({ id }) => id === record.rule?.id)
  const rules = record.rule === undefined ? before : before.slice(0, Math.max(0, at))
  return new Set(rules.filter(({ until }) => until === undefined || visit.at < until).map(({ id }) => id))
}
