import type { Cluster, Redis } from 'ioredis'
import type { Log } from '../../domain/observing.ts'
import { passwordHint, readPasswordsAgain, type RedisPlace } from './redis-client.ts'
import { RedisFailure } from './redis-failure.ts'

/** Milliseconds without any answer after which a connected server counts as hung, until it answers anything. */
const HUNG_MS = 280
/** Milliseconds after which a client that gave up is reconnected. */
const GAVE_UP_MS = 250

export const hung = (): RedisFailure =>
  new RedisFailure(new Error('Redis is connected and does not answer'))
const gone = (): RedisFailure => new RedisFailure(new Error('no connection to Redis'))

/** What is known of a client's connection: whether it is there, and whether the server answers. Logs each outage once. */
export class Liveness {
  readonly #client: Redis | Cluster
  readonly #log: Log
  readonly #listeners = new Set<() => void>()
  #lostAt: number | undefined = performance.now()
  #answeredAt = -Infinity
  #isHung = false
  #isLogged = false
  #isClosed = false

  constructor(client: Redis | Cluster, place: RedisPlace, log: Log) {
    this.#client = client
    this.#log = log
    client.on('error', (error: Error) => this.#complain(new RedisFailure(error).message))
    client.on('ready', () => this.#connected())
    client.on('close', () => {
      this.#lostAt ??= performance.now()
      try {
        readPasswordsAgain(client, place)
      } catch (error) {
        this.#complain((error as Error).message)
      }
    })
    // The client retries forever, except after some errors of its connector.
    client.on('end', () => {
      if (this.#isClosed) return
      setTimeout(() => void client.connect().catch(() => undefined), GAVE_UP_MS).unref()
    })
  }

  get isHung(): boolean {
    return this.#isHung
  }

  /** Whether a call can be sent at once. */
  get isReady(): boolean {
    return !this.#isClosed && this.#client.status === 'ready'
  }

  /** Returns why Redis is known to be unavailable, or undefined. */
  trouble(): RedisFailure | undefined {
    if (this.#isHung) return hung()
    return this.#client.status === 'ready' ? undefined : gone()
  }

  /** Calls the listener each time a connection becomes usable. */
  onReady(listener: () => void): void {
    this.#listeners.add(listener)
  }

  /** Notes that the server has answered. */
  answered(): void {
    this.#isHung = false
    this.#answeredAt = performance.now()
  }

  /** Notes that a call was given up. In a Cluster, a reply since then may have come from another server than the one that hangs. */
  gaveUp(sentAt: number): void {
    if (this.#answeredAt < sentAt && performance.now() - sentAt >= HUNG_MS) this.#isHung = true
  }

  /**
   * Waits for a connection. Rejects at once if the outage has lasted longer than the call may take, so that requests do not
   * pile up.
   */
  ready(leftMs: number, budgetMs: number): Promise<void> {
    const isLong = this.#lostAt !== undefined && performance.now() - this.#lostAt > budgetMs
    if (this.#isClosed || leftMs <= 0 || isLong) return Promise.reject(gone())
    return new Promise((resolve, reject) => {
      const settle = (then: () => void): void => {
        clearTimeout(timer)
        this.#listeners.delete(listener)
        then()
      }
      const timer = setTimeout(() => settle(() => reject(gone())), leftMs)
      const listener = (): void => settle(resolve)
      this.#listeners.add(listener)
    })
  }

  close(): void {
    this.#isClosed = true
    this.#listeners.clear()
    this.#client.disconnect()
  }

  #connected(): void {
    if (this.#isClosed) return
    this.#lostAt = undefined
    this.answered()
    if (this.#isLogged) this.#log.info('redis is back')
    this.#isLogged = false
    for (const listener of this.#listeners) listener()
  }

  /** Logs once per outage: an attempt to connect fails every half second. */
  #complain(detail: string): void {
    const hint = detail.startsWith('WRONGPASS') ? passwordHint(this.#client) : undefined
    if (!this.#isLogged && !this.#isClosed)
      this.#log.warn('redis cannot be reached', { detail, ...(hint !== undefined && { hint }) })
    this.#isLogged = true
  }
}
