import { Fault } from '../domain/codes.ts'
import type { Meters } from '../domain/observing.ts'
import type { Ledger, Limiter } from '../domain/ports.ts'

type CountCall = (outcome: string, ms: number) => void

/** The same ledger; what it answers about an entry, and how fast, is counted. */
export function meteredLedger(ledger: Ledger, { storeCall }: Pick<Meters, 'storeCall'>): Ledger {
  const count: CountCall = (outcome, ms) => storeCall('ledger', outcome, ms)
  return {
    ...ledger,
    consume: (entry) => counted(ledger.consume(entry), (consumption) => consumption, count),
  }
}

/** The same limiter; what it answers, and how fast, is counted. */
export function meteredLimiter(
  limiter: Limiter,
  { storeCall }: Pick<Meters, 'storeCall'>,
): Limiter {
  const count: CountCall = (outcome, ms) => storeCall('limiter', outcome, ms)
  const passed = <T>(call: Promise<T>): Promise<T> => counted(call, () => 'passed', count)
  return {
    ...limiter,
    challenge: (...asked) => passed(limiter.challenge(...asked)),
    take: (...asked) => passed(limiter.take(...asked)),
    junk: (...asked) => passed(limiter.junk(...asked)),
    check: (...asked) => passed(limiter.check(...asked)),
    visit: (...asked) => passed(limiter.visit(...asked)),
  }
}

async function counted<T>(
  call: Promise<T>,
  outcomeOf: (answer: T) => string,
  count: CountCall,
): Promise<T> {
  const started = performance.now()
  try {
    const answer = await call
    count(outcomeOf(answer), performance.now() - started)
    return answer
  } catch (error) {
    const limited = error instanceof Fault && error.code === 'rate-limit-exceeded'
    count(limited ? 'limited' : 'fault', performance.now() - started)
    throw error
  }
}
