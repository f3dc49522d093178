import { Fault, type FaultCode } from '../domain/codes.ts'
import type { Ledger, Readiness } from '../ports.ts'

export interface DrainingReadiness extends Readiness {
  /** From now on the service says that it is going, so that a load balancer sends nobody new. */
  drain(): void
}

/** Ready while the ledger's generation is known and fresh; asks nobody, so it can never hang. */
export function readiness(ledger: Ledger): DrainingReadiness {
  let draining = false
  return {
    drain: () => {
      draining = true
    },
    fault(): FaultCode | undefined {
      if (draining) return 'database-unavailable'
      try {
        ledger.generation()
        return undefined
      } catch (error) {
        return error instanceof Fault ? error.code : 'internal-error'
      }
    },
  }
}
