import { readFileSync } from 'node:fs'
import { type Buckets, bucketOf } from '../domain/history.ts'
import type { Seconds, UnixSeconds } from '../domain/words.ts'
import { boundedKinds } from './bounded-kinds.ts'
import type { Patience, RedisConnection } from './redis.ts'

/** A subject whose work is counted, and the length of its buckets. */
export interface Subject {
  readonly name: string
  readonly bucket: Seconds
}

/** Units of work to add: what was done, at least 1; and what was asked for where that was a part of it, else 0. */
export interface Work {
  readonly units: number
  readonly partOf: number
}

/** Units, done and of parts, in the two latest buckets of a subject. */
export interface Counts {
  readonly units: Buckets
  readonly parts: Buckets
}

/** Where work is counted; one promise for Redis and for memory. */
export interface Counters {
  /**
   * Counts work of both subjects, then reads them, in one step. A bucket is kept until the one after it ends.
   *
   * @param place the text that decides on the partition.
   * @param work undefined: only reads.
   * @throws {RedisFailure} when there is no answer in time. Then it may have been counted, or not.
   */
  count(
    place: string,
    subjects: readonly [Subject, Subject],
    work: Work | undefined,
    now: UnixSeconds,
  ): Promise<readonly [Counts, Counts]>
}

const COUNT = readFileSync(new URL('history.lua', import.meta.url), 'utf8')
/** Less than for the limiter, because a request is better off without. A lost reply is not asked for again. */
const PATIENCE: Patience = { budgetMs: 250, retry: false }

/** The counts of many processes, in hashes that end by themselves: `{hv}:h:SUBJECT:BUCKET`. */
export function redisCounters(redis: RedisConnection): Counters {
  const count = redis.script('hvHistory', COUNT, 4)
  return {
    async count(place, subjects, work, now) {
      const prefix = redis.prefixFor(place)
      const keys = subjects.flatMap(({ name, bucket }) => {
        const number = bucketOf(now, bucket)
        return [`${prefix}h:${name}:${number}`, `${prefix}h:${name}:${number - 1}`]
      })
      const keepMs = subjects.map(({ bucket }) => (endOf(bucket, now) - now) * 1000)
      const args = [work?.units ?? 0, work?.partOf ?? 0, ...keepMs].map(String)
      const numbers = (await count(keys, args, PATIENCE)) as number[]
      const bucketsAt = (at: number): Buckets => ({ current: numbers[at]!, previous: numbers[at + 2]! })
      return [
        { units: bucketsAt(0), parts: bucketsAt(1) },
        { units: bucketsAt(4), parts: bucketsAt(5) },
      ]
    },
  }
}

/** The end of the bucket after this one. */
const endOf = (bucket: Seconds, now: UnixSeconds): number => (bucketOf(now, bucket) + 2) * bucket

/**
 * The counts of one process.
 *
 * @param capacity buckets of one length; when full, the oldest goes. Some 200 bytes each.
 */
export function memoryCounters(capacity = 100_000): Counters {
  const buckets = boundedKinds<{ units: number; parts: number; readonly endsAt: number }>(capacity)
  return {
    async count(_place, subjects, work, now) {
      const [one, other] = subjects.map(({ name, bucket }): Counts => {
        const [kind, number] = [String(bucket), bucketOf(now, bucket)]
        const previous = buckets.get(kind, `${name}:${number - 1}`)
        let current = buckets.get(kind, `${name}:${number}`)
        if (work) {
          current ??= buckets.add(kind, `${name}:${number}`, { units: 0, parts: 0, endsAt: endOf(bucket, now) }, now)
          current.units += work.units
          current.parts += work.partOf
        }
        return {
          units: { current: current?.units ?? 0, previous: previous?.units ?? 0 },
          parts: { current: current?.parts ?? 0, previous: previous?.parts ?? 0 },
        }
      })
      return [one!, other!]
    },
  }
}
