import type { FaultCode } from '../domain/codes.ts'
import type { Readiness } from '../domain/observing.ts'
import type { Ledger } from '../domain/ports.ts'
import type { Seconds } from '../domain/words.ts'

/** Milliseconds back in time in which questions count. */
const MEMORY_MS = 10_000
/** Requests closer together than this are one poll. */
const APART_MS = 200

export interface DrainingReadiness extends Readiness {
  /** Reports from now on that the service is going, so that a load balancer sends no new visitors. */
  drain(): void
  /** Whether readiness is polled, as load balancers do; only then is there anything to wait for. */
  watched(): boolean
}

/**
 * Ready while a generation of the ledger is known and fresh, and new tokens do not arrive there expired. It waits for nothing.
 *
 * @param shortestLife of a challenge or token of any site. Only a clock that is behind Redis' counts: one that is ahead
 *   refuses no visitor if all are, as when Redis' own is behind.
 * @param elapsed milliseconds of a clock that never jumps.
 */
export function readiness(
  ledger: Pick<Ledger, 'fault' | 'clockAhead'>,
  shortestLife: () => Seconds,
  elapsed = () => performance.now(),
): DrainingReadiness {
  let draining = false
  /** The times of the polls, at most one per `APART_MS`. */
  let times: readonly number[] = []

  const recent = () => times.filter((at) => at > elapsed() - MEMORY_MS)

  return {
    drain() {
      draining = true
    },
    watched: () => recent().length > 1,
    fault(): FaultCode | undefined {
      if (elapsed() - (times.at(-1) ?? -Infinity) >= APART_MS) times = [...recent(), elapsed()]
      const expires = -ledger.clockAhead() > shortestLife() / 2
      return draining || expires ? 'database-unavailable' : ledger.fault()?.code
    },
  }
}
