import { setImmediate as endOfTurn } from 'node:timers/promises'
import { Cluster, Redis, ReplyError, type RedisOptions } from 'ioredis'
import type { Log } from '../ports/observing.ts'
import { partitionOf, prefixesOf } from './partitions.ts'
import { encryption, readPasswords, type RedisPlace, type Settings, settingsOf } from './redis-options.ts'

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
  close(): Promise<void>
}

/** Codes of a server that answers and cannot serve now: another one may, or the same one later. */
const BUSY = new Set(['READONLY', 'LOADING', 'MASTERDOWN', 'CLUSTERDOWN', 'NOREPLICAS', 'TRYAGAIN', 'OOM', 'MISCONF'])
/** Those of a server that is to be left: its name may lead to another one by now. */
const TO_LEAVE = new Set(['READONLY', 'LOADING', 'MASTERDOWN', 'CLUSTERDOWN', 'NOREPLICAS'])

/** Returns the code of an error reply. Before Redis 7, what happens inside a script stands behind `: -`. */
const codeOf = ({ message }: Error): string | undefined =>
  (/: -([A-Z]+) /.exec(message) ?? /^([A-Z]+) /.exec(message))?.[1]

/** A call without an answer, or with an error for one. Never carries the command's arguments, as the library's errors do. */
export class RedisFailure extends Error {
  override readonly name = 'RedisFailure'
  /** The first word of an error reply. */
  readonly code: string | undefined
  /** Whether Redis cannot be asked at all, rather than refusing this command alone. */
  readonly isOutage: boolean

  constructor(error: Error) {
    const inner = error instanceof AggregateError && error.errors.length > 0 ? (error.errors[0] as Error) : error
    super(inner.message.split(/\r?\n|,? with args/)[0]!.slice(0, 200))
    this.code = error instanceof ReplyError ? codeOf(error) : undefined
    this.isOutage = !(error instanceof ReplyError) || BUSY.has(this.code ?? '')
  }
}

/** No answer came in time. */
class Overdue extends Error {}

/** Milliseconds until the next attempt to connect: 50 growing to 500, for ever. */
const backOff = (times: number): number => Math.min(50 * times, 500)

/** The library's defaults keep a request for more than 12 s, and never leave a dead host. */
const OPTIONS = {
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  socketTimeout: 1000,
  connectTimeout: 1000,
  failoverDetector: false,
  reconnectOnError: (error: Error) => TO_LEAVE.has(codeOf(error) ?? ''),
  // RESP2: Redis 5 knows no HELLO, and 6 and later need none.
  protocol: 2,
  // No CLIENT SETINFO: the recommended ACL does not allow it.
  disableClientInfo: true,
  // A socket that we leave is given up after this; the default of 2 s would be most of the time to recover.
  disconnectTimeout: 300,
  // While Redis loads its file, look again this often; the default is the server's own estimate, up to 10 s.
  maxLoadingRetryTime: 200,
  sentinelRetryStrategy: backOff,
  sentinelCommandTimeout: 400,
} as const satisfies RedisOptions

/** Starts connecting at once. @throws {Error} as `settingsOf`. */
function openClient(place: RedisPlace): Redis | Cluster {
  const { cluster, sentinel, url } = place
  const settings: Settings = { ...OPTIONS, ...settingsOf(place) }
  if (cluster) {
    return new Cluster([...cluster], {
      enableAutoPipelining: true,
      enableOfflineQueue: false,
      clusterRetryStrategy: backOff,
      // `ask` decides about a second try; the client would make up to sixteen.
      retryDelayOnFailover: 0,
      slotsRefreshTimeout: 400,
      slotsRefreshInterval: 1000,
      redisOptions: settings,
    })
  }
  const lasting = { ...settings, enableAutoPipelining: true, enableOfflineQueue: false, retryStrategy: backOff }
  if (sentinel) {
    const encrypted = place.tls === true && { sentinelTLS: encryption(place), enableTLSForSentinelMode: true }
    return new Redis({ ...lasting, name: sentinel.name, sentinels: [...sentinel.nodes], ...encrypted })
  }
  if (url === undefined) throw new TypeError('a Redis needs a url, a cluster or a sentinel')
  return new Redis(lasting)
}

/** Milliseconds without any answer after which a connected server counts as hung, until it answers anything. */
const HUNG_MS = 280
/** Milliseconds until a client that gave up is told to connect again. */
const GAVE_UP_MS = 250

