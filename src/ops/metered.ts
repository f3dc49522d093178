import { Fault } from '../domain/codes.ts'
import type { Ledger, Limiter, Meters } from '../ports.ts'

type Asked = Pick<Meters, 'asked'>

/** The same ledger; what it answers, and how fast, is counted. */
export function meteredLedger(ledger: Ledger, meters: Asked, elapsed: () => number): Ledger {
  return {
    generation: (jti) => ledger.generation(jti),
    fault: () => ledger.fault(),
    probe: () => ledger.probe(),
    close: () => ledger.close(),
    async consume(entry) {
      const started = elapsed()
      try {
        const consumption = await ledger.consume(entry)
        meters.asked('ledger', consumption, elapsed() - started)
        return consumption
      } catch (error) {
        meters.asked('ledger', 'fault', elapsed() - started)
        throw error
      }
    },
  }
}

/** The same limiter; what it answers, and how fast, is counted. */
export function meteredLimiter(limiter: Limiter, meters: Asked, elapsed: () => number): Limiter {
  return {
    close: () => limiter.close(),
    async take(operation, who) {
      const started = elapsed()
      try {
        await limiter.take(operation, who)
        meters.asked('limiter', 'passed', elapsed() - started)
      } catch (error) {
        const limited = error instanceof Fault && error.code === 'rate-limit-exceeded'
        meters.asked('limiter', limited ? 'limited' : 'fault', elapsed() - started)
        throw error
      }
    },
  }
}
