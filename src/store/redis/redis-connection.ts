import { setImmediate as endOfTurn } from 'node:timers/promises'
import { type Cluster, Redis, ReplyError } from 'ioredis'
import type { Log } from '../../domain/observing.ts'
import { hung, Liveness } from './liveness.ts'
import { partitionOf, prefixesOf } from './partitions.ts'
import { redisClient, type RedisPlace } from './redis-client.ts'
import { isToLeave, RedisFailure } from './redis-failure.ts'

/** How long a call may take, and whether it is retried after a lost reply. */
export interface Patience {
  /** Milliseconds in total, including the retry and the wait for a connection. */
  readonly budgetMs: number
  /** Only for calls that may run twice without harm. */
  readonly retry: boolean
  /** For polls: also sent to a server that hangs, to find out when it answers again. */
  readonly whileHung?: boolean
}

/** Runs a Lua script. In a Cluster all keys must be in one slot. @throws {RedisFailure} if no answer comes in time. */
export type Script = (
  keys: readonly string[],
  args: readonly string[],
  patience: Patience,
) => Promise<unknown>

/** The connection that ledger, limits and history share. It reconnects after every outage. */
export interface RedisConnection {
  readonly client: Redis | Cluster
  /** Key prefixes, one for each partition: `{hv}:`. */
  readonly prefixes: readonly string[]
  /** Returns the prefix for a key of this name. */
  prefixFor(name: string): string
  /** Defines a script as a command of the client. */
  script(name: string, lua: string): Script
  /** Makes a call with the client, within its time. @throws {RedisFailure}, or anything but an Error that the call rejects with. */
  ask<T>(call: () => Promise<T>, patience: Patience): Promise<T>
  /** Returns why Redis is known to be unavailable, or undefined. Sends nothing. */
  trouble(): RedisFailure | undefined
  /** Calls the listener each time a connection becomes usable. */
  onReady(listener: () => void): void
  /** Calls the listener each time the server refuses a single call, such as for a missing permission. */
  onRefused(listener: () => void): void
  close(): Promise<void>
}

/** No answer came in time. */
class Overdue extends Error {}

export interface ConnectionParts {
  readonly log: Log
  /** Number of hash tags that the keys are spread over: 1 to 64, the same in every instance. */
  readonly partitions?: number
}

export function redisConnection(
  place: RedisPlace,
  { log, partitions = 1 }: ConnectionParts,
): RedisConnection {
  const prefixes = prefixesOf(place.keyPrefix, partitions)
  const client = redisClient(place)
  const liveness = new Liveness(client, place, log)
  const refusals = new Set<() => void>()
  const ask = asker(client, liveness, () => refusals.forEach((listener) => listener()))
  return {
    client,
    prefixes,
    prefixFor: (name) => prefixes[partitionOf(name, partitions)]!,
    script(name, lua) {
      client.defineCommand(name, { lua })
      const commands = client as unknown as Record<
        string,
        (...words: (string | number)[]) => Promise<unknown>
      >
      return (keys, args, patience) =>
        ask(() => commands[name]!(keys.length, ...keys, ...args), patience)
    },
    ask,
    trouble: () => liveness.trouble(),
    onReady: (listener) => liveness.onReady(listener),
    onRefused: (listener) => void refusals.add(listener),
    close: async () => liveness.close(),
  }
}

/** Returns a function that makes calls within their time. @param onRefused called when the server refuses a single call. */
function asker(
  client: Redis | Cluster,
  liveness: Liveness,
  onRefused: () => void,
): RedisConnection['ask'] {
  async function attempt<T>(call: () => Promise<T>, leftMs: number): Promise<Attempt<T>> {
    try {
      return { value: await answerInTime(call, leftMs, liveness) }
    } catch (error) {
      if (!(error instanceof Error)) throw error
      const outcome = outcomeOf(error, client)
      const failure = new RedisFailure(error)
      if (outcome === 'failed' && !failure.isOutage) onRefused()
      return { outcome, failure }
    }
  }

  return async (call, { budgetMs, retry, whileHung = false }) => {
    const deadline = performance.now() + budgetMs
    const left = (): number => deadline - performance.now()
    let retriesLeft = retry ? 1 : 0
    let last: Outcome | undefined
    for (;;) {
      if (liveness.isHung && !whileHung) throw hung()
      if (last === 'left' || !liveness.isReady) await liveness.ready(left(), budgetMs)
      const made = await attempt(call, left())
      if ('value' in made) return made.value
      last = made.outcome
      if (!isRepeatable(last, retriesLeft) || left() <= 0) throw made.failure
      retriesLeft -= RETRIES_OF[last]
    }
  }
}

/** What came of making a call once: its result, or how it ended without one. */
type Attempt<T> =
  { readonly value: T } | { readonly outcome: Outcome; readonly failure: RedisFailure }

/**
 * How a call ended without its result. `forgotten`: the script did not run, since the server lost it again before the library's
 * own retry. `left`: the server cannot serve, and the client leaves it for another one. `lost`: the connection was lost before
 * an answer came. `failed`: anything else.
 */
type Outcome = 'forgotten' | 'left' | 'lost' | 'failed'

function outcomeOf(error: Error, client: Redis | Cluster): Outcome {
  if (new RedisFailure(error).code === 'NOSCRIPT') return 'forgotten'
  if (error instanceof Overdue) return 'failed'
  if (!(error instanceof ReplyError)) return 'lost'
  return client instanceof Redis && isToLeave(error) ? 'left' : 'failed'
}

/** What each outcome takes of the retries of a call. */
const RETRIES_OF: Readonly<Record<Outcome, number>> = { forgotten: 0, left: 1, lost: 1, failed: 1 }

const isRepeatable = (outcome: Outcome, retriesLeft: number): boolean =>
  outcome !== 'failed' && RETRIES_OF[outcome] <= retriesLeft

/** Makes a call once. @throws {Overdue} if its time is over before the answer comes. */
function answerInTime<T>(call: () => Promise<T>, leftMs: number, liveness: Liveness): Promise<T> {
  const sentAt = performance.now()
  return new Promise((resolve, reject) => {
    async function giveUp(): Promise<void> {
      // After a blocked event loop, timers run before replies that have already arrived are read.
      await endOfTurn()
      liveness.gaveUp(sentAt)
      reject(new Overdue('no answer in time'))
    }
    const timer = setTimeout(() => void giveUp(), Math.max(0, leftMs))
    call().then(
      (answer) => {
        clearTimeout(timer)
        liveness.answered()
        resolve(answer)
      },
      (error: unknown) => {
        clearTimeout(timer)
        if (error instanceof ReplyError) liveness.answered()
        reject(error)
      },
    )
  })
}
