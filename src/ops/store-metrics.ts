import type { Ledger } from '../domain/ports.ts'
import type { Instruments } from './instruments.ts'

/** Buckets for stores, which answer within a millisecond, or after 0.35 s (limiter) and 0.5 s (ledger) not at all. */
const STORE_SECONDS = [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1]

const LEDGER_SECONDS = {
  name: 'hv_ledger_seconds',
  help: 'Seconds that the ledger took to consume, by outcome; fault: the outcome is unknown.',
  labelNames: ['outcome'],
  buckets: STORE_SECONDS,
}
const LIMITER_SECONDS = {
  name: 'hv_limiter_seconds',
  help: 'Seconds that the limiter took, by outcome: passed, limited, fault.',
  labelNames: ['outcome'],
  buckets: STORE_SECONDS,
}
const GENERATION_MOVES = {
  name: 'hv_generation_moves_total',
  help: 'Times this process saw the ledger begin a new generation: entries may have been lost, and earlier tokens are refused.',
}
const LEDGER_USABLE = {
  name: 'hv_ledger_usable',
  help: '1 while a part of the ledger can be used, else 0: then the service answers 503.',
}
const LEDGER_FULL_RATIO = {
  name: 'hv_ledger_full_ratio',
  help: 'Share of the memory of Redis (of the entries of an embedded ledger) in use; from 0.95 on no challenge is issued. 0 without maxmemory.',
}
const CLOCK_AHEAD_SECONDS = {
  name: 'hv_clock_ahead_seconds',
  help: 'Seconds by which the clock of this process is ahead of that of Redis; negative: behind, and visitors are refused. 0: embedded.',
}

/** Counts the calls of the stores. */
export function storeMetrics({ counter, histogram, gauge }: Instruments) {
  const seconds = { ledger: histogram(LEDGER_SECONDS), limiter: histogram(LIMITER_SECONDS) }
  const generationMoves = counter(GENERATION_MOVES)
  return {
    storeCall: (store: 'ledger' | 'limiter', outcome: string, ms: number): void =>
      seconds[store].observe({ outcome }, ms / 1000),
    generationMoved: (): void => generationMoves.inc(),

    /** Adds the gauges of a ledger. */
    observe(ledger: Pick<Ledger, 'fault' | 'fullness' | 'clockAhead'>): void {
      gauge({ ...LEDGER_USABLE, measure: (to) => to.set(ledger.fault() === undefined ? 1 : 0) })
      gauge({ ...LEDGER_FULL_RATIO, measure: (to) => to.set(ledger.fullness()) })
      gauge({ ...CLOCK_AHEAD_SECONDS, measure: (to) => to.set(ledger.clockAhead()) })
    },
  }
}
