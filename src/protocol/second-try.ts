import type { Decision } from '../domain/score/score.ts'
import { couldPass } from '../domain/score/step-up.ts'
import type { Site } from '../domain/site.ts'
import type { VisitRule } from '../domain/site-rules/visit-rules.ts'

/** Tells whether a decision lets the visit pass at its site. */
export const passes = ({ scoreThreshold }: Site, { score, rule }: Decision): boolean =>
  rule?.effect.kind !== 'deny' && score >= scoreThreshold

/** Tells whether the widget is to ask for a second try: the score is too low, and more evidence could help. */
export const isToStepUp = (site: Site, decision: Decision): boolean =>
  site.stepUp === 'managed' && !passes(site, decision) && couldPass(decision, site.weights, site.scoreThreshold)

/**
 * Returns the rule that counts in a second visit: the one that is met now, or that of the first visit where that one was
 * harsher and is still in the file. A denied visitor cannot step around it with another browser or network.
 */
export function harsher({ rules }: Site, current: VisitRule | undefined, first: Decision): VisitRule | undefined {
  const before = rules.find(({ id }) => id === first.rule?.id)
  return before && weightOf(before) < Math.min(0, weightOf(current)) ? before : current
}

/** The part of a score that a rule adds, in log-odds. */
function weightOf(rule: VisitRule | undefined): number {
  if (rule?.effect.kind === 'deny') return -Infinity
  if (rule?.effect.kind === 'allow') return Infinity
  return rule?.effect.kind === 'adjust' ? rule.effect.score : 0
}
