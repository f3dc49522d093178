import type { Consumable, Consumption, Random } from '../../domain/ports.ts'
import { type Generation, type UnixSeconds, unixSeconds } from '../../domain/words.ts'
import { evictionRefusal, type ReadRefusal, refusalReader } from '../redis/check-redis.ts'
import type { RedisConnection } from '../redis/redis-connection.ts'
import { outdated, throwUnavailable, unavailable } from './ledger-fault.ts'
import { type Answer, LedgerScript, type Memory, type PollAnswer } from './ledger-script.ts'

/** The name of the generation hash, after the prefix of its partition. */
export const GENERATION_KEY = 'gen'
/** Maximum age of the last answer for issuing challenges. docs/design/single-use.md, "The generation". */
const OLDEST_MS = 1500
const POLL_MS = 300
/** Milliseconds between two checks for expired buckets and of the user's permissions. */
const LOOK_EVERY_MS = 5000

const OUTCOMES: Readonly<Record<string, Consumption>> = {
  ok: 'first',
  own: 'again',
  dup: 'taken',
  stale: 'stale',
  expired: 'expired',
}

export interface PartitionParts {
  readonly random: Random
  /** Milliseconds of a clock that never jumps. */
  readonly elapsed?: () => number
  /** Unix milliseconds. */
  readonly clock?: () => number
  /** Called when the generation changes. */
  readonly onMove?: (() => void) | undefined
}

/** The store's last answer. */
interface Heard {
  /** When we sent the request, so that the answer's age is never underestimated. */
  readonly askedAt: number
  /** undefined: the schema differs from ours. */
  readonly generation: Generation | undefined
  /** The highest serial of that generation, of all answers. */
  readonly serial: number
  /** When the generation began, in Unix milliseconds of the server; undefined until a poll returns it. */
  readonly beganMs: number | undefined
}

/** One hash tag's share of the ledger, with its own generation. */
export class LedgerPartition {
  readonly #prefix: string
  readonly #script: LedgerScript
  readonly #readRefusal: ReadRefusal
  readonly #elapsed: () => number
  readonly #clock: () => number
  readonly #onMove: (() => void) | undefined
  #heard: Heard | undefined
  #refusal: string | undefined
  #checkedAt = -Infinity
  #lookedAt = -Infinity
  #polling: Promise<void> | undefined
  #fullness = 0
  #aheadMs = 0

  /** @param prefix of its keys: `{hv}:`. */
  constructor(redis: RedisConnection, prefix: string, parts: PartitionParts) {
    const { random, elapsed = () => performance.now(), clock = Date.now, onMove } = parts
    this.#prefix = prefix
    this.#script = new LedgerScript(redis, prefix, `${prefix}${GENERATION_KEY}`, random)
    this.#readRefusal = refusalReader(redis)
    this.#elapsed = elapsed
    this.#clock = clock
    this.#onMove = onMove
  }

  async consume(entry: Consumable): Promise<Consumption> {
    this.#throwRefusal()
    const askedAt = this.#elapsed()
    try {
      const asked = this.#script.consume(entry, this.#memory()).catch(throwUnavailable)
      const { word } = this.#hear(await asked, askedAt)
      const outcome = OUTCOMES[word]
      if (outcome === undefined)
        throw unavailable(new Error(`the ledger's script answered ${word}`))
      return outcome
    } catch (error) {
      // The next poll tries a write.
      this.#lookedAt = -Infinity
      throw error
    }
  }

