import { Fault } from '../domain/codes.ts'
import type { Ledger, Limiter } from '../ports/stores.ts'

/** Milliseconds that the limiter may take before we begin to suspect what is behind it. */
const SUSPICION_MS = 200

/**
 * Names the root cause: when the limiter cannot be asked, the ledger is; if that is unreachable too, its fault is
 * the one to tell, because the limiter only happened to be asked first. docs/design/threats.md, "When Redis is down".
 *
 * The ledger is asked as soon as the limiter is slow, so that a hung Redis costs 500 ms and not the sum: at worst 350
 * for the limiter, or 200 and 300 for the probe. A refused connection answers at once.
 */
export function blameLedgerFirst(limiter: Limiter, ledger: Pick<Ledger, 'probe'>): Limiter {
  const probe = (): Promise<unknown> =>
    ledger.probe().then(
      () => undefined,
      (fault: unknown) => fault,
    )

  return {
    async take(operation, who) {
      let probed: Promise<unknown> | undefined
      const suspicion = setTimeout(() => {
        probed = probe()
      }, SUSPICION_MS)
      try {
        return await limiter.take(operation, who)
      } catch (thrown) {
        if (!(thrown instanceof Fault) || thrown.code !== 'rate-limiter-unavailable') throw thrown
        throw (await (probed ?? probe())) ?? thrown
      } finally {
        clearTimeout(suspicion)
      }
    },
    charge: (who, visits) => limiter.charge(who, visits),
    giveBack: (operation, who) => limiter.giveBack(operation, who),
    close: () => limiter.close(),
  }
}
