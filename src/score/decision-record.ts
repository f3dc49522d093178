import type { NetworkFacts } from '../domain/network.ts'
import { BY_ID, carriedFrom, type Decision, type Fired, reasonsOf, type ScoredVisit } from './score.ts'
import type { Family, Weights } from '../domain/weights.ts'
import type { Reason } from './rules.ts'
import type { RuleEffect, VisitRule } from '../domain/site-rules/visit-rules.ts'

/** A rule of the score as the log names it: by name, because numbers explain nothing. */
export interface RecordedContribution {
  readonly name: string
  readonly family: Family
  readonly reason: Reason
  /** 0 to 1: how strongly it fired, so that other weights can be tried on it. */
  readonly strength: number
  readonly value: number
  /** Maximum log-odds of the score; left out: none. */
  readonly cap?: number
}

/**
 * A decision as the log keeps it: enough to compute the score again, and under other weights, thresholds and rules.
 * No address, no token, no User-Agent.
 */
export interface DecisionRecord {
  readonly model: number
  /** Hash of the operator's changes of the model; left out: none. */
  readonly weights?: string
  readonly base: number
  readonly score: number
  /** The site's, at that moment. */
  readonly threshold: number
  /** Units of work that were asked for and done. */
  readonly units: number
  /** Every rule that fired, the ones that weigh nothing included. */
  readonly contributions: readonly RecordedContribution[]
  /** The rest of a family's sum within its bounds, where they cut. */
  readonly clipped?: Readonly<Partial<Record<Family, number>>>
  /** The site's own rule that was met. */
  readonly rule?: { readonly name: string; readonly id: string } & RuleEffect
  /** Facts of local files about the address. */
  readonly network?: { readonly asn?: number; readonly country?: string; readonly lists?: readonly string[] }
  readonly reasons: readonly Reason[]
  /** For the second visit of a step-up: the score of the first one, and the names of the rules that were carried over. */
  readonly step_up?: { readonly first: number; readonly carried: readonly string[] }
}

interface Circumstances {
  readonly weights: Weights
  readonly threshold: number
  readonly units: number
  readonly network: NetworkFacts
  /** The rule that was met, whether or not it touched the score. */
  readonly rule: VisitRule | undefined
  /** The decision about the first visit, where this is the second one of a step-up. */
  readonly first?: Pick<Decision, 'score' | 'contributions'> | undefined
}

/** Writes a decision down for the log. */
export function recordOf(
  visit: ScoredVisit,
  { weights, threshold, units, network, rule, first }: Circumstances,
): DecisionRecord {
  const clipped = visit.sum.families.filter(({ sum, net }) => sum !== net).map(({ family, net }) => [family, net])
  return {
    model: visit.model,
    ...(visit.weights !== '' && { weights: visit.weights }),
    base: weights.base,
    score: visit.score,
    threshold,
    units,
    contributions: visit.fired.map(inWords),
    ...(clipped.length > 0 && { clipped: Object.fromEntries(clipped) as Partial<Record<Family, number>> }),
    ...(rule && { rule: { name: rule.name, id: rule.id, ...rule.effect } }),
    network: {
      ...(network.asn !== undefined && { asn: network.asn }),
      ...(network.country !== undefined && { country: network.country }),
      ...(network.lists.length > 0 && { lists: network.lists.map(({ name }) => name) }),
    },
    reasons: reasonsOf(visit),
    ...(first && { step_up: { first: first.score, carried: carriedFrom(first).map(({ id }) => BY_ID.get(id)!.name) } }),
  }
}

function inWords({ id, strength, value }: Fired): RecordedContribution {
  const { name, family, reason, cap } = BY_ID.get(id)!
  return { name, family, reason, strength, value, ...(cap !== undefined && value !== 0 && { cap }) }
}
