import type { Consumable, Consumption, Random } from '../../domain/ports.ts'
import { type Generation, type UnixSeconds, unixSeconds } from '../../domain/words.ts'
import { evictionRefusal, type ReadRefusal, refusalReader } from '../redis/check-redis.ts'
import type { RedisConnection } from '../redis/redis-connection.ts'
import { outdated, throwUnavailable, unavailable } from './ledger-fault.ts'
import { type Answer, LedgerScript, type Memory, type PollAnswer } from './ledger-script.ts'

/** The name of the generation hash, after the prefix of its partition. */
const GENERATION_KEY = 'gen'
/** Maximum age of the last answer for issuing challenges. docs/design/single-use.md, "The generation". */
const OLDEST_MS = 1500
const POLL_BUDGET_MS = 300
/** Milliseconds between two polls with maintenance, and between two checks of the server's settings. */
const MAINTENANCE_EVERY_MS = 5000

const CONSUMPTIONS: readonly string[] = [
  'first',
  'again',
  'taken',
  'stale',
  'expired',
] satisfies Consumption[]
const isConsumption = (word: string): word is Consumption => CONSUMPTIONS.includes(word)

export interface PartitionParts {
  readonly random: Random
  /** Milliseconds of a clock that never jumps. */
  readonly elapsed?: () => number
  /** Unix milliseconds. */
  readonly clock?: () => number
  /** Called when the generation changes. */
  readonly onMove?: (() => void) | undefined
}

/** What the store's last answer said. */
interface LastAnswer {
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
  #last: LastAnswer | undefined
  #refusal: string | undefined
  #checkedAt = -Infinity
  #maintainedAt = -Infinity
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
      const answer = await this.#script.consume(entry, this.#memory()).catch(throwUnavailable)
      const { word } = this.#accept(answer, askedAt)
      if (!isConsumption(word)) throw unavailable(new Error(`the ledger's script answered ${word}`))
      return word
    } catch (error) {
      // The next poll tries a write.
      this.#maintainedAt = -Infinity
      throw error
    }
  }

  /** @throws {Fault} if the last answer is too old, has another schema, or came from a server that is unfit for the ledger. */
  generation(): Generation {
    this.#throwRefusal()
    const last = this.#last
    if (last === undefined || this.#elapsed() - last.askedAt > OLDEST_MS)
      throw unavailable(new Error('the ledger has not answered for too long'))
    if (last.generation === undefined) throw outdated("the ledger's schema differs from ours")
    return last.generation
  }

  /** Returns when that generation began; undefined if unknown. */
  beganAt(): UnixSeconds | undefined {
    const beganMs = this.#last?.beganMs
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
    this.#maintainedAt = -Infinity
  }

  /** Polls the store; concurrent callers share one poll. @throws {Fault} */
  poll(): Promise<void> {
    this.#polling ??= this.#pollOnce().finally(() => {
      this.#polling = undefined
    })
    return this.#polling
  }

  async #pollOnce(): Promise<void> {
    const deadline = this.#elapsed() + POLL_BUDGET_MS
    await this.#checkServer()
    const budgetMs = Math.max(0, deadline - this.#elapsed())
    const patience = { budgetMs, retry: false, whileHung: true }
    const maintains = this.#elapsed() - this.#maintainedAt >= MAINTENANCE_EVERY_MS
    const sentMs = this.#clock()
    const askedAt = this.#elapsed()
    const answer = await this.#script
      .poll(this.#memory(), maintains, patience)
      .catch(throwUnavailable)
    this.#accept(answer, askedAt)
    this.#noteServer(answer, sentMs)
    if (maintains && answer.full === '') this.#maintainedAt = this.#elapsed()
    if (answer.buckets.length > 0) await this.#script.remove(answer.buckets, patience)
    this.#throwRefusal()
  }

  /** Checks now and then whether the server is fit for the ledger. @throws {Fault} */
  async #checkServer(): Promise<void> {
    if (this.#refusal !== undefined || this.#elapsed() - this.#checkedAt >= MAINTENANCE_EVERY_MS) {
      this.#refusal = await this.#readRefusal(this.#prefix, POLL_BUDGET_MS).catch(throwUnavailable)
      this.#checkedAt = this.#elapsed()
    }
    this.#throwRefusal()
  }

  #noteServer({ fullness, policy, nowMs, full }: PollAnswer, sentMs: number): void {
    this.#fullness = fullness
    // The server read its clock between our request and its reply: what lies between these is no difference.
    const ahead = Math.max(0, sentMs - nowMs)
    const behind = Math.max(0, nowMs - this.#clock())
    this.#aheadMs = ahead - behind
    this.#refusal = evictionRefusal(policy) ?? (full || undefined)
  }

  #memory(): Memory | undefined {
    const { generation, serial = 0 } = this.#last ?? {}
    return generation === undefined ? undefined : { generation, serial }
  }

  /** Remembers what an answer says. @throws {Fault} if the server or its data cannot be used. */
  #accept<A extends Answer | PollAnswer>(answer: A, askedAt: number): A {
    const { word, otherSchema } = answer
    if (word === 'noid') throw unavailable(new Error('Redis does not report its master_replid'))
    const last = this.#last
    const next = lastAfter(last, answer, askedAt)
    if (next.generation !== last?.generation) {
      // It may be another server: a replica was promoted, or a Cluster slot moved, without a new connection.
      this.#checkedAt = -Infinity
      if (last !== undefined) this.#onMove?.()
    }
    this.#last = next
    if (otherSchema !== undefined)
      throw outdated(`the ledger's schema is ${otherSchema}, which differs from ours`)
    return answer
  }

  #throwRefusal(): void {
    if (this.#refusal !== undefined) throw unavailable(new Error(this.#refusal))
  }
}

/** Returns what is known after an answer. One to an earlier request than the last undoes nothing. */
function lastAfter(
  last: LastAnswer | undefined,
  answer: Answer | PollAnswer,
  askedAt: number,
): LastAnswer {
  const { generation, serial } = answer
  const isNewer = last === undefined || askedAt >= last.askedAt
  const beganMs = 'beganMs' in answer ? answer.beganMs : undefined
  if (last === undefined || last.generation !== generation)
    return isNewer ? { generation, askedAt, serial, beganMs } : last
  const isKnown = 'beganMs' in answer && isNewer
  return {
    generation,
    askedAt: Math.max(last.askedAt, askedAt),
    serial: Math.max(last.serial, serial),
    beganMs: isKnown ? beganMs : last.beganMs,
  }
}
