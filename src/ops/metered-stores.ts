import { Fault } from '../domain/codes.ts'
import type { Meters } from '../domain/ports/observing.ts'
import type { Ledger, Limiter } from '../domain/ports/stores.ts'

type StoreMeter = Pick<Meters, 'storeCall'>

/** The same ledger; what it answers about an entry, and how fast, is counted. */
export function meteredLedger(ledger: Ledger, meters: StoreMeter, elapsed: () => number): Ledger {
  return {
    ...ledger,
    async consume(entry) {
      const started = elapsed()
      try {
        const consumption = await ledger.consume(entry)
        meters.storeCall('ledger', consumption, elapsed() - started)
        return consumption
      } catch (error) {
        meters.storeCall('ledger', 'fault', elapsed() - started)
        throw error
      }
    },
  }
}

/** The same limiter; what it answers, and how fast, is counted. */
export function meteredLimiter(limiter: Limiter, meters: StoreMeter, elapsed: () => number): Limiter {
  return {
    giveBack: (operation, who) => limiter.giveBack(operation, who),
    async take(operation, who, halves) {
      const started = elapsed()
      try {
        await limiter.take(operation, who, halves)
        meters.storeCall('limiter', 'passed', elapsed() - started)
      } catch (error) {
        const limited = error instanceof Fault && error.code === 'rate-limit-exceeded'
        meters.storeCall('limiter', limited ? 'limited' : 'fault', elapsed() - started)
        throw error
      }
    },
  }
}
