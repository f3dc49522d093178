import { readFileSync } from 'node:fs'
import { Fault } from '../../domain/codes.ts'
import { type Generation, seconds, type UnixSeconds, unixSeconds } from '../../domain/words.ts'
import type { Consumable, Consumption, Random } from '../../domain/ports.ts'
import { evictionRefusal, refusalReader } from '../redis/check-redis.ts'
import { ignoreFailure } from '../redis/redis-failure.ts'
import type { Patience, RedisConnection, Script } from '../redis/redis-connection.ts'

const readLedger = (): string => readFileSync(new URL('ledger.lua', import.meta.url), 'utf8')

/** As in ledger.lua. */
export const BUCKET_MS = 10_000
/** The name of the generation hash, after the prefix of its partition. */
export const GENERATION_KEY = 'gen'
/** Maximum age of the last answer for issuing challenges. docs/design/single-use.md, "The generation". */
const OLDEST_MS = 1500
const CONSUME: Patience = { budgetMs: 500, retry: true }
const ASK_MS = 300
/** Milliseconds between two checks for expired buckets and of the user's permissions. */
const LOOK_EVERY_MS = 5000

const OUTCOMES: Readonly<Record<string, Consumption>> = {
  ok: 'first',
  own: 'again',
  dup: 'taken',
  stale: 'stale',
  expired: 'expired',
}
const KINDS = { response: 't', challenge: 'c', ticket: 's', pass: 'p' } as const

/**
 * Returns the number of the bucket that holds an entry.
 *
 * It depends on the token alone, so a token always leads to the same bucket. Bucket `n` ends at `n · BUCKET_MS`, later than
 * `keepUntil`.
 *
 * @param keepUntil Unix seconds.
 */
export const bucketNumber = (keepUntil: number): number =>
  Math.floor((keepUntil * 1000) / BUCKET_MS) + 1

/**
 * Returns the key of the bucket that holds an entry: `{hv}:t:<generation>:<number>`.
 *
 * The generation is part of the key, so two histories never share a bucket, even after keys were moved between servers.
 *
 * @param prefix of the partition: `{hv}:`.
 */
export const bucketKey = (
  prefix: string,
  { kind, generation, keepUntil }: Pick<Consumable, 'kind' | 'generation' | 'keepUntil'>,
): string => `${prefix}${KINDS[kind]}:${generation}:${bucketNumber(keepUntil)}`

export interface PartitionParts {
  readonly random: Random
  /** Milliseconds of a clock that never jumps. */
  readonly elapsed?: () => number
  /** Unix milliseconds. */
  readonly clock?: () => number
  /** Called when the generation changes. */
  readonly onMove?: (() => void) | undefined
}

/** One hash tag's share of the ledger, with its own generation. */
export interface Partition {
  consume(entry: Consumable): Promise<Consumption>
  /** @throws {Fault} if the last answer is too old, has another schema, or came from a server that is unfit for the ledger. */
  generation(): Generation
  /** When that generation began; undefined if unknown. */
  beganAt(): UnixSeconds | undefined
  /** Share of maxmemory in use at the last poll, 0 to 1; 0 if there is no limit or the server does not report it. */
  fullness(): number
  /** Lower bound of the milliseconds by which our clock was ahead of the server's at the last poll; negative: behind. */
  aheadMs(): number
  /** Polls the store; concurrent callers share one poll. @throws {Fault} */
  poll(): Promise<void>
  /** Returns what the operator has to fix; undefined if nothing is known. */
  refusal(): string | undefined
  /** Makes the next poll check the server's settings again, as after a new connection. */
  distrust(): void
}

/** The store's last answer; `askedAt` is when we sent the request, so its age is never underestimated. */
interface Heard {
  readonly askedAt: number
  /** undefined: the schema differs from ours. */
  readonly generation: Generation | undefined
  /** When the generation began, in Unix milliseconds of the server; undefined until a poll returns it. */
  readonly beganMs: number | undefined
}

/** The script's answer to a poll; other calls return only the first two parts. */
type Answer = readonly [
  ...[
    word: string,
    value: string,
    began: string,
    used: string,
    policy: string,
    now: string,
    full: string,
  ],
  ...buckets: string[],
]

