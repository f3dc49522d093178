/** Fetches what agents publish about themselves, their keys and their rates, by a timer and never because of a request. */
import { type AgentKeys, KEY_DIRECTORY, keysOf } from '#shared/agents/key-file'
import type { Log } from './log.ts'
import { publicGet } from './public-get.ts'
import type { Rate } from './settings.ts'

/** draft-meunier-webbotauth-registry-01, "Discovery" */
export const AGENT_CARD = '/.well-known/signature-agent-card'
const REFRESH_MS = 3_600_000
const RETRY_MS = 60_000
/** How long keys are used that could not be fetched again: a withdrawn key must not be used for ever. */
const KEEP_MS = 24 * 3_600_000
const NO_KEYS: AgentKeys = new Map()

/** What an agent publishes. */
interface Published {
  readonly keys: AgentKeys
  readonly rate: Rate | undefined
  /** When it was fetched, in milliseconds. */
  readonly at: number
}
interface Followed {
  published: Published | undefined
  timer: NodeJS.Timeout | undefined
}

/** @returns the text at an address. @throws {Error} */
export type Get = (url: string) => Promise<string>

/** The directories of the agents of a configuration; they outlive a reload of it. */
export class KeyDirectories {
  readonly #get: Get
  readonly #now: () => number
  readonly #followed = new Map<string, Followed>()
  #log: Log | undefined

  constructor(get: Get = publicGet, now: () => number = Date.now) {
    this.#get = get
    this.#now = now
  }

  /** Fetches from these addresses from now on, and from no others. @returns once each new one was asked. */
  async follow(origins: readonly string[], log: Log): Promise<void> {
    this.#log = log
    for (const [origin, { timer }] of this.#followed)
      if (!origins.includes(origin)) {
        clearTimeout(timer)
        this.#followed.delete(origin)
      }
    const added = [...new Set(origins)].filter((origin) => !this.#followed.has(origin))
    for (const origin of added)
      this.#followed.set(origin, { published: undefined, timer: undefined })
    await Promise.all(added.map((origin) => this.refresh(origin)))
  }

  /** Returns the keys of an agent: none if they are unknown or too old. */
  keysOf(origin: string): AgentKeys {
    return this.#published(origin)?.keys ?? NO_KEYS
  }

  /** Returns the rate that an agent states. */
  rateOf(origin: string): Rate | undefined {
    return this.#published(origin)?.rate
  }

  /** Stops all fetching. */
  end(): void {
    for (const { timer } of this.#followed.values()) clearTimeout(timer)
    this.#followed.clear()
  }

  /** Fetches what an agent publishes and schedules the next time. After a failure the keys are used for `KEEP_MS`. */
  async refresh(origin: string): Promise<void> {
    const followed = this.#followed.get(origin)
    if (!followed) return
    const address = `${origin}${KEY_DIRECTORY}`
    let next = REFRESH_MS
    try {
      const keys = keysOf(await this.#get(address))
      followed.published = { keys, rate: await this.#rateAt(origin), at: this.#now() }
    } catch (error) {
      next = RETRY_MS
      this.#log?.warn('key directory not fetched', {
        detail: `${address}: ${(error as Error).message}`,
      })
    }
    // It may have left the configuration meanwhile.
    if (this.#followed.get(origin) !== followed) return
    clearTimeout(followed.timer)
    followed.timer = setTimeout(() => void this.refresh(origin), next).unref()
  }

  #published(origin: string): Published | undefined {
    const published = this.#followed.get(origin)?.published
    return published && this.#now() - published.at < KEEP_MS ? published : undefined
  }

  /** Most agents have no card. */
  async #rateAt(origin: string): Promise<Rate | undefined> {
    try {
      return rateInCard(await this.#get(`${origin}${AGENT_CARD}`))
    } catch {
      return undefined
    }
  }
}

/**
 * Reads the rate that a Signature Agent Card states: `avg=10rps;max=100rps`, or `500 rps`. The average is used where there is one.
 * It is taken over a minute, so that an agent may exceed it for a few seconds.
 */
export function rateInCard(text: string): Rate | undefined {
  const card = JSON.parse(text) as Record<string, unknown> | null
  const stated = card?.['rate-expectation'] ?? card?.['rate_expectation']
  if (typeof stated !== 'string') return undefined
  const rates = [...stated.slice(0, 200).matchAll(/(?:(\w{3})=)?(\d{1,5}(?:\.\d{1,3})?) ?rps\b/g)]
  const found = rates.find(([, kind]) => kind === 'avg') ?? rates[0]
  const points = Math.floor(Number(found?.[2]) * 60)
  return points > 0 ? { points, duration: 60 } : undefined
}
