import type { FaultCode } from '../domain/codes.ts'
import type { Ledger, Readiness } from '../ports.ts'

export interface DrainingReadiness extends Readiness {
  /** From now on the service says that it is going, so that a load balancer sends nobody new. */
  drain(): void
}

/** Ready while a generation of the ledger is known and fresh; asks nobody, so it can never hang. */
export function readiness(ledger: Pick<Ledger, 'fault'>): DrainingReadiness {
  let draining = false
  return {
    drain: () => {
      draining = true
    },
    fault(): FaultCode | undefined {
      return draining ? 'database-unavailable' : ledger.fault()?.code
    },
  }
}
