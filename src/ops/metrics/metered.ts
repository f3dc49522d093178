import { Fault } from '../../domain/codes.ts'
import type { Meters } from '../../ports/observing.ts'
import type { Admission, Limiter } from '../../ports/stores.ts'

type StoreMeter = Pick<Meters, 'storeCall'>

/** The same admission; what limiter and ledger answered in it, and how fast, is counted: one call, one count. */
export function meteredAdmission(admission: Admission, meters: StoreMeter, elapsed: () => number): Admission {
  return {
    admit(operation, who, entry) {
      const started = elapsed()
      return admission.admit(operation, who, entry).then(
        (consumption) => {
          meters.storeCall('ledger', consumption, elapsed() - started)
          return consumption
        },
        (error: unknown) => {
          const code = error instanceof Fault ? error.code : undefined
          if (code === 'rate-limit-exceeded') meters.storeCall('limiter', 'limited', elapsed() - started)
          else
            meters.storeCall(code === 'rate-limiter-unavailable' ? 'limiter' : 'ledger', 'fault', elapsed() - started)
          throw error
        },
      )
    },
  }
}

/** The same limiter; what it answers, and how fast, is counted. */
export function meteredLimiter(limiter: Limiter, meters: StoreMeter, elapsed: () => number): Limiter {
  return {
    refusesFor: (who) => limiter.refusesFor(who),
    charge: (who, visits) => limiter.charge(who, visits),
    giveBack: (operation, who) => limiter.giveBack(operation, who),
    close: () => limiter.close(),
    async take(operation, who, next) {
      const started = elapsed()
      try {
        const answer = await limiter.take(operation, who, next)
        meters.storeCall('limiter', 'passed', elapsed() - started)
        return answer
      } catch (error) {
        const limited = error instanceof Fault && error.code === 'rate-limit-exceeded'
        meters.storeCall('limiter', limited ? 'limited' : 'fault', elapsed() - started)
        throw error
      }
    },
  }
}