  /** @throws {Fault} if the last answer is too old, has another schema, or came from a server that is unfit for the ledger. */
  generation(): Generation {
    this.#throwRefusal()
    const heard = this.#heard
    if (heard === undefined || this.#elapsed() - heard.askedAt > OLDEST_MS)
      throw unavailable(new Error('the ledger has not answered for too long'))
    if (heard.generation === undefined) throw outdated("the ledger's schema differs from ours")
    return heard.generation
  }

  /** Returns when that generation began; undefined if unknown. */
  beganAt(): UnixSeconds | undefined {
    const beganMs = this.#heard?.beganMs
    return beganMs === undefined ? undefined : unixSeconds(Math.floor(beganMs / 1000))
  }

  /** Share of maxmemory in use at the last poll, 0 to 1; 0 if there is no limit or the server does not report it. */
  fullness(): number {
    return this.#fullness
  }

  /** Lower bound of the milliseconds by which our clock was ahead of the server's at the last poll; negative: behind. */
  aheadMs(): number {
    return this.#aheadMs
  }

  /** Returns what the operator has to fix; undefined if nothing is known. */
  refusal(): string | undefined {
    return this.#refusal
  }

  /** Makes the next poll check the server's settings again, as after a new connection. */
  distrust(): void {
    this.#checkedAt = -Infinity
    this.#lookedAt = -Infinity
  }

  /** Polls the store; concurrent callers share one poll. @throws {Fault} */
  poll(): Promise<void> {
    this.#polling ??= this.#pollOnce().finally(() => {
      this.#polling = undefined
    })
    return this.#polling
  }

  async #pollOnce(): Promise<void> {
    const deadline = this.#elapsed() + POLL_MS
    await this.#checkServer()
    const budgetMs = Math.max(0, deadline - this.#elapsed())
    const patience = { budgetMs, retry: false, whileHung: true }
    const looks = this.#elapsed() - this.#lookedAt >= LOOK_EVERY_MS
    const sentMs = this.#clock()
    const askedAt = this.#elapsed()
    const asked = this.#script.poll(this.#memory(), looks, patience).catch(throwUnavailable)
    const answer = this.#hear(await asked, askedAt)
    this.#noteServer(answer, sentMs)
    if (looks && answer.full === '') this.#lookedAt = this.#elapsed()
    if (answer.buckets.length > 0) await this.#script.remove(answer.buckets, patience)
    this.#throwRefusal()
  }

  /** Checks now and then whether the server is fit for the ledger. @throws {Fault} */
  async #checkServer(): Promise<void> {
    if (this.#refusal !== undefined || this.#elapsed() - this.#checkedAt >= LOOK_EVERY_MS) {
      this.#refusal = await this.#readRefusal(this.#prefix, POLL_MS).catch(throwUnavailable)
      this.#checkedAt = this.#elapsed()
    }
    this.#throwRefusal()
  }

  #noteServer({ fullness, policy, nowMs, full }: PollAnswer, sentMs: number): void {
    this.#fullness = fullness
    // The server read its clock between our request and its reply.
    this.#aheadMs = Math.max(0, sentMs - nowMs) + Math.min(0, this.#clock() - nowMs)
    this.#refusal = evictionRefusal(policy) ?? (full || undefined)
  }

  #memory(): Memory | undefined {
    const { generation, serial = 0 } = this.#heard ?? {}
    return generation === undefined ? undefined : { generation, serial }
  }

  /** Remembers what an answer says. @throws {Fault} if the server or its data cannot be used. */
  #hear<A extends Answer | PollAnswer>(answer: A, askedAt: number): A {
    const { word, otherSchema } = answer
    if (word === 'noid') throw unavailable(new Error('Redis does not report its master_replid'))
    const last = this.#heard
    const heard = heardAfter(last, answer, askedAt)
    if (heard.generation !== last?.generation) {
      // It may be another server: a replica was promoted, or a Cluster slot moved, without a new connection.
      this.#checkedAt = -Infinity
      if (last !== undefined) this.#onMove?.()
    }
    this.#heard = heard
    if (otherSchema !== undefined)
      throw outdated(`the ledger's schema is ${otherSchema}, which differs from ours`)
    return answer
  }

  #throwRefusal(): void {
    if (this.#refusal !== undefined) throw unavailable(new Error(this.#refusal))
  }
}

/** Returns what is known after an answer. One to an earlier request than the last undoes nothing. */
function heardAfter(last: Heard | undefined, answer: Answer | PollAnswer, askedAt: number): Heard {
  const { generation, serial } = answer
  const isNewer = last === undefined || askedAt >= last.askedAt
  const beganMs = 'beganMs' in answer ? answer.beganMs : undefined
  if (last === undefined || last.generation !== generation)
    return isNewer ? { generation, askedAt, serial, beganMs } : last
  const known = 'beganMs' in answer && isNewer ? beganMs : last.beganMs
  return {
    generation,
    askedAt: Math.max(last.askedAt, askedAt),
    serial: Math.max(last.serial, serial),
    beganMs: known,
  }
}