/** @param prefix of its keys: `{hv}:`. */
export function ledgerPartition(
  redis: RedisConnection,
  prefix: string,
  { random, elapsed = () => performance.now(), clock = Date.now, onMove }: PartitionParts,
): Partition {
  const hash = `${prefix}${GENERATION_KEY}`
  const readRefusal = refusalReader(redis)
  const ledger = {
    poll: redis.script('hvPoll', readLedger()),
    consume: redis.script('hvConsume', readLedger()),
  }
  const remove = redis.script('hvRemove', readLedger())
  let heard: Heard | undefined
  let refusal: string | undefined
  let checkedAt = -Infinity
  let lookedAt = -Infinity
  let polling: Promise<void> | undefined
  let fullness = 0
  let aheadMs = 0

  /** Runs the script, with a retry after a lost reply, and remembers the generation that it returns. */
  async function ask(
    script: Script,
    keys: readonly string[],
    args: readonly string[],
    patience: Patience,
  ) {
    const askedAt = elapsed()
    const answer = (await script(keys, args, patience).catch(throwUnavailable)) as Answer
    const [word, value, began] = answer
    if (word === 'noid') throw unavailable(new Error('Redis does not report its master_replid'))
    const generation = word === 'schema' ? undefined : (value as Generation)
    if (heard === undefined || askedAt >= heard.askedAt) {
      const isSame = heard?.generation === generation
      // It may be another server: a replica was promoted, or a Cluster slot moved, without a new connection.
      if (!isSame) checkedAt = -Infinity
      if (heard !== undefined && !isSame) onMove?.()
      const beganMs = word === 'gen' ? Number(began || NaN) : isSame ? heard?.beganMs : undefined
      heard = { askedAt, generation, beganMs }
    }
    if (generation === undefined)
      throw outdated(`the ledger's schema is ${value}, which differs from ours`)
    return answer
  }

  async function askGeneration(): Promise<void> {
    const deadline = elapsed() + ASK_MS
    if (refusal !== undefined || elapsed() - checkedAt >= LOOK_EVERY_MS) {
      refusal = await readRefusal(prefix, ASK_MS).catch(throwUnavailable)
      checkedAt = elapsed()
    }
    if (refusal !== undefined) throw unavailable(new Error(refusal))
    const patience = { budgetMs: Math.max(0, deadline - elapsed()), retry: false, whileHung: true }
    const looks = elapsed() - lookedAt >= LOOK_EVERY_MS
    const words = ['poll', random.id(), looks ? '1' : '']
    const askedAt = clock()
    const [, , , used, policy, now, full, ...buckets] = await ask(
      ledger.poll,
      [hash],
      words,
      patience,
    )
    fullness = Number(used) / 1000
    // The server read its clock between our request and its reply.
    aheadMs = Math.max(0, askedAt - Number(now)) + Math.min(0, clock() - Number(now))
    refusal = evictionRefusal(policy) ?? (full || undefined)
    if (looks && full === '') lookedAt = elapsed()
    // A failure is harmless: the generation is known, and the next poll finds these buckets again.
    if (buckets.length > 0)
      await remove([hash, ...buckets], ['remove', ''], patience).catch(ignoreFailure)
    if (refusal !== undefined) throw unavailable(new Error(refusal))
  }

  /** Makes the next poll try a write. */
  function lookAgain(error: unknown): never {
    lookedAt = -Infinity
    throw error
  }

  return {
    async consume(entry) {
      if (refusal !== undefined) throw unavailable(new Error(refusal))
      const { attempt, generation, expiresAt, jti, keepUntil } = entry
      const bucketEnd = bucketNumber(keepUntil) * BUCKET_MS
      const args = [
        'consume',
        random.id(),
        attempt,
        generation,
        String(expiresAt * 1000),
        jti,
        String(bucketEnd),
      ]
      const [word] = await ask(
        ledger.consume,
        [hash, bucketKey(prefix, entry)],
        args,
        CONSUME,
      ).catch(lookAgain)
      const outcome = OUTCOMES[word]
      if (outcome === undefined)
        throw unavailable(new Error(`the ledger's script answered ${word}`))
      return outcome
    },
    generation() {
      if (refusal !== undefined) throw unavailable(new Error(refusal))
      if (heard === undefined || elapsed() - heard.askedAt > OLDEST_MS) {
        throw unavailable(new Error('the ledger has not answered for too long'))
      }
      if (heard.generation === undefined) throw outdated("the ledger's schema differs from ours")
      return heard.generation
    },
    beganAt() {
      const { beganMs = NaN } = heard ?? {}
      return beganMs >= 0 ? unixSeconds(Math.floor(beganMs / 1000)) : undefined
    },
    poll: () => (polling ??= askGeneration().finally(() => void (polling = undefined))),
    fullness: () => fullness,
    aheadMs: () => aheadMs,
    refusal: () => refusal,
    distrust: () => void (checkedAt = lookedAt = -Infinity),
  }
}

function throwUnavailable(cause: unknown): never {
  throw unavailable(cause)
}

export const unavailable = (cause: unknown): Fault =>
  new Fault('database-unavailable', { cause, retryAfter: seconds(1) })
const outdated = (why: string): Fault =>
  new Fault('database-schema-outdated', { cause: new Error(why), retryAfter: seconds(1) })
