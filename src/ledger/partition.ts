import { Fault } from '../domain/codes.ts'
import { type Generation, seconds, type UnixSeconds, unixSeconds } from '../domain/words.ts'
import type { Consumable, Consumption, Patience, Random } from '../ports/stores.ts'
import { readRefusal } from './check-redis.ts'
import { bucketKey, bucketNumber } from './buckets.ts'
import type { RedisLink } from '../redis/link.ts'
import { GENERATION_KEY, LEDGER_SCRIPT, POLL_SCRIPT, REMOVE_SCRIPT, SCHEMA } from './script.ts'

/** An instance whose last answer is older stops issuing challenges. docs/design/single-use.md, "The generation". */
const OLDEST_MS = 1500
const CONSUME: Patience = { budgetMs: 500, retry: true }
const ASK_MS = 300
/** Milliseconds between two searches for buckets to remove. */
const REMOVE_EVERY_MS = 5000

const OUTCOMES: Readonly<Record<string, Consumption>> = {
  ok: 'ours',
  dup: 'taken',
  stale: 'stale',
  expired: 'expired',
}

export interface PartitionParts {
  readonly random: Random
  /** Milliseconds of a clock that never jumps. */
  readonly elapsed: () => number
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
  /** Polls the store now; concurrent callers share one poll. @throws {Fault} */
  poll(): Promise<void>
  /** Polls the store unless it is known to hang. @throws {Fault} */
  probe(): Promise<void>
  /** Returns the sentence that tells an operator what to fix, once it is known. */
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

/** The script's answer. */
type Told = readonly [word: string, value: string | null, ...more: string[]]

/**
 * Uses `.then` on the request path: five suspended async frames would hold 5 kB per waiting request.
 *
 * @param prefix of its keys: `{hv}:`.
 */
export function ledgerPartition(
  link: RedisLink,
  prefix: string,
  { random, elapsed, onMove }: PartitionParts,
): Partition {
  const generationKey = `${prefix}${GENERATION_KEY}`
  let lastReply: Heard | undefined
  let refusal: string | undefined
  let checked = false
  let asking: Promise<void> | undefined
  let searchedAt = -Infinity
  let fullness = 0

  /** Runs the script once (or once more after a lost reply), and remembers the generation that it answers. */
  function ask(lua: string, keys: readonly string[], args: readonly string[], patience: Patience): Promise<Told> {
    const askedAt = elapsed()
    return link.evaluate(lua, keys, args, patience).then((reply) => hear(reply as Told, askedAt), throwUnavailable)
  }

  function hear(reply: Told, askedAt: number): Told {
    const [word, value] = reply
    if (word === 'noid') throw unavailable(new Error('Redis does not show its master_replid'))
    const generation = word === 'schema' ? undefined : (value as Generation)
    if (lastReply === undefined || askedAt >= lastReply.askedAt) {
      // Another server, perhaps: a replica was promoted, or a slot of the Cluster moved, without a new connection.
      if (lastReply?.generation !== generation) checked = false
      if (lastReply !== undefined && lastReply.generation !== generation) onMove?.()
      const isSame = lastReply?.generation === generation
      const beganMs = word === 'gen' ? Number(reply[3] || NaN) : isSame ? lastReply?.beganMs : undefined
      lastReply = { askedAt, generation, beganMs }
    }
    if (generation === undefined) throw outdated(`the ledger's schema is ${value ?? 'missing'}, ours is ${SCHEMA}`)
    return reply
  }

  async function askGeneration(): Promise<void> {
    const deadline = elapsed() + ASK_MS
    if (!checked || refusal !== undefined) {
      refusal = await readRefusal(link, prefix, ASK_MS).catch((cause: unknown) => {
        throw unavailable(cause)
      })
      checked = true
    }
    if (refusal !== undefined) throw unavailable(new Error(refusal))
    const patience = { budgetMs: Math.max(0, deadline - elapsed()), retry: false, whileHung: true }
    const searching = elapsed() - searchedAt >= REMOVE_EVERY_MS
    const args = [random.id(), SCHEMA, searching ? '1' : '']
    const [, , used, , ...buckets] = await ask(POLL_SCRIPT, [generationKey], args, patience)
    fullness = Number(used ?? 0) / 1000
    if (searching) searchedAt = elapsed()
    if (buckets.length === 0) return
    // The generation is known; buckets that stay are found again.
    await link.evaluate(REMOVE_SCRIPT, [generationKey, ...buckets], [SCHEMA], patience).catch(() => undefined)
  }

  function poll(): Promise<void> {
    asking ??= askGeneration().finally(() => {
      asking = undefined
    })
    return asking
  }

  function consume(entry: Consumable): Promise<Consumption> {
    if (refusal !== undefined) return Promise.reject(unavailable(new Error(refusal)))
    const { attempt, generation, expiresAt, jti, keepUntil } = entry
    const keys = [generationKey, bucketKey(prefix, entry)]
    const args = [
      attempt,
      generation,
      String(expiresAt * 1000),
      random.id(),
      jti,
      String(bucketNumber(keepUntil)),
      SCHEMA,
    ]
    return ask(LEDGER_SCRIPT, keys, args, CONSUME).then(outcomeOf)
  }

  return {
    consume,
    generation() {
      if (refusal !== undefined) throw unavailable(new Error(refusal))
      if (lastReply === undefined || elapsed() - lastReply.askedAt > OLDEST_MS) {
        throw unavailable(new Error('nothing heard of the ledger for too long'))
      }
      if (lastReply.generation === undefined) throw outdated(`the ledger's schema is not ${SCHEMA}`)
      return lastReply.generation
    },
    beganAt() {
      const { beganMs = NaN } = lastReply ?? {}
      return beganMs >= 0 ? unixSeconds(Math.floor(beganMs / 1000)) : undefined
    },
    poll,
    probe: () => (link.isHung() ? Promise.reject(unavailable(new Error('Redis does not answer'))) : poll()),
    fullness: () => fullness,
    refusal: () => refusal,
    distrust() {
      checked = false
    },
  }
}

function outcomeOf([word]: Told): Consumption {
  const outcome = OUTCOMES[word]
  if (outcome === undefined) throw unavailable(new Error(`the ledger's script answered ${word}`))
  return outcome
}

function throwUnavailable(cause: unknown): never {
  throw unavailable(cause)
}

const unavailable = (cause: unknown): Fault => new Fault('database-unavailable', { cause, retryAfter: seconds(1) })
const outdated = (why: string): Fault =>
  new Fault('database-schema-outdated', { cause: new Error(why), retryAfter: seconds(1) })
