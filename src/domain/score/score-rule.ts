import type { Distance } from '../address-mark.ts'
import type { NetworkFacts } from '../network.ts'
import type { HistoryFacts } from '../history.ts'
import type { ProofFacts } from '../proof/proof.ts'
import type { RequestFacts, Signals } from './signals.ts'

/** Work of which a part was handed in. */
export interface WorkPart {
  /** 1/4 to less than 1. */
  readonly done: number
  /** Sooner than its time can have been over. */
  readonly early: boolean
}

/** A visit as the server saw it between its challenge and its solution. */
export interface VisitSeen {
  /** Seconds from the challenge to the solution; our clocks count whole ones, so it may be one less or more. */
  readonly age: number
  /** Where the solution came from, seen from where its challenge was asked for. */
  readonly distance: Distance
  /** True if the challenge was asked for by a browser of the same engine, system and version. */
  readonly sameAgent: boolean
}

/**
 * The facts from which a visit is scored. Facts that were not gathered are left out, and add nothing; a room that gathers more
 * (history, network, browser proof) adds a member here and a table in `rules/`.
 */
export interface VisitFacts {
  readonly signals: Signals
  readonly request: RequestFacts
  /** Units of work that were done: all that the challenge asked for, or the part that was handed in. */
  readonly units: number
  /** Left out: all of the work was done. */
  readonly part?: WorkPart | undefined
  /** True if the work was `pb.1`. */
  readonly fallback?: boolean
  /** Facts of local files about the address; left out: nothing was looked up. */
  readonly network?: NetworkFacts
  /** The record of address, network and site; left out: nothing is known. */
  readonly history?: HistoryFacts | undefined
  /** How much of a hand the visit shows; left out: little. */
  readonly shows?: 'much' | 'little' | undefined
  /** The visit by the server's own clock and eyes; left out: nothing was compared. */
  readonly observation?: VisitSeen | undefined
  /** The outcome of the browser proof. */
  readonly proof?: ProofFacts
  /** The outcome of the step, where this is the second visit of a step-up; left out: it is an ordinary visit. */
  readonly step?: 'confirmed' | 'unconfirmed' | undefined
}

export const SCORE_FAMILIES = [
  'work',
  'automation',
  'environment',
  'input',
  'page',
  'request',
  'history',
  'network',
  'step',
] as const
export type Family = (typeof SCORE_FAMILIES)[number]

/** Why a score is not higher, in the words that customers and metrics get. */
export const REASONS = ['automation', 'environment', 'behaviour', 'velocity', 'network', 'work'] as const
export type Reason = (typeof REASONS)[number]

/** One row of the score: a name, a weight, when it counts, and why we believe it. */
export interface ScoreRule {
  /**
   * 1 to 255, never used again for another rule, so that an old token can still be explained. The tens belong to
   * families: automation 1–9, 60–79 and 180–189 (browser proof); input 10–19, 80–109; page 20–29; environment 30–39, 110–129; request
   * 40–49, 130–149; work 50–59; history 150–169; network 170–179; step-up
   * 190–199.
   */
  readonly id: number
  readonly name: string
  readonly family: Family
  readonly reason: Reason
  /** Log-odds at full strength. */
  readonly weight: number
  /** Log-odds that no score passes in which this rule counts; left out: none. A rule of the site's comes on top. */
  readonly cap?: number
  /** True if voice control and other assistive technology show it, too: a step lifts a visit in spite of it. */
  readonly isAssistive?: true
  /** Reports whether it fired, or how strongly: 0 to 1. */
  readonly when: (facts: VisitFacts) => number | boolean
  readonly evidence: string
}
