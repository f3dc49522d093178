import { Fault } from '../../domain/codes.ts'
import { type AttemptId, seconds } from '../../domain/words.ts'
import type { Consumable, Consumption } from '../../domain/ports.ts'

/** Entries are forgotten a bucket at a time. */
const BUCKET_MS = 10_000

/** The consumed ids of one process, and the attempt that holds each of them. */
export class MemoryEntries {
  readonly #capacity: number
  readonly #attempts = new Map<string, AttemptId>()
  /** The keys of the entries, by the number of their bucket. */
  readonly #buckets = new Map<number, string[]>()
  #firstBucket = 0

  /** @param capacity entries; some 200 bytes each. */
  constructor(capacity: number) {
    this.#capacity = capacity
  }

  /** Records an entry unless its id has one. @throws {Fault} when there is no room. */
  record({ kind, jti, attempt, keepUntil }: Consumable): Exclude<Consumption, 'stale' | 'expired'> {
    const bucket = Math.floor((keepUntil * 1000) / BUCKET_MS)
    const key = `${kind} ${jti} ${bucket}`
    const holder = this.#attempts.get(key)
    if (holder !== undefined) return holder === attempt ? 'again' : 'taken'
    // Never evict: an entry forgotten early is a token accepted twice.
    if (this.#attempts.size >= this.#capacity) throw full(this.#capacity)
    const keys = this.#buckets.get(bucket)
    if (keys) keys.push(key)
    else this.#buckets.set(bucket, [key])
    this.#attempts.set(key, attempt)
    return 'first'
  }

  /** Forgets the entries of buckets that ended before a time. @param until Milliseconds since 1970. */
  forget(until: number): void {
    const first = Math.floor(until / BUCKET_MS)
    if (first === this.#firstBucket) return
    this.#firstBucket = first
    for (const [bucket, keys] of this.#buckets) {
      if (bucket >= first) continue
      for (const key of keys) this.#attempts.delete(key)
      this.#buckets.delete(bucket)
    }
  }

  clear(): void {
    this.#attempts.clear()
    this.#buckets.clear()
  }

  /** The share of the capacity that is in use. */
  fullness(): number {
    return this.#attempts.size / this.#capacity
  }
}

const full = (capacity: number): Fault =>
  new Fault('database-unavailable', {
    cause: new Error(`the ledger is full: ${capacity} entries`),
    retryAfter: seconds(1),
  })
