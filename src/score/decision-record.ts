import type { NetworkFacts } from '../domain/network.ts'
import {
  BY_ID,
  carriedFrom,
  type Decision,
  type Fired,
  reasonsOf,
  type ScoredVisit,
} from './score.ts'
import type { Family, Weights } from '../domain/weights.ts'
import type { Reason } from './rules.ts'
import type { RuleEffect, VisitRule } from '../domain/site-rules/visit-rules.ts'

/** A rule of the score in the log: by its name, so that people can read it. */
export interface RecordedContribution {
  readonly name: string
  readonly family: Family
  readonly reason: Reason
  /** How strongly it fired, 0 to 1, so that other weights can be tried. */
  readonly strength: number
  readonly value: number
  /** Maximum log-odds of the score, if any. */
  readonly cap?: number
}

/**
 * A decision in the log: enough to compute the score again, also with other weights, thresholds and rules. It contains no
 * address, token or User-Agent.
 */
export interface DecisionRecord {
  readonly model: number
  /** Hash of the operator's changes to the model, if any. */
  readonly weights?: string
  readonly base: number
  readonly score: number
  /** The site's threshold at that time. */
  readonly threshold: number
  /** Units of work done. */
  readonly units: number
  /** Every rule that fired, including those with weight 0. */
  readonly contributions: readonly RecordedContribution[]
  /** The clipped sum of each family that exceeded its bounds. */
  readonly clipped?: Readonly<Partial<Record<Family, number>>>
  /** The site's rule that matched. */
  readonly rule?: { readonly name: string; readonly id: string } & RuleEffect
  /** Facts of local files about the address. */
  readonly network?: {
    readonly asn?: number
    readonly country?: string
    readonly lists?: readonly string[]
  }
  readonly reasons: readonly Reason[]
  /** For the second visit of a step-up: the score of the first, and the names of the rules that were carried over. */
  readonly step_up?: { readonly first: number; readonly carried: readonly string[] }
}

/** Formats log-odds for people, with a sign: `+0.70`, `−1.90`. */
export const formatLogOdds = (value: number): string =>
  `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(2)}`

interface Circumstances {
  readonly weights: Weights
  readonly threshold: number
  readonly units: number
  readonly network: NetworkFacts
  /** The rule that matched, whether or not it changed the score. */
  readonly rule: VisitRule | undefined
  /** The decision about the first visit, if this is the second of a step-up. */
  readonly first?: Pick<Decision, 'score' | 'contributions'> | undefined
}

/** Returns a decision as it is logged. */
export function recordOf(
  visit: ScoredVisit,
  { weights, threshold, units, network, rule, first }: Circumstances,
): DecisionRecord {
  const clipped = visit.sum.families
    .filter(({ sum, net }) => sum !== net)
    .map(({ family, net }) => [family, net])
  return {
    model: visit.model,
    ...(visit.weights !== '' && { weights: visit.weights }),
    base: weights.base,
    score: visit.score,
    threshold,
    units,
    contributions: visit.fired.map(inWords),
    ...(clipped.length > 0 && {
      clipped: Object.fromEntries(clipped) as Partial<Record<Family, number>>,
    }),
    ...(rule && { rule: { name: rule.name, id: rule.id, ...rule.effect } }),
    network: {
      ...(network.asn !== undefined && { asn: network.asn }),
      ...(network.country !== undefined && { country: network.country }),
      ...(network.lists.length > 0 && { lists: network.lists.map(({ name }) => name) }),
    },
    reasons: reasonsOf(visit),
    ...(first && {
      step_up: {
        first: first.score,
        carried: carriedFrom(first).map(({ id }) => BY_ID.get(id)!.name),
      },
    }),
  }
}

function inWords({ id, strength, value }: Fired): RecordedContribution {
  const { name, family, reason, cap } = BY_ID.get(id)!
  return { name, family, reason, strength, value, ...(cap !== undefined && value !== 0 && { cap }) }
}
