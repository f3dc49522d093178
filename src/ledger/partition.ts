import { Fault } from '../domain/codes.ts'
import { type Generation, seconds, type UnixSeconds, unixSeconds } from '../domain/words.ts'
import type { Consumable, Consumption, Patience, Random, UsedUp } from '../ports/stores.ts'
import { readRefusal } from './check-redis.ts'
import { bucketKey, bucketNumber } from './buckets.ts'
import type { RedisLink } from '../redis/link.ts'
import { callOf1, GENERATION_KEY_1, LEDGER_SCRIPT_1 } from './schema-1.ts'
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

/** A window of the limiter that the same call may count in. */
export interface CountedWindow {
  /** Its whole key; in a Cluster of the same hash tag as the entry. */
  readonly key: string
  readonly points: number
  /** Seconds. */
  readonly per: number
  /** Gives the point back where another attempt, another generation or the end of the token kept it from being consumed. */
  readonly onlyOurs: boolean
}

/** One hash tag's share of the ledger, with a generation of its own. */
export interface Partition {
  consume(entry: Consumable): Promise<Consumption>
  /** Takes a point of the window first, in the same call. @throws {Fault} `rate-limiter-unavailable` too. */
  consumeWithin(entry: Consumable, window: CountedWindow): Promise<Consumption | UsedUp>
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
  /** The generation of release 0.1, while instances of it use the same Redis. */
  readonly generation1: Generation | undefined
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
  const generationKey1 = `${prefix}${GENERATION_KEY_1}`
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
    // Said before the generation was looked at.
    if (word === 'limited' || word === 'limiter') return reply
    if (word === 'noid') throw unavailable(new Error('Redis does not show its master_replid'))
    const generation = word === 'schema' ? undefined : (value as Generation)
    if (lastReply === undefined || askedAt >= lastReply.askedAt) {
      // Another server, perhaps: a replica was promoted, or a slot of the Cluster moved, without a new connection.
      if (lastReply?.generation !== generation) checked = false
      // Only a poll looks for release 0.1.
      const generation1 = word === 'gen' ? ((reply[2] || undefined) as Generation | undefined) : lastReply?.generation1
      const before = lastReply && (lastReply.generation1 ?? lastReply.generation)
      if (lastReply !== undefined && before !== (generation1 ?? generation)) onMove?.()
      const isSame = lastReply?.generation === generation
      const beganMs = word === 'gen' ? Number(reply[4] || NaN) : isSame ? lastReply?.beganMs : undefined
      lastReply = { askedAt, generation, generation1, beganMs }
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
    const [, , , used, , ...buckets] = await ask(POLL_SCRIPT, [generationKey, generationKey1], args, patience)
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

  function mark(entry: Consumable, window?: CountedWindow): Promise<Consumption | UsedUp> {
    if (refusal !== undefined) return Promise.reject(unavailable(new Error(refusal)))
    if (entry.generation === lastReply?.generation1) return mark1(entry, window)
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
    addWindow(keys, args, window)
    return ask(LEDGER_SCRIPT, keys, args, CONSUME).then(outcomeOf)
  }

  /** Consumes by the rules of release 0.1, whose instances must see the entry too. */
  function mark1(entry: Consumable, window?: CountedWindow): Promise<Consumption | UsedUp> {
    const { key, args } = callOf1(prefix, entry)
    const keys = [generationKey1, key]
    addWindow(keys, args, window)
    return link
      .evaluate(LEDGER_SCRIPT_1, keys, args, CONSUME)
      .then((reply) => outcomeOf(reply as Told), throwUnavailable)
  }

  return {
    // Without a window nothing can be used up.
    consume: async (entry) => (await mark(entry)) as Consumption,
    consumeWithin: mark,
    generation() {
      if (refusal !== undefined) throw unavailable(new Error(refusal))
      if (lastReply === undefined || elapsed() - lastReply.askedAt > OLDEST_MS) {
        throw unavailable(new Error('nothing heard of the ledger for too long'))
      }
      if (lastReply.generation === undefined) throw outdated(`the ledger's schema is not ${SCHEMA}`)
      return lastReply.generation1 ?? lastReply.generation
    },
    beganAt() {
      const { beganMs = NaN, generation1 } = lastReply ?? {}
      return generation1 === undefined && beganMs >= 0 ? unixSeconds(Math.floor(beganMs / 1000)) : undefined
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

function addWindow(keys: string[], args: string[], window: CountedWindow | undefined): void {
  if (!window) return
  keys.push(window.key)
  args.push(String(window.points), String(window.per), window.onlyOurs ? '1' : '0')
}

function outcomeOf([word, value]: Told): Consumption | UsedUp {
  if (word === 'limited') return { waitMs: Number(value) }
  if (word === 'limiter') {
    throw new Fault('rate-limiter-unavailable', { cause: new Error(String(value)), retryAfter: seconds(1) })
  }
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
