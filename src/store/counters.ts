import { readFileSync } from 'node:fs'
import { type Buckets, bucketOf } from '../domain/history.ts'
import type { Seconds, UnixSeconds } from '../domain/words.ts'
import type { RedisConnection } from './redis.ts'

/** Whose solves are counted, in buckets of which length. */
export interface Subject {
  readonly name: string
  readonly bucket: Seconds
}

/** A solve to count. */
export interface Solve {
  /** Names its challenge, which is counted once for the first subject; undefined: whoever asks knows that it is new. */
  readonly challenge?: string
  /** Whether it handed in a part of the work. */
  readonly isPart: boolean
}

export interface Counted {
  /** False if the challenge was counted before; then nothing was added. */
  readonly isNew: boolean
  /** As many as there are subjects, in their order; what was added is in them. */
  readonly counts: readonly { readonly solves: Buckets; readonly parts: Buckets }[]
}

/** Where solves are counted; one promise for Redis and for memory. */
export interface Counters {
  /**
   * Counts a solve of all these subjects, then reads them, in one step. A bucket is kept until the one after it ends.
   *
   * @param place the text that decides on the partition.
   * @param solve undefined: only reads.
   * @param budgetMs milliseconds to wait for the answer.
   * @throws {RedisFailure} when there is no answer in time. Then it may have been counted, or not.
   */
  count(
    place: string,
    subjects: readonly Subject[],
    solve: Solve | undefined,
    now: UnixSeconds,
    budgetMs: number,
  ): Promise<Counted>
}

const COUNT = readFileSync(new URL('history.lua', import.meta.url), 'utf8')
/** The counts of many processes, in hashes that end by themselves: `{hv}:h:SUBJECT:BUCKET`. */
export function redisCounters(redis: RedisConnection): Counters {
  // Two subjects have four keys: a command whose keys vary in number is not pipelined.
  const countBoth = redis.script('hvHistory', COUNT, 4)
  return {
    async count(place, subjects, solve, now, budgetMs) {
      const prefix = redis.prefixFor(place)
      const keys = subjects.flatMap(({ name, bucket }) => {
        const number = bucketOf(now, bucket)
        return [`${prefix}h:${name}:${number}`, `${prefix}h:${name}:${number - 1}`]
      })
      const keepMs = subjects.map(({ bucket }) => String((endOf(bucket, now) - now) * 1000))
      const args = [solve ? '1' : '0', solve?.isPart ? '1' : '0', solve?.challenge ?? '', ...keepMs]
      const patience = { budgetMs, retry: false }
      const [added, ...numbers] = (await countBoth(keys, args, patience)) as number[]
      const counts = subjects.map((_, i) => {
        const [solves, parts, earlierSolves, earlierParts] = numbers.slice(4 * i) as [number, number, number, number]
        return {
          solves: { current: solves, previous: earlierSolves },
          parts: { current: parts, previous: earlierParts },
        }
      })
      return { isNew: added === 1, counts }
    },
  }
}

/** The end of the bucket after this one. */
const endOf = (bucket: Seconds, now: UnixSeconds): number => (bucketOf(now, bucket) + 2) * bucket

interface Bucket {
  solves: number
  parts: number
  readonly challenges: Set<string>
  readonly until: number
}

/**
 * The counts of one process.
 *
 * @param capacity buckets of one length; when full, the oldest goes. Some 300 bytes each, and 60 for each challenge.
 */
export function memoryCounters(capacity = 100_000): Counters {
  /** By their length, in the order in which they were made: the oldest ends first. */
  const lengths = new Map<Seconds, Map<string, Bucket>>()

  function make(buckets: Map<string, Bucket>, key: string, bucket: Seconds, now: UnixSeconds): Bucket {
    for (const [oldest, { until }] of buckets) {
      if (until > now && buckets.size < capacity) break
      buckets.delete(oldest)
    }
    const made = { solves: 0, parts: 0, challenges: new Set<string>(), until: endOf(bucket, now) }
    buckets.set(key, made)
    return made
  }

  return {
    async count(_place, subjects, solve, now) {
      const pairs = subjects.map(({ name, bucket }) => {
        const number = bucketOf(now, bucket)
        const buckets = lengths.get(bucket) ?? new Map<string, Bucket>()
        lengths.set(bucket, buckets)
        return { key: `${name}:${number}`, bucket, buckets, previous: buckets.get(`${name}:${number - 1}`) }
      })
      const { challenge } = solve ?? {}
      const first = pairs[0]!
      const isKnown = [first.buckets.get(first.key), first.previous].some((each) =>
        each?.challenges.has(challenge ?? ''),
      )
      const isNew = solve !== undefined && !isKnown
      if (isNew) {
        for (const { key, bucket, buckets } of pairs) {
          const current = buckets.get(key) ?? make(buckets, key, bucket, now)
          current.solves += 1
          if (solve.isPart) current.parts += 1
          if (key === first.key && challenge !== undefined) current.challenges.add(challenge)
        }
      }
      const counts = pairs.map(({ key, buckets, previous }) => {
        const current = buckets.get(key)
        return {
          solves: { current: current?.solves ?? 0, previous: previous?.solves ?? 0 },
          parts: { current: current?.parts ?? 0, previous: previous?.parts ?? 0 },
        }
      })
      return { isNew, counts }
    },
  }
}
