import { bucketOf } from './sliding.ts'
import type { UnixSeconds } from '../domain/words.ts'
import { type Bump, type Counted, type Counters, MOST_FIELDS } from './counters.ts'

interface Bucket {
  readonly fields: Map<string, number>
  readonly marks: Set<string>
  /** Until when it is kept. */
  until: UnixSeconds
}

/**
 * The counts of one process.
 *
 * @param capacity buckets; when full, the oldest goes. Some 300 bytes each, as long as few fields are in them.
 */
export function memoryCounters(capacity = 100_000): Counters {
  // In the order in which they were made.
  const buckets = new Map<string, Bucket>()

  function find(key: string, now: UnixSeconds): Bucket | undefined {
    const bucket = buckets.get(key)
    if (bucket === undefined || bucket.until > now) return bucket
    buckets.delete(key)
    return undefined
  }

  function make(key: string, now: UnixSeconds): Bucket {
    for (const [old, { until }] of buckets) {
      if (until > now && buckets.size < capacity) break
      buckets.delete(old)
    }
    const bucket: Bucket = { fields: new Map(), marks: new Set(), until: now }
    buckets.set(key, bucket)
    return bucket
  }

  /** @returns how much there is of the first field now. */
  function add(bucket: Bucket, { add: additions, once }: Bump): number {
    const room = MOST_FIELDS - bucket.fields.size - bucket.marks.size
    for (const [field, by] of additions) {
      const before = bucket.fields.get(field)
      if (before !== undefined || room > 0) bucket.fields.set(field, (before ?? 0) + by)
    }
    if (once !== undefined && room > 0) bucket.marks.add(once)
    const [first] = additions
    return first === undefined ? 0 : (bucket.fields.get(first[0]) ?? 0)
  }

  return {
    async count(bumps, now) {
      let counting = true
      let reached = 0
      return bumps.map((bump): Counted => {
        const { subject, bucket: length, keep, busy, once, follows, upTo = Infinity, read } = bump
        const number = bucketOf(now, length)
        const key = `${subject}:${number}`
        const previous = find(`${subject}:${number - 1}`, now)
        let current = find(key, now)
        if (!follows) counting = once === undefined || !(current?.marks.has(once) || previous?.marks.has(once))
        else if (reached > upTo) counting = false
        reached = 0
        if (counting && (current || once !== undefined || bump.add.length > 0)) {
          current ??= make(key, now)
          reached = add(current, bump)
          const end = (number + 2) * length
          const keepNow = busy && reached > busy.above ? busy.keep : keep
          current.until = Math.max(current.until, Math.min(now + keepNow, end)) as UnixSeconds
        }
        const values = read.map((field) => ({
          current: current?.fields.get(field) ?? 0,
          previous: previous?.fields.get(field) ?? 0,
        }))
        return { first: counting, values }
      })
    },
  }
}
