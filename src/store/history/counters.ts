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
   * @param partition the text that selects the partition.
   * @param work undefined: only reads.
   * @throws {RedisFailure} if no answer comes in time. The work may have been counted.
   */
  count(
    partition: string,
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
    async count(partition, subjects, work, now) {
      const prefix = redis.prefixFor(partition)
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
      return subjects.map((_, i) => {
        const ofSubject = numbers.slice(i * NUMBERS_PER_SUBJECT)
        const [units = 0, parts = 0, unitsBefore = 0, partsBefore = 0] = ofSubject
        return countsOf({ units, parts }, { units: unitsBefore, parts: partsBefore })
      })
    },
  }
}

/** The script returns units and units of parts, of the current bucket and of the previous one. */
const NUMBERS_PER_SUBJECT = 4

/** The counts of one bucket. */
interface BucketCounts {
  readonly units: number
  readonly parts: number
}

const countsOf = (current: BucketCounts, previous: BucketCounts): Counts => ({
  units: { current: current.units, previous: previous.units },
  parts: { current: current.parts, previous: previous.parts },
})

/** Returns the end of the next bucket. */
const endOf = (bucket: Seconds, now: UnixSeconds): number => (bucketOf(now, bucket) + 2) * bucket

/** A bucket in memory. */
interface Bucket {
  units: number
  parts: number
  readonly endsAt: number
}

const EMPTY: BucketCounts = { units: 0, parts: 0 }

/**
 * The counts of one process.
 *
 * @param capacity buckets of one length, some 200 bytes each; at capacity the oldest is dropped.
 */
export function memoryCounters(capacity = 100_000): Counters {
  const buckets = boundedKinds<Bucket>(capacity)

  /** Returns the bucket of a subject that work is added to now. */
  function openBucket({ name, bucket }: Subject, now: UnixSeconds): Bucket {
    const kind = String(bucket)
    const key = `${name}:${bucketOf(now, bucket)}`
    const empty = { ...EMPTY, endsAt: endOf(bucket, now) }
    return buckets.get(kind, key) ?? buckets.add(kind, key, empty, now)
  }

  const readBucket = ({ name, bucket }: Subject, number: number): BucketCounts =>
    buckets.get(String(bucket), `${name}:${number}`) ?? EMPTY

  return {
    async count(_partition, subjects, work, now) {
      let left = work
      return subjects.map((subject) => {
        const number = bucketOf(now, subject.bucket)
        const previous = readBucket(subject, number - 1)
        if (left) left = addWork(openBucket(subject, now), left, subject.share)
        return countsOf(readBucket(subject, number), previous)
      })
    },
  }
}

/** Adds work to a bucket. @returns what of it counts for the next subject. */
function addWork(bucket: Bucket, { units, partOf }: Work, share: Share): Work {
  const before = bucket.units
  bucket.units += units
  bucket.parts += partOf
  return {
    units: sharedUnits(bucket.units, share) - sharedUnits(before, share),
    partOf: bucket.parts > MOST_PARTS ? 0 : partOf,
  }
}
