import { readFileSync } from 'node:fs'
import {
  type Buckets,
  bucketOf,
  MOST_PARTS,
  type Share,
  sharedUnits,
} from '../../domain/work-done.ts'
import type { Seconds, UnixSeconds } from '../../domain/words.ts'
import { boundedKinds } from '../../domain/bounded-kinds.ts'
import type { Patience, RedisConnection } from '../redis/redis-connection.ts'

/** A subject whose work is counted, and the length of its buckets. */
export interface Subject {
  readonly name: string
  readonly bucket: Seconds
  /** What of its work counts for the next subject. */
  readonly share: Share
}

/** Units of work to add: those done, at least 1; and, if only a part was done, those asked for, else 0. */
export interface Work {
  readonly units: number
  readonly partOf: number
}

/** Units of all work and of parts in the two latest buckets of a subject. */
export interface Counts {
  readonly units: Buckets
  readonly parts: Buckets
}

/** Where work is counted; Redis and memory make the same promises. */
export interface Counters {
  /**
   * Counts work for each subject and reads their counts, atomically. A bucket is kept until the next one ends. The next subject
   * gets the share of the one before, and a part only while the one before has no more than `MOST_PARTS` in its bucket.
   *
   * @param place the text that selects the partition.
   * @param work undefined: only reads.
   * @throws {RedisFailure} if no answer comes in time. The work may have been counted.
   */
  count(
    place: string,
    subjects: readonly Subject[],
    work: Work | undefined,
    now: UnixSeconds,
  ): Promise<readonly Counts[]>
}

const readCount = (): string => readFileSync(new URL('history.lua', import.meta.url), 'utf8')
/** Shorter than the limiter's, because a visit can be scored without history. Not retried, since that could count twice. */
const PATIENCE: Patience = { budgetMs: 250, retry: false }

/** The counts of several processes, in hashes that expire: `{hv}:h:SUBJECT:BUCKET`. */
export function redisCounters(redis: RedisConnection): Counters {
  const count = redis.script('hvHistory', readCount())
  return {
    async count(place, subjects, work, now) {
      const prefix = redis.prefixFor(place)
      const keys = subjects.flatMap(({ name, bucket }) => {
        const number = bucketOf(now, bucket)
        return [`${prefix}h:${name}:${number}`, `${prefix}h:${name}:${number - 1}`]
      })
      const perSubject = subjects.flatMap(({ bucket, share }) => [
        (endOf(bucket, now) - now) * 1000,
        share.above,
        share.most,
      ])
      const args = [work?.units ?? 0, work?.partOf ?? 0, MOST_PARTS, ...perSubject].map(String)
      const numbers = (await count(keys, args, PATIENCE)) as number[]
      const bucketsAt = (at: number): Buckets => ({
        current: numbers[at]!,
        previous: numbers[at + 2]!,
      })
      return subjects.map((_, i) => ({
        units: bucketsAt(4 * i),
        parts: bucketsAt(4 * i + 1),
      }))
    },
  }
}

/** Returns the end of the next bucket. */
const endOf = (bucket: Seconds, now: UnixSeconds): number => (bucketOf(now, bucket) + 2) * bucket

/**
 * The counts of one process.
 *
 * @param capacity buckets of one length, some 200 bytes each; at capacity the oldest is dropped.
 */
export function memoryCounters(capacity = 100_000): Counters {
  const buckets = boundedKinds<{ units: number; parts: number; readonly endsAt: number }>(capacity)
  return {
    async count(_place, subjects, work, now) {
      let { units, partOf } = work ?? { units: 0, partOf: 0 }
      return subjects.map(({ name, bucket, share }): Counts => {
        const [kind, number] = [String(bucket), bucketOf(now, bucket)]
        const previous = buckets.get(kind, `${name}:${number - 1}`)
        let current = buckets.get(kind, `${name}:${number}`)
        if (work) {
          current ??= buckets.add(
            kind,
            `${name}:${number}`,
            { units: 0, parts: 0, endsAt: endOf(bucket, now) },
            now,
          )
          const before = current.units
          current.units += units
          current.parts += partOf
          if (current.parts > MOST_PARTS) partOf = 0
          units = sharedUnits(current.units, share) - sharedUnits(before, share)
        }
        return {
          units: { current: current?.units ?? 0, previous: previous?.units ?? 0 },
          parts: { current: current?.parts ?? 0, previous: previous?.parts ?? 0 },
        }
      })
    },
  }
}
