import { setImmediate as endOfTurn } from 'node:timers/promises'
import { type Cluster, Redis, ReplyError } from 'ioredis'
import type { Log } from '../domain/observing.ts'
import { partitionOf, prefixesOf } from './partitions.ts'
import { passwordHint, readPasswordsAgain, redisClient, type RedisPlace } from './redis-client.ts'
import { isToLeave, RedisFailure } from './redis-failure.ts'

/** How long a call may take, and whether it may be made again after its answer was lost. */
export interface Patience {
  /** Milliseconds for everything, the second try and the wait for a connection included. */
  readonly budgetMs: number
  /** Only for what may be done twice without harm. */
  readonly retry: boolean
  /** Also sent to a server that hangs, to find out when it answers again. For polls. */
  readonly whileHung?: boolean
}

/** Runs a Lua script. In a Cluster all keys must lie in one slot. @throws {RedisFailure} when there is no answer in time. */
export type Script = (keys: readonly string[], args: readonly string[], patience: Patience) => Promise<unknown>

/** The connection that ledger, limits and history share. It survives every loss of the server. */
export interface RedisConnection {
  readonly client: Redis | Cluster
  /** Key prefixes, one for each partition: `{hv}:`. */
  readonly prefixes: readonly string[]
  /** Returns the prefix of a key of this name. */
  prefixFor(name: string): string
  /**
   * Defines a script as a command of the client.
   *
   * @param keys how many it has; undefined: it varies, and its calls are not pipelined.
   */
  script(name: string, lua: string, keys?: number): Script
  /** Makes a call of the client within its time. @throws {RedisFailure} @throws what the call rejects with, where that is no error. */
  ask<T>(call: () => Promise<T>, patience: Patience): Promise<T>
  /** Returns why nothing can be asked now; undefined: as far as is known, everything can. Asks nobody. */
  trouble(): RedisFailure | undefined
  /** Called each time a connection has become usable. */
  onReady(listener: () => void): void
  /** Called each time the server refuses a call by itself, as of a user that lacks a right. */
  onRefused(listener: () => void): void
  close(): Promise<void>
}

/** No answer came in time. */
class Overdue extends Error {}

/** Milliseconds without any answer after which a connected server counts as hung, until it answers anything. */
const HUNG_MS = 280
/** Milliseconds until a client that gave up is told to connect again. */
const GAVE_UP_MS = 250

const hung = (): RedisFailure => new RedisFailure(new Error('Redis is connected and does not answer'))

export interface ConnectionParts {
  readonly log: Log
  /** Over how many hash tags the keys are spread: 1 to 64, the same in every instance. */
  readonly partitions?: number
}

export function redisConnection(place: RedisPlace, { log, partitions = 1 }: ConnectionParts): RedisConnection {
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
  /** Once per outage: a new attempt fails every half second. */
  const complain = (detail: string): void => {
    const hint = detail.startsWith('WRONGPASS') ? passwordHint(client) : undefined
    if (!complained && !closed) log.warn('redis cannot be reached', { detail, ...(hint !== undefined && { hint }) })
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
  // The client tries for ever, except after some errors of its connector.
  client.on('end', () => {
    if (!closed) setTimeout(() => void client.connect().catch(() => undefined), GAVE_UP_MS).unref()
  })

  /** @throws at once where the outage has lasted longer than a call may: requests must not pile up behind it. */
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
        // A process that was blocked sees the time-out before it reads answers that have arrived meanwhile.
        await endOfTurn()
        // In a Cluster another server may hang than the one that answered since.
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

  async function ask<T>(call: () => Promise<T>, { budgetMs, retry, whileHung }: Patience): Promise<T> {
    const deadline = performance.now() + budgetMs
    for (let again = retry, leaves = false; ;) {
      if (isHung && whileHung !== true) throw hung()
      if (closed || leaves || client.status !== 'ready') await ready(deadline - performance.now(), budgetMs)
      try {
        return await once(call, deadline - performance.now())
      } catch (error) {
        if (!(error instanceof Error)) throw error
        const failure = new RedisFailure(error)
        leaves = client instanceof Redis && error instanceof ReplyError && isToLeave(error)
        const isLost = leaves || !(error instanceof ReplyError || error instanceof Overdue)
        // Nothing was run: the server forgot the script again before the library's own second try.
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
    script(name, lua, keys) {
      // ioredis finds the slot of a pipelined command by its first argument, which is no key where their number varies.
      if (keys === undefined) (client.options.autoPipeliningIgnoredCommands as string[]).push(name)
      client.defineCommand(name, { lua, ...(keys !== undefined && { numberOfKeys: keys }) })
      const commands = client as unknown as Record<string, (...words: (string | number)[]) => Promise<unknown>>
      const count = (those: readonly string[]): number[] => (keys === undefined ? [those.length] : [])
      return (those, args, patience) => ask(() => commands[name]!(...count(those), ...those, ...args), patience)
    },
    ask,
    trouble() {
      if (isHung) return hung()
      return client.status === 'ready' ? undefined : new RedisFailure(new Error('no connection to Redis'))
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
