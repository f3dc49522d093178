import { Cluster, type Redis } from 'ioredis'
import { withDeadline } from '../runtime/deadlines.ts'
import { partitionOf } from './partition-of.ts'
import type { Log } from '../ports/observing.ts'
import type { Patience, Scripts } from '../ports/stores.ts'
import { prefixesOf } from './prefixes.ts'
import { redisClient, type RedisPlace } from './client.ts'
import { isReadOnly, mayPass, toError, wasNeverSent, withoutArguments } from './errors.ts'
import { scriptCalls } from './script-calls.ts'
import { silenceWatch } from './silence.ts'

/** The connection to Redis that ledger and limiter share. Survives every loss of the server. */
export interface RedisLink extends Scripts {
  /** Whether a script may touch the keys of one hash tag only. */
  readonly isCluster: boolean
  /** Whether Redis is connected and silent, so that every call is refused at once but those of `whileHung`. */
  isHung(): boolean
  /** Runs a script without keys on every node of a Cluster, replicas too; a node that does not answer is left out. */
  everyNode(lua: string, budgetMs: number): Promise<readonly { readonly node: string; readonly answer: unknown }[]>
  /** Called each time a connection has become usable. */
  onReady(listener: () => void): void
  /** The client of the moment; the watchdog may replace it. */
  client(): Redis | Cluster
  close(): Promise<void>
}

/** Milliseconds between two looks at a client that may have given up. */
const WATCH_MS = 250
const HUNG = 'Redis is connected and does not answer'

export interface LinkParts {
  readonly log: Log
  /** Over how many hash tags the keys are spread: 1 to 64, the same in every instance. */
  readonly partitions?: number
  /** Milliseconds of a clock that never jumps. */
  readonly elapsed?: () => number
}

export function redisLink(
  place: RedisPlace,
  { log, partitions = 1, elapsed = () => performance.now() }: LinkParts,
): RedisLink {
  const prefixes = prefixesOf(place.keyPrefix, partitions)
  const listeners = new Set<() => void>()
  const silence = silenceWatch(elapsed)
  const callScript = scriptCalls(() => client, silence, elapsed)
  let lostAt: number | undefined = elapsed()
  let complained = false
  let closed = false
  let client = open()

  function open(): Redis | Cluster {
    const opened = redisClient(place)
    opened.on('error', (error: unknown) => {
      // Once per outage: a new attempt fails every half second.
      if (complained || closed) return
      complained = true
      log.warn('redis cannot be reached', { detail: withoutArguments(error) })
    })
    opened.on('ready', () => {
      if (closed || opened !== client) return
      lostAt = undefined
      silence.onAnswer()
      if (complained) log.info('redis is back')
      complained = false
      for (const listener of listeners) listener()
    })
    opened.on('close', () => {
      if (opened === client) lostAt ??= elapsed()
    })
    return opened
  }

  // The client tries for ever, except after some errors of its connector; then it is dead without a word.
  const watchdog = setInterval(() => {
    if (client.status !== 'end') return
    client.disconnect()
    client = open()
  }, WATCH_MS)
  watchdog.unref()

  function nextReady(waitMs: number, otherwise: unknown): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (then: () => void): void => {
        clearTimeout(timer)
        listeners.delete(ready)
        then()
      }
      const ready = (): void => settle(resolve)
      const timer = setTimeout(() => settle(() => reject(toError(otherwise))), waitMs)
      listeners.add(ready)
    })
  }

  function evaluate(
    lua: string,
    keys: readonly string[],
    args: readonly string[],
    patience: Patience,
  ): Promise<unknown> {
    if (silence.isHung() && patience.whileHung !== true) return Promise.reject(new Error(HUNG))
    const deadline = elapsed() + patience.budgetMs
    const once = (): Promise<unknown> => within(deadline - elapsed(), callScript(lua, keys, args))
    return once().catch((error: unknown) => again(once, error, deadline, patience))
  }

  /** After a first try that failed. */
  async function again(
    once: () => Promise<unknown>,
    failure: unknown,
    deadline: number,
    { budgetMs, retry }: Patience,
  ): Promise<unknown> {
    let error = failure
    for (let sent = 0; ;) {
      if (!wasNeverSent(error)) sent++
      const leftMs = deadline - elapsed()
      // An outage longer than the budget will hardly end inside this one; requests must not pile up behind it.
      const longLost = lostAt !== undefined && elapsed() - lostAt > budgetMs
      if (closed || !retry || sent > 1 || leftMs <= 0 || longLost || !mayPass(error)) throw toError(error)
      const leaving = wasNeverSent(error) || isReadOnly(error)
      if (leaving || client.status !== 'ready') await nextReady(leftMs, error)
      try {
        return await once()
      } catch (next) {
        error = next
      }
    }
  }

  return {
    prefixes,
    isCluster: place.cluster !== undefined,
    isHung: () => silence.isHung(),
    prefixFor: (name) => prefixes[partitionOf(name, partitions)]!,
    evaluate,
    async everyNode(lua, budgetMs) {
      const nodes = client instanceof Cluster ? client.nodes('all') : []
      const answers = nodes.map(async (node) => {
        const answer = await within(budgetMs, node.eval(lua, 0))
        return { node: `${node.options.host}:${node.options.port}`, answer }
      })
      return (await Promise.allSettled(answers)).flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    },
    onReady: (listener) => void listeners.add(listener),
    client: () => client,
    async close() {
      closed = true
      clearInterval(watchdog)
      listeners.clear()
      client.disconnect()
    },
  }
}

const within = <T>(ms: number, answer: Promise<T>): Promise<T> =>
  withDeadline(answer, ms, () => new Error('no answer in time'))