const hung = (): RedisFailure => new RedisFailure(new Error('Redis is connected and does not answer'))

export interface ConnectionParts {
  readonly log: Log
  /** Over how many hash tags the keys are spread: 1 to 64, the same in every instance. */
  readonly partitions?: number
  /** Milliseconds of a clock that never jumps. */
  readonly elapsed?: () => number
}

export function redisConnection(
  place: RedisPlace,
  { log, partitions = 1, elapsed = () => performance.now() }: ConnectionParts,
): RedisConnection {
  const prefixes = prefixesOf(place.keyPrefix, partitions)
  const listeners = new Set<() => void>()
  const client = openClient(place)
  let lostAt: number | undefined = elapsed()
  let answeredAt = -Infinity
  let [isHung, complained, closed] = [false, false, false]

  const heard = (): void => {
    isHung = false
    answeredAt = elapsed()
  }
  client.on('error', (error: Error) => {
    // Once per outage: a new attempt fails every half second.
    if (complained || closed) return
    complained = true
    log.warn('redis cannot be reached', { detail: new RedisFailure(error).message })
  })
  client.on('ready', () => {
    if (closed) return
    lostAt = undefined
    heard()
    if (complained) log.info('redis is back')
    complained = false
    for (const listener of listeners) listener()
  })
  client.on('close', () => {
    lostAt ??= elapsed()
    readAgain()
  })
  // The client tries for ever, except after some errors of its connector.
  client.on('end', () => {
    if (!closed) setTimeout(() => void client.connect().catch(() => undefined), GAVE_UP_MS).unref()
  })

  /** Takes the passwords of the next connection from their files; one that cannot be read now is read before the next. */
  function readAgain(): void {
    try {
      const passwords = readPasswords(place)
      const nodes = client instanceof Cluster ? [...client.nodes('all'), client] : [client]
      for (const node of nodes)
        Object.assign(node instanceof Cluster ? node.options.redisOptions! : node.options, passwords)
    } catch (error) {
      if (!complained && !closed) log.warn('redis cannot be reached', { detail: (error as Error).message })
      complained = true
    }
  }

  /** @throws at once where the outage has lasted longer than a call may: requests must not pile up behind it. */
  function ready(leftMs: number, budgetMs: number): Promise<void> {
    const gone = new RedisFailure(new Error('there is no connection to Redis'))
    if (closed || leftMs <= 0 || (lostAt !== undefined && elapsed() - lostAt > budgetMs)) return Promise.reject(gone)
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

  async function once<T>(call: () => Promise<T>, leftMs: number): Promise<T> {
    const sentAt = elapsed()
    const answer = call()
    let timer: NodeJS.Timeout | undefined
    const overdue = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Overdue('no answer in time')), Math.max(0, leftMs))
    })
    answer.then(heard, (error: unknown) => error instanceof ReplyError && heard())
    try {
      return await Promise.race([answer, overdue])
    } catch (error) {
      if (error instanceof Overdue) {
        // A process that was held up finds the time over before it reads the answers that came meanwhile.
        await endOfTurn()
        // In a Cluster another server may hang than the one that answered since.
        if (answeredAt < sentAt && elapsed() - sentAt >= HUNG_MS) isHung = true
      }
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  async function ask<T>(call: () => Promise<T>, { budgetMs, retry, whileHung }: Patience): Promise<T> {
    const deadline = elapsed() + budgetMs
    for (let again = retry, leaves = false; ;) {
      if (isHung && whileHung !== true) throw hung()
      if (closed || leaves || client.status !== 'ready') await ready(deadline - elapsed(), budgetMs)
      try {
        return await once(call, deadline - elapsed())
      } catch (error) {
        if (!(error instanceof Error)) throw error
        leaves = error instanceof ReplyError && TO_LEAVE.has(codeOf(error) ?? '') && client instanceof Redis
        const isLost = leaves || !(error instanceof ReplyError || error instanceof Overdue)
        // Nothing was run: the server forgot the script again before the library's own second try.
        const isForgotten = error instanceof ReplyError && codeOf(error) === 'NOSCRIPT'
        if (!((again && isLost) || isForgotten) || elapsed() >= deadline) throw new RedisFailure(error)
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
      return client.status === 'ready' ? undefined : new RedisFailure(new Error('there is no connection to Redis'))
    },
    onReady: (listener) => void listeners.add(listener),
    async close() {
      closed = true
      listeners.clear()
      client.disconnect()
    },
  }
}
