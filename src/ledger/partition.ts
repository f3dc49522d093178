import { Fault } from '../domain/codes.ts'
import { type Generation, seconds } from '../domain/words.ts'
import type { Consumable, Consumption, Random, UsedUp } from '../ports.ts'
import { readRefusal } from './check-redis.ts'
import type { Patience, RedisLink } from './redis-link.ts'
import { LEDGER_SCRIPT, SCHEMA } from './script.ts'

/** An instance that has heard nothing for so long stops issuing challenges. THREATS.md, section 2. */
const OLDEST_MS = 1500
const CONSUME: Patience = { budgetMs: 500, retry: true }
const ASK_MS = 300

const OUTCOMES: Readonly<Record<string, Consumption>> = {
  ok: 'ours',
  dup: 'taken',
  stale: 'stale',
  expired: 'expired',
}
const KINDS = { response: 't', challenge: 'c' } as const

export interface PartitionParts {
  readonly random: Random
  /** Milliseconds of a clock that never jumps. */
  readonly elapsed: () => number
  /** Called when another generation is in force than before. */
  readonly moved?: (() => void) | undefined
}

/** A window of the limiter that the same call may count in. */
export interface CountedWindow {
  /** Its whole key; in a Cluster of the same hash tag as the entry. */
  readonly key: string
  readonly points: number
  /** Seconds. */
  readonly per: number
}

/** One hash tag's share of the ledger, with a generation of its own. */
export interface Partition {
  consume(entry: Consumable): Promise<Consumption>
  /** The same, and a point of the window before it. @throws {Fault} `rate-limiter-unavailable` too. */
  consumeWithin(entry: Consumable, window: CountedWindow): Promise<Consumption | UsedUp>
  /** @throws {Fault} when what we know is too old, of another schema, or of a server that may not hold the ledger. */
  generation(): Generation
  /** Asks now; whoever asks meanwhile gets the same answer. @throws {Fault} */
  probe(): Promise<void>
  /** What an operator must mend, once it is known. */
  refusal(): string | undefined
  /** A new connection: whether the server may hold the ledger is asked again. */
  distrust(): void
}

/** What the store last said; `askedAt` is when we asked, so the copy is never younger than it claims. */
interface Heard {
  readonly askedAt: number
  /** undefined: the schema is another. */
  readonly generation: Generation | undefined
}

/** What the script answers. */
type Told = readonly [word: string, value: string | null]

/**
 * What each request does is `then`, here and on the way here: five async functions would keep 5 kB for as long as it waits.
 *
 * @param prefix what its keys begin with: `{hv}:`.
 */
export function ledgerPartition(
  link: RedisLink,
  prefix: string,
  { random, elapsed, moved }: PartitionParts,
): Partition {
  const generationKey = `${prefix}gen`
  let heard: Heard | undefined
  let refusal: string | undefined
  let checked = false
  let asking: Promise<void> | undefined

  /** Runs the script once (or once more after a lost reply), and remembers what it tells of the generation. */
  function ask(keys: readonly string[], args: readonly string[], patience: Patience): Promise<Told> {
    const askedAt = elapsed()
    return link
      .evaluate(LEDGER_SCRIPT, keys, args, patience)
      .then((reply) => hear(reply as Told, askedAt), throwUnavailable)
  }

  function hear(told: Told, askedAt: number): Told {
    const [word, value] = told
    // Said before the generation was looked at.
    if (word === 'limited' || word === 'limiter') return told
    if (word === 'noid') throw unavailable(new Error('Redis does not show its master_replid'))
    const generation = word === 'schema' ? undefined : (value as Generation)
    if (heard === undefined || askedAt >= heard.askedAt) {
      // Another server, perhaps: a replica was promoted, or a slot of the Cluster moved, without a new connection.
      if (heard?.generation !== generation) checked = false
      if (heard !== undefined && heard.generation !== generation) moved?.()
      heard = { askedAt, generation }
    }
    if (generation === undefined) throw outdated(`the ledger's schema is ${value ?? 'missing'}, ours is ${SCHEMA}`)
    return told
  }

  const consumeArgs = ({ attempt, generation, expiresAt, keepUntil }: Consumable): string[] => [
    attempt,
    generation,
    String(expiresAt * 1000),
    random.id(),
    String(keepUntil * 1000),
    SCHEMA,
  ]

  async function askGeneration(): Promise<void> {
    const deadline = elapsed() + ASK_MS
    if (!checked || refusal !== undefined) {
      refusal = await readRefusal(link, prefix, ASK_MS).catch((cause: unknown) => {
        throw unavailable(cause)
      })
      checked = true
    }
    if (refusal !== undefined) throw unavailable(new Error(refusal))
    const budgetMs = Math.max(0, deadline - elapsed())
    await ask([generationKey], ['', '', '0', random.id(), '0', SCHEMA], { budgetMs, retry: false })
  }

  function mark(entry: Consumable, window?: CountedWindow): Promise<Consumption | UsedUp> {
    if (refusal !== undefined) return Promise.reject(unavailable(new Error(refusal)))
    const keys = [generationKey, `${prefix}${KINDS[entry.kind]}:${entry.jti}`]
    const args = consumeArgs(entry)
    if (window) {
      keys.push(window.key)
      args.push(String(window.points), String(window.per))
    }
    return ask(keys, args, CONSUME).then(outcomeOf)
  }

  return {
    // Without a window nothing can be used up.
    consume: async (entry) => (await mark(entry)) as Consumption,
    consumeWithin: mark,
    generation() {
      if (refusal !== undefined) throw unavailable(new Error(refusal))
      if (heard === undefined || elapsed() - heard.askedAt > OLDEST_MS) {
        throw unavailable(new Error('nothing heard of the ledger for too long'))
      }
      if (heard.generation === undefined) throw outdated(`the ledger's schema is not ${SCHEMA}`)
      return heard.generation
    },
    probe() {
      asking ??= askGeneration().finally(() => {
        asking = undefined
      })
      return asking
    },
    refusal: () => refusal,
    distrust() {
      checked = false
    },
  }
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
