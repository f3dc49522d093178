import { Fault } from '../../domain/codes.ts'
import { type AttemptId, type Generation, seconds, unixSeconds } from '../../domain/words.ts'
import type { Consumable, Consumption, Ledger, Random } from '../../domain/ports.ts'

/** Entries are forgotten a bucket at a time. */
const BUCKET_MS = 10_000
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
  const attempts = new Map<string, AttemptId>()
  const buckets = new Map<number, string[]>()
  let generation = random.id() as Generation
  let latest = clock()
  let began = latest
  let swept = 0
  /** Why nothing can be consumed: the ledger was closed. */
  let end: Fault | undefined

  /** Reads the clock. If it was set back, entries may have been dropped too early, so a new generation begins. */
  function readClock(): number {
    const now = clock()
    if (now < latest - SETBACK_MS) {
      generation = random.id() as Generation
      attempts.clear()
      buckets.clear()
      latest = began = now
      onMove?.()
    }
    latest = Math.max(latest, now)
    return now
  }

  function forget(): void {
    const over = Math.floor((latest - SETBACK_MS) / BUCKET_MS)
    if (over === swept) return
    swept = over
    for (const [bucket, keys] of buckets) {
      if (bucket >= over) continue
      for (const key of keys) attempts.delete(key)
      buckets.delete(bucket)
    }
  }

  function record({ kind, jti, attempt, keepUntil }: Consumable): Consumption {
    const bucket = Math.floor((keepUntil * 1000) / BUCKET_MS)
    const key = `${kind} ${jti} ${bucket}`
    const holder = attempts.get(key)
    if (holder !== undefined) return holder === attempt ? 'again' : 'taken'
    // Never evict: an entry forgotten early is a token accepted twice.
    if (attempts.size >= capacity) throw full(capacity)
    const keys = buckets.get(bucket)
    if (keys) keys.push(key)
    else buckets.set(bucket, [key])
    attempts.set(key, attempt)
    return 'first'
  }

  return {
    async consume(entry) {
      if (end) throw end
      const now = readClock()
      forget()
      if (entry.generation !== generation) return 'stale'
      if (now >= entry.expiresAt * 1000) return 'expired'
      return record(entry)
    },
    generation() {
      if (end) throw end
      readClock()
      return generation
    },
    beganAt: () => unixSeconds(Math.floor(began / 1000)),
    fault: () => end,
    fullness: () => attempts.size / capacity,
    clockAhead: () => 0,
    async probe() {},
    async close() {
      end = new Fault('database-unavailable', { cause: new Error('the ledger is closed') })
    },
  }
}

const full = (capacity: number): Fault =>
  new Fault('database-unavailable', {
    cause: new Error(`the ledger is full: ${capacity} entries`),
    retryAfter: seconds(1),
  })
