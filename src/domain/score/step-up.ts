import { carriedFrom, combine, type Decision, isDriven } from './score.ts'
import { RULES } from './score-model.ts'
import type { Weights } from './weights.ts'

/** Evidence that a step brings: the press of its button, and the step itself. */
const BROUGHT = RULES.filter(({ name }) => name === 'trusted-input' || name === 'stepped-up').map(({ id }) => id)

/**
 * Tells whether a step could lift a visit to the threshold: with everything that is judged anew judged in its favour,
 * and the step confirmed.
 *
 * @param weights of the site.
 * @param threshold 0 to 1.
 */
export function couldPass(
  first: Pick<Decision, 'contributions' | 'rule'>,
  weights: Weights,
  threshold: number,
): boolean {
  if (first.rule?.effect.kind === 'deny' || isDriven(first.contributions, weights)) return false
  const best = new Map(carriedFrom(first).map(({ id, value }) => [id, value]))
  for (const { id, value } of first.contributions) if (value > 0) best.set(id, value)
  for (const id of BROUGHT) best.set(id, weights.of.get(id)!)
  const contributions = [...best].map(([id, value]) => ({ id, value }))
  return combine(contributions, weights, first.rule?.effect).score >= threshold
}
