import { Fault } from '../domain/codes.ts'
import { type Generation, seconds } from '../domain/words.ts'
import type { Consumable, Consumption, Ledger, Log, Random } from '../ports.ts'
import { readRefusal } from './check-redis.ts'
import type { Patience, RedisLink } from './redis-link.ts'
import { LEDGER_SCRIPT, SCHEMA } from './script.ts'

const POLL_MS = 250
/** An instance that has heard nothing for so long stops issuing challenges. THREATS.md, section 2. */
const OLDEST_MS = 1500
const CONSUME: Patience = { budgetMs: 600, retry: true }
const ASK_MS = 400

const OUTCOMES: Readonly<Record<string, Consumption>> = {
  ok: 'ours',
  dup: 'taken',
  stale: 'stale',
  expired: 'expired',
}
const KINDS = { response: 't', challenge: 'c' } as const

export interface RedisLedgerParts {
  readonly random: Random
  readonly log: Log
  /** Milliseconds of a clock that never jumps. */
  readonly elapsed?: () => number
}

/** What the store last said; `askedAt` is when we asked, so the copy is never younger than it claims. */
interface Heard {
  readonly askedAt: number
  /** undefined: the schema is another. */
  readonly generation: Generation | undefined
}

/** The ledger of many processes. Closing it leaves the link open: the limiter uses it too. */
export function redisLedger(
  link: RedisLink,
  { random, log, elapsed = () => performance.now() }: RedisLedgerParts,
): Ledger {
  const generationKey = `${link.prefix}gen`
  let heard: Heard | undefined
  let refusal: string | undefined
  let checked = false
  let poll: Promise<void> | undefined
  let complaint: string | undefined

  /** Runs the script once (or once more after a lost reply), and remembers what it tells of the generation. */
  async function ask(keys: readonly string[], args: readonly string[], patience: Patience): Promise<string> {
    const askedAt = elapsed()
    const reply = await link.evaluate(LEDGER_SCRIPT, keys, args, patience).catch((cause: unknown) => {
      throw unavailable(cause)
    })
    const [word, value] = reply as [string, string | null]
    if (word === 'noid') throw unavailable(new Error('Redis does not show its master_replid'))
    const generation = word === 'schema' ? undefined : (value as Generation)
    if (heard === undefined || askedAt >= heard.askedAt) heard = { askedAt, generation }
    if (generation === undefined) throw outdated(`the ledger's schema is ${value ?? 'missing'}, ours is ${SCHEMA}`)
    return word
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
      refusal = await readRefusal(link, ASK_MS).catch((cause: unknown) => {
        throw unavailable(cause)
      })
      checked = true
    }
    if (refusal !== undefined) throw unavailable(new Error(refusal))
    const budgetMs = Math.max(0, deadline - elapsed())
    await ask([generationKey], ['', '', '0', random.id(), '0', SCHEMA], { budgetMs, retry: false })
  }

  /** Never more than one at a time: whoever asks meanwhile gets the same answer. */
  function probe(): Promise<void> {
    poll ??= askGeneration().finally(() => {
      poll = undefined
    })
    return poll
  }

  /** For the timer and for new connections: nobody waits for it; what an operator must mend is said once. */
  async function listen(): Promise<void> {
    try {
      await probe()
      complaint = undefined
    } catch (error) {
      const fault = error as Fault
      const says = refusal ?? (fault.code === 'database-schema-outdated' ? messageOf(fault.cause) : undefined)
      if (says === undefined || says === complaint) return
      complaint = says
      log.error('the ledger cannot be used', { code: fault.code, detail: says })
    }
  }

  link.onReady(() => {
    checked = false
    void listen()
  })
  const timer = setInterval(() => void listen(), POLL_MS)
  timer.unref()
  void listen()

  return {
    async consume(entry) {
      if (refusal !== undefined) throw unavailable(new Error(refusal))
      const keys = [generationKey, `${link.prefix}${KINDS[entry.kind]}:${entry.jti}`]
      const word = await ask(keys, consumeArgs(entry), CONSUME)
      const outcome = OUTCOMES[word]
      if (outcome === undefined) throw unavailable(new Error(`the ledger's script answered ${word}`))
      return outcome
    },
    generation() {
      if (refusal !== undefined) throw unavailable(new Error(refusal))
      if (heard === undefined || elapsed() - heard.askedAt > OLDEST_MS) {
        throw unavailable(new Error('nothing heard of the ledger for too long'))
      }
      if (heard.generation === undefined) throw outdated(`the ledger's schema is not ${SCHEMA}`)
      return heard.generation
    },
    probe,
    async close() {
      clearInterval(timer)
    },
  }
}

const unavailable = (cause: unknown): Fault => new Fault('database-unavailable', { cause, retryAfter: seconds(1) })
const outdated = (why: string): Fault =>
  new Fault('database-schema-outdated', { cause: new Error(why), retryAfter: seconds(1) })
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
