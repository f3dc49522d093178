import { Fault } from '../../domain/codes.ts'
import { type Generation, unixSeconds } from '../../domain/words.ts'
import type { Ledger, Random } from '../../domain/ports.ts'
import { MemoryEntries } from './memory-entries.ts'

/** How far the clock may be set back without a new generation; entries are kept that much longer. */
const SETBACK_MS = 30_000

export interface MemoryLedgerParts {
  readonly random: Random
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Entries; some 200 bytes each. */
  readonly capacity?: number
  /** Called when a new generation begins while the process runs. */
  readonly onMove?: (() => void) | undefined
}

/**
 * The ledger of one process. Its generation is a random id made at start, so tokens that another or an earlier process
 * issued with the same keys are refused and never accepted a second time.
 */
export function memoryLedger({
  random,
  clock,
  capacity = 1_000_000,
  onMove,
}: MemoryLedgerParts): Ledger {
  const entries = new MemoryEntries(capacity)
  let generation = random.id() as Generation
  let latest = clock()
  let began = latest
  /** Why nothing can be consumed: the ledger was closed. */
  let end: Fault | undefined

  /** Reads the clock. If it was set back, entries may have been dropped too early, so a new generation begins. */
  function readClock(): number {
    const now = clock()
    if (now < latest - SETBACK_MS) {
      generation = random.id() as Generation
      entries.clear()
      latest = now
      began = now
      onMove?.()
    }
    latest = Math.max(latest, now)
    return now
  }

  return {
    async consume(entry) {
      if (end) throw end
      const now = readClock()
      entries.forget(latest - SETBACK_MS)
      if (entry.generation !== generation) return 'stale'
      if (now >= entry.expiresAt * 1000) return 'expired'
      return entries.record(entry)
    },
    generation() {
      if (end) throw end
      readClock()
      return generation
    },
    beganAt: () => unixSeconds(Math.floor(began / 1000)),
    fault: () => end,
    fullness: () => entries.fullness(),
    clockAhead: () => 0,
    async probe() {},
    async close() {
      end = new Fault('database-unavailable', { cause: new Error('the ledger is closed') })
    },
  }
}
