import { setImmediate as endOfTurn } from 'node:timers/promises'
import { type Cluster, Redis, ReplyError } from 'ioredis'
import type { Log } from '../../domain/observing.ts'
import { partitionOf, prefixesOf } from './partitions.ts'
import { passwordHint, readPasswordsAgain, redisClient, type RedisPlace } from './redis-client.ts'
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

/** Milliseconds without any answer after which a connected server counts as hung, until it answers anything. */
const HUNG_MS = 280
/** Milliseconds after which a client that gave up is reconnected. */
const GAVE_UP_MS = 250

const hung = (): RedisFailure =>
  new RedisFailure(new Error('Redis is connected and does not answer'))

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
  const listeners = new Set<() => void>()
  const refused = new Set<() => void>()
  const client = redisClient(place)
  let lostAt: number | undefined = performance.now()
  let answeredAt = -Infinity
  let [isHung, complained, closed] = [false, false, false]

  const heard = (): void => {
    isHung = false
    answeredAt = performance.now()
  }
  /** Logs once per outage: an attempt to connect fails every half second. */
  const complain = (detail: string): void => {
    const hint = detail.startsWith('WRONGPASS') ? passwordHint(client) : undefined
    if (!complained && !closed)
      log.warn('redis cannot be reached', { detail, ...(hint !== undefined && { hint }) })
    complained = true
  }
  client.on('error', (error: Error) => complain(new RedisFailure(error).message))
  client.on('ready', () => {
    if (closed) return
    lostAt = undefined
    heard()
    if (complained) log.info('redis is back')
    complained = false
    for (const listener of listeners) listener()
  })
  client.on('close', () => {
    lostAt ??= performance.now()
    try {
      readPasswordsAgain(client, place)
    } catch (error) {
      complain((error as Error).message)
    }
  })
  // The client retries forever, except after some errors of its connector.
  client.on('end', () => {
    if (!closed) setTimeout(() => void client.connect().catch(() => undefined), GAVE_UP_MS).unref()
  })

  /** Waits for a connection. Rejects at once if the outage has lasted longer than the call may take, so that requests do not pile up. */
  function ready(leftMs: number, budgetMs: number): Promise<void> {
    const gone = new RedisFailure(new Error('no connection to Redis'))
    if (closed || leftMs <= 0 || (lostAt !== undefined && performance.now() - lostAt > budgetMs))
      return Promise.reject(gone)
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => settle(() => reject(gone)), leftMs)
      const listener = (): void => settle(resolve)
      const settle = (then: () => void): void => {
        clearTimeout(timer)
        listeners.delete(listener)
        then()
      }
      listeners.add(listener)
    })
  }

  function once<T>(call: () => Promise<T>, leftMs: number): Promise<T> {
    const sentAt = performance.now()
    return new Promise((resolve, reject) => {
      async function giveUp(): Promise<void> {
        // After a blocked event loop, timers run before replies that have already arrived are read.
        await endOfTurn()
        // In a Cluster, the reply since then may have come from a server other than the one that hangs.
        if (answeredAt < sentAt && performance.now() - sentAt >= HUNG_MS) isHung = true
        reject(new Overdue('no answer in time'))
      }
      const timer = setTimeout(() => void giveUp(), Math.max(0, leftMs))
      call().then(
        (answer) => {
          clearTimeout(timer)
          heard()
          resolve(answer)
        },
        (error: unknown) => {
          clearTimeout(timer)
          if (error instanceof ReplyError) heard()
          reject(error)
        },
      )
    })
  }

  async function ask<T>(
    call: () => Promise<T>,
    { budgetMs, retry, whileHung }: Patience,
  ): Promise<T> {
    const deadline = performance.now() + budgetMs
    for (let again = retry, leaves = false; ;) {
      if (isHung && whileHung !== true) throw hung()
      if (closed || leaves || client.status !== 'ready')
        await ready(deadline - performance.now(), budgetMs)
      try {
        return await once(call, deadline - performance.now())
      } catch (error) {
        if (!(error instanceof Error)) throw error
        const failure = new RedisFailure(error)
        leaves = client instanceof Redis && error instanceof ReplyError && isToLeave(error)
        const isLost = leaves || !(error instanceof ReplyError || error instanceof Overdue)
        // The script did not run: the server lost it again before the library's own retry.
        const isForgotten = failure.code === 'NOSCRIPT'
        if (!failure.isOutage && !isForgotten) for (const listener of refused) listener()
        if (!((again && isLost) || isForgotten) || performance.now() >= deadline) throw failure
        again &&= isForgotten
      }
    }
  }

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
    trouble() {
      if (isHung) return hung()
      return client.status === 'ready'
        ? undefined
        : new RedisFailure(new Error('no connection to Redis'))
    },
    onReady: (listener) => void listeners.add(listener),
    onRefused: (listener) => void refused.add(listener),
    async close() {
      closed = true
      listeners.clear()
      client.disconnect()
    },
  }
}
