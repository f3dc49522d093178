import type { Distance } from '../domain/address-hash.ts'
import type { Neighbourhood } from '../domain/work-done.ts'
import type { ProofFacts } from '../proof/proof.ts'
import type { RequestFacts, Signals } from './signals.ts'

/** The facts from which a visit is scored. Missing ones add nothing. */
export interface VisitFacts {
  readonly signals: Signals
  readonly request: RequestFacts
  /** Units of work done. */
  readonly units: number
  /** The share of the work that was done, from 1/4 to less than 1; undefined: all of it. */
  readonly part?: number | undefined
  /** True if the work was `pb.1`. */
  readonly fallback?: boolean
  /** The history of address and network, including this visit; undefined if unknown. */
  readonly history?: Neighbourhood | undefined
  /** Where the solution came from, relative to the request for its challenge; undefined if not compared. */
  readonly distance?: Distance | undefined
  readonly proof?: ProofFacts
  /** True if it is the second visit of a step-up and its button was pressed as required. */
  readonly stepped?: boolean | undefined
}
