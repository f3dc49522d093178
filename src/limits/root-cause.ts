import { Fault } from '../domain/codes.ts'
import type { Ledger, Limiter } from '../ports.ts'

/**
 * Names the root cause: when the limiter cannot be asked, the ledger is; if that is unreachable too, its fault is
 * the one to tell, because the limiter only happened to be asked first. THREATS.md, section 3, "Redis down".
 *
 * At worst 650 ms: 350 for the limiter, 300 for the probe. A refused connection answers at once.
 */
export function blameLedgerFirst(limiter: Limiter, ledger: Pick<Ledger, 'probe'>): Limiter {
  return {
    async take(operation, who) {
      try {
        await limiter.take(operation, who)
      } catch (thrown) {
        if (thrown instanceof Fault && thrown.code === 'rate-limiter-unavailable') await ledger.probe()
        throw thrown
      }
    },
    close: () => limiter.close(),
  }
}
