import type { Distance } from '../domain/address-mark.ts'
import type { Neighbourhood } from '../domain/history.ts'
import type { ProofFacts } from '../proof/proof.ts'
import type { RequestFacts, Signals } from './signals.ts'

/** The facts from which a visit is scored. Facts that were not gathered are left out, and add nothing. */
export interface VisitFacts {
  readonly signals: Signals
  readonly request: RequestFacts
  /** Units of work that were done: all that the challenge asked for, or the part that was handed in. */
  readonly units: number
  /** The share of the work that was handed in, 1/4 to less than 1; left out: all of it. */
  readonly part?: number | undefined
  /** True if the work was `pb.1`. */
  readonly fallback?: boolean
  /** The record of address and network, this visit counted in; left out: nothing is known. */
  readonly history?: Neighbourhood | undefined
  /** Where the solution came from, seen from where its challenge was asked for; left out: not compared. */
  readonly distance?: Distance | undefined
  readonly proof?: ProofFacts
  /** True if it is the second visit of a step-up, and its button was pressed as asked. */
  readonly stepped?: boolean | undefined
}
