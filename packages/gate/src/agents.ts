/** Which agent signed a request: Web Bot Auth, for the host that the visitor asked for. */
import { createHash } from 'node:crypto'
import type { AgentKeys } from '#shared/agents/key-file'
import {
  type AgentKey,
  LONGEST_VALID,
  openSignature,
  type Unproven,
} from '#shared/agents/verify-signature'
import type { SignatureRefusal, SignedRequest } from '#shared/domain/named-agent'
import { parseUrl } from '#shared/domain/parse-url'
import { unixSeconds } from '#shared/domain/words'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { KeyDirectories } from './key-directories.ts'
import type { Rate } from './settings.ts'
import type { Visit } from './visit.ts'

/** An agent of the configuration. */
export interface KnownAgent {
  readonly name: string
  /** Its origin: that of its `Signature-Agent`, and of its key directory. */
  readonly url: string
  /** The keys of its file; undefined: those of its directory. */
  readonly keys: AgentKeys | undefined
  readonly rate: Rate | undefined
}

/** What became of a signature. `replayed`: its nonce was used before. `rate`: the agent is over its rate. */
export interface Signature {
  /** The agent that made it, or that it names; undefined: none of the configuration. */
  readonly agent: string | undefined
  readonly result: 'verified' | SignatureRefusal | 'replayed' | 'rate'
}

/** Of an agent that states none, as of one clearance. */
const DEFAULT_RATE: Rate = { points: 600, duration: 60 }

/** The agents of one configuration, and what they used of their rates and nonces. */
export class Agents {
  readonly #agents: readonly KnownAgent[]
  readonly #directories: KeyDirectories
  readonly #now: () => number
  readonly #limiters = new Map<
    string,
    { readonly rate: Rate; readonly limiter: RateLimiterMemory }
  >()
  readonly #nonces: ReadonlyMap<string, Nonces>

  /** @param now Unix seconds. */
  constructor(
    agents: readonly KnownAgent[],
    directories: KeyDirectories,
    now = (): number => Math.floor(Date.now() / 1000),
  ) {
    this.#agents = agents
    this.#directories = directories
    this.#now = now
    this.#nonces = new Map(agents.map(({ name }) => [name, new Nonces()]))
  }

  /**
   * Judges the signature of a request. Parsing comes first, then the key, the times, and the signature itself: a stranger can make
   * us do no more than that, and nothing is fetched or remembered for it.
   *
   * @param isCounted whether this is the request itself, and not the page that is shown for it.
   * @returns undefined for a request that has none.
   */
  async identify(visit: Visit, isCounted: boolean): Promise<Signature | undefined> {
    const { origin, headers } = visit
    if (this.#agents.length === 0 || headers['signature-input'] === undefined) return undefined
    if (origin === undefined) return { agent: undefined, result: 'malformed' }
    const now = this.#now()
    const verifier = { origin, keyOf: (keyid: string) => this.#keyOf(keyid) }
    const opened = openSignature(signedRequest(visit), verifier, unixSeconds(now))
    if ('refusal' in opened) return { agent: this.#claimedBy(opened), result: opened.refusal }
    const { agent, nonce } = opened
    if (!isCounted) return { agent: agent.name, result: 'verified' }
    return { agent: agent.name, result: await this.#use(agent, nonce, now) }
  }

  /**
   * Takes a valid signature from what the agent may use. A used nonce takes nothing: whoever sends a copy of a signature must not use up
   * the agent's rate. The rate bounds the nonces that are noted.
   */
  async #use(
    { name, url }: AgentKey,
    nonce: string | undefined,
    now: number,
  ): Promise<Signature['result']> {
    const nonces = this.#nonces.get(name)!
    if (nonce !== undefined && nonces.has(nonce, now)) return 'replayed'
    try {
      await this.#limiterOf(name, url!).consume(name)
    } catch (error) {
      if (error instanceof RateLimiterRes) return 'rate'
      throw error
    }
    const isFirst = nonce === undefined || nonces.add(nonce, now)
    return isFirst ? 'verified' : 'replayed'
  }

  #keyOf(keyid: string): AgentKey | undefined {
    for (const { name, url, keys } of this.#agents) {
      const key = (keys ?? this.#directories.keysOf(url)).get(keyid)
      if (key) return { name, url, key }
    }
    return undefined
  }

  #claimedBy({ keyid, agentUrl }: Unproven): string | undefined {
    const origin = agentUrl === undefined ? undefined : parseUrl(agentUrl)?.origin
    const named = this.#agents.find(({ url }) => url === origin)
    return named?.name ?? (keyid === undefined ? undefined : this.#keyOf(keyid)?.name)
  }

  /** An agent may publish another rate than before. */
  #limiterOf(name: string, url: string): RateLimiterMemory {
    const own = this.#agents.find((agent) => agent.name === name)?.rate
    const rate = own ?? this.#directories.rateOf(url) ?? DEFAULT_RATE
    const before = this.#limiters.get(name)
    if (before?.rate.points === rate.points && before.rate.duration === rate.duration)
      return before.limiter
    const limiter = new RateLimiterMemory({ keyPrefix: '', ...rate })
    this.#limiters.set(name, { rate, limiter })
    return limiter
  }
}

/** Node.js has joined the lines of a header already, as RFC 9421, section 2.1 does. */
const signedRequest = ({ method, target, headers }: Visit): SignedRequest => ({
  method,
  target,
  fields: (name) => [headers[name] ?? []].flat(),
})

/** Nonces that one agent used: of each signature for as long as it could be valid, and at most twice that long. */
class Nonces {
  #young = new Set<string>()
  #old = new Set<string>()
  /** Unix seconds. */
  #since = 0

  has(nonce: string, now: number): boolean {
    this.#forget(now)
    const short = shortened(nonce)
    return this.#young.has(short) || this.#old.has(short)
  }

  /** Notes a nonce. @returns false for one that was used, and where there is no room to note it. */
  add(nonce: string, now: number): boolean {
    if (this.has(nonce, now) || this.#young.size >= MOST_NONCES) return false
    this.#young.add(shortened(nonce))
    return true
  }

  #forget(now: number): void {
    if (now - this.#since <= LONGEST_VALID + CLOCK_AHEAD) return
    this.#old = this.#young
    this.#young = new Set()
    this.#since = now
  }
}

/** A signature has up to 1,024 characters of nonce. */
const shortened = (nonce: string): string =>
  createHash('sha256').update(nonce).digest('base64').slice(0, 24)

/** Seconds by which an agent's clock may be ahead of ours. */
const CLOCK_AHEAD = 30
const MOST_NONCES = 100_000
