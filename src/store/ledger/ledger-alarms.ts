import { RESERVED_FROM, TIGHT_FROM } from '../../domain/fullness.ts'
import type { Log } from '../../domain/observing.ts'

/** Seconds by which clocks may differ: the tolerance of tokens. */
const TOLERANCE = 5

/** Logs once what an operator must fix, and again when it has begun again. */
export function ledgerAlarms(log: Log) {
  const sayTight = atStart(log)
  const sayOff = atStart(log)
  let complaint: string | undefined
  return {
    /** @param fullness of the fullest partition, 0 to 1. */
    watchRoom(fullness: number): void {
      sayTight(fullness >= TIGHT_FROM, 'the ledger has little room left', {
        detail: `${Math.round(fullness * 100)} % of Redis' maxmemory is in use; above ${TIGHT_FROM * 100} % a whole network has the limit of one address, above ${RESERVED_FROM * 100} % no challenge is issued`,
        hint: 'raise maxmemory, or find out what fills it: docs/operate/operations.md, "Redis is down"',
      })
    },
    /** @param ahead seconds by which this machine's clock is ahead of that of Redis. */
    watchClock(ahead: number): void {
      sayOff(Math.abs(ahead) > TOLERANCE, 'the clock of this machine is not that of Redis', {
        detail: `${Math.round(Math.abs(ahead))} s ${ahead > 0 ? 'ahead' : 'behind'}: visitors are refused, and all of them if it is behind by more than a token's lifetime`,
        hint: 'run NTP on both machines',
      })
    },
    /** Logs why the ledger cannot be used, unless that is what was logged last. */
    complain(code: string, detail: string): void {
      if (detail === complaint) return
      complaint = detail
      log.error('the ledger cannot be used', { code, detail })
    },
    /** Notes that the ledger can be used. */
    recovered(): void {
      complaint = undefined
    },
  }
}

/** Logs a state once each time it begins. */
function atStart(log: Log) {
  let was = false
  return (is: boolean, ...line: Parameters<Log['error']>): void => {
    if (is && !was) log.error(...line)
    was = is
  }
}
