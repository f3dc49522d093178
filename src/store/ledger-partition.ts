import { readFileSync } from 'node:fs'
import { Fault } from '../domain/codes.ts'
import { type Generation, seconds, type UnixSeconds, unixSeconds } from '../domain/words.ts'
import type { Consumable, Consumption, Random } from '../domain/stores.ts'
import { evictionRefusal, refusalReader } from './check-redis.ts'
import { ignoreFailure } from './redis-failure.ts'
import type { Patience, RedisConnection, Script } from './redis.ts'

const LEDGER = readFileSync(new URL('ledger.lua', import.meta.url), 'utf8')

/** As in ledger.lua. */
export const BUCKET_MS = 10_000
/** The name of the generation hash, after the prefix of its partition. */
export const GENERATION_KEY = 'gen'
/** An instance whose last answer is older stops issuing challenges. docs/design/single-use.md, "The generation". */
const OLDEST_MS = 1500
const CONSUME: Patience = { budgetMs: 500, retry: true }
const ASK_MS = 300
/** Milliseconds between two checks for expired buckets and of the permissions of the server's user. */
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
 * The bucket follows from the token alone, so everybody who presents it looks into the same bucket. The end of a bucket
 * is later than `keepUntil`: bucket `n` ends at `n · BUCKET_MS`.
 *
 * @param keepUntil Unix seconds.
 */
export const bucketNumber = (keepUntil: number): number => Math.floor((keepUntil * 1000) / BUCKET_MS) + 1

/**
 * Returns the key of the bucket that holds an entry: `{hv}:t:<generation>:<number>`.
 *
 * The generation is part of the key, so entries of two histories never meet in one bucket, also after keys were moved
 * from one server to another.
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
  /** Called when another generation is in force than before. */
  readonly onMove?: (() => void) | undefined
}

/** One hash tag's share of the ledger, with a generation of its own. */
export interface Partition {
  consume(entry: Consumable): Promise<Consumption>
  /** @throws {Fault} when what we know is too old, of another schema, or of a server that may not hold the ledger. */
  generation(): Generation
  /** When that generation began; undefined: it is not known. */
  beganAt(): UnixSeconds | undefined
  /** Share of the server's memory in use, 0 to 1, at the last poll; 0 where it has no bound or does not say. */
  fullness(): number
  /** Milliseconds by which our clock was ahead of the server's at the last poll, at least; negative: behind. */
  aheadMs(): number
  /** Polls the store; concurrent callers share one poll. @throws {Fault} */
  poll(): Promise<void>
  /** Returns what the operator has to fix, once it is known. */
  refusal(): string | undefined
  /** Makes the next poll check the server's settings again, as after a new connection. */
  distrust(): void
}

/** The store's last answer; `askedAt` is when we asked, so the copy is never younger than it claims. */
interface Heard {
  readonly askedAt: number
  /** undefined: the schema is another. */
  readonly generation: Generation | undefined
  /** Milliseconds of the server's clock: when the generation began; undefined: no poll has told it yet. */
  readonly beganMs: number | undefined
}

/** The script's answer to a poll; to another call it has the first two parts. */
type Answer = readonly [
  ...[word: string, value: string, began: string, used: string, policy: string, now: string, full: string],
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
  const ledger = { poll: redis.script('hvPoll', LEDGER, 1), consume: redis.script('hvConsume', LEDGER, 2) }
  const remove = redis.script('hvRemove', LEDGER)
  let heard: Heard | undefined
  let refusal: string | undefined
  let checkedAt = -Infinity
  let lookedAt = -Infinity
  let polling: Promise<void> | undefined
  let fullness = 0
  let aheadMs = 0

  /** Runs the script once (or once more after a lost reply), and remembers the generation that it answers. */
  async function ask(script: Script, keys: readonly string[], args: readonly string[], patience: Patience) {
    const askedAt = elapsed()
    const answer = (await script(keys, args, patience).catch(throwUnavailable)) as Answer
    const [word, value, began] = answer
    if (word === 'noid') throw unavailable(new Error('Redis does not report its master_replid'))
    const generation = word === 'schema' ? undefined : (value as Generation)
    if (heard === undefined || askedAt >= heard.askedAt) {
      const isSame = heard?.generation === generation
      // Another server, perhaps: a replica was promoted, or a slot of the Cluster moved, without a new connection.
      if (!isSame) checkedAt = -Infinity
      if (heard !== undefined && !isSame) onMove?.()
      const beganMs = word === 'gen' ? Number(began || NaN) : isSame ? heard?.beganMs : undefined
      heard = { askedAt, generation, beganMs }
    }
    if (generation === undefined) throw outdated(`the ledger's schema is ${value}, ours is another`)
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
    const [, , , used, policy, now, full, ...buckets] = await ask(ledger.poll, [hash], words, patience)
    fullness = Number(used) / 1000
    // Theirs is a moment between asking and being answered.
    aheadMs = Math.max(0, askedAt - Number(now)) + Math.min(0, clock() - Number(now))
    refusal = evictionRefusal(policy) ?? (full || undefined)
    if (looks && full === '') lookedAt = elapsed()
    // The generation is known; buckets that stay are found again.
    if (buckets.length > 0) await remove([hash, ...buckets], ['remove', ''], patience).catch(ignoreFailure)
    if (refusal !== undefined) throw unavailable(new Error(refusal))
  }

  /** The next poll tries a write, too. */
  function lookAgain(error: unknown): never {
    lookedAt = -Infinity
    throw error
  }

  return {
    async consume(entry) {
      if (refusal !== undefined) throw unavailable(new Error(refusal))
      const { attempt, generation, expiresAt, jti, keepUntil } = entry
      const bucketEnd = bucketNumber(keepUntil) * BUCKET_MS
      const args = ['consume', random.id(), attempt, generation, String(expiresAt * 1000), jti, String(bucketEnd)]
      const [word] = await ask(ledger.consume, [hash, bucketKey(prefix, entry)], args, CONSUME).catch(lookAgain)
      const outcome = OUTCOMES[word]
      if (outcome === undefined) throw unavailable(new Error(`the ledger's script answered ${word}`))
      return outcome
    },
    generation() {
      if (refusal !== undefined) throw unavailable(new Error(refusal))
      if (heard === undefined || elapsed() - heard.askedAt > OLDEST_MS) {
        throw unavailable(new Error('the ledger has not answered for too long'))
      }
      if (heard.generation === undefined) throw outdated("the ledger's schema is another than ours")
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
