import { Fault } from '../domain/codes.ts'
import type { Log } from '../ports/observing.ts'
import type { Limiter } from '../ports/stores.ts'

/** Milliseconds between two questions. */
const EVERY_MS = 500
/** A limiter that could not be asked for so long is unavailable; a single answer that was lost is not an outage. */
const PATIENCE_MS = 1500
/** Whose points are taken: no sitekey is called so. */
const NOBODY = 'watch'

export interface WatchedLimiter extends Limiter {
  /** Why it cannot be asked; undefined: it can. Says what is known already, so it never waits. */
  fault(): Fault | undefined
}

/**
 * Asks the limiter now and then. Without it, health would say "ok" while nobody is let through: of a Redis user, say,
 * that may do all that the ledger needs, and nothing of what the limiter does.
 *
 * @param elapsed milliseconds of a clock that never jumps.
 */
export function watchLimiter(limiter: Limiter, log: Log, elapsed = () => performance.now()): WatchedLimiter {
  let askedInVainSince: number | undefined
  let fault: Fault | undefined

  async function look(): Promise<void> {
    const askedAt = elapsed()
    const outcome = await limiter.take('siteverify', NOBODY).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    // Used up is an answer too; and a ledger that cannot be reached says so itself.
    if (!(outcome instanceof Fault) || outcome.code !== 'rate-limiter-unavailable') {
      askedInVainSince = fault = undefined
      return
    }
    askedInVainSince ??= askedAt
    if (fault !== undefined || elapsed() - askedInVainSince < PATIENCE_MS) return
    fault = outcome
    log.error('unavailable', { code: outcome.code, cause: outcome.cause })
  }

  const timer = setInterval(() => void look(), EVERY_MS)
  timer.unref()
  return {
    take: (operation, who) => limiter.take(operation, who),
    charge: (who, visits) => limiter.charge(who, visits),
    giveBack: (operation, who) => limiter.giveBack(operation, who),
    fault: () => fault,
    close() {
      clearInterval(timer)
      return limiter.close()
    },
  }
}
