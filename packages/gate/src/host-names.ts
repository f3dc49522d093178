/** Whether an address has the host name that the operator of a guest publishes: by its reverse name, confirmed by the forward one. */
import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { canonicalAddress } from './ranges.ts'
import { networkOf } from './visit.ts'

/** Milliseconds that a request waits; the samples wait 500 for a check. Then it only claims, and the next one finds the answer. */
const DEADLINE_MS = 300
/** Milliseconds for one question, which is asked once. */
const TIMEOUT_MS = 1000
/** Seconds that an answer counts: of the owner of an address, who confirmed it; of anybody else; of a server that did not answer. */
const KEEP = { yes: 3600, no: 600, unknown: 30 } as const
type Answer = keyof typeof KEEP
/** Addresses whose answers are remembered: those that were confirmed, and others, which a stranger can have in any number. */
const MOST_REMEMBERED = 10_000
/** Look-ups at one time: of all, and of one IPv4 /24 or IPv6 /48, so that no network has the others wait. */
const MOST_AT_ONCE = 100
const MOST_OF_NETWORK = 4
/** Names of one address that are asked for: whoever has an address can give it any number. */
const MOST_NAMES = 3

/** What is asked of DNS. */
export type Dns = Pick<Resolver, 'reverse' | 'resolve4' | 'resolve6'>

/** @param servers addresses, perhaps with ports; empty: those of the system. */
export function dnsOf(servers: readonly string[]): Dns {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 1 })
  if (servers.length > 0) resolver.setServers(servers)
  return resolver
}

/** Answers for the guests of one configuration. */
export class HostNames {
  readonly #dns: Dns
  readonly #now: () => number
  readonly #confirmed = new Remembered()
  readonly #others = new Remembered()
  readonly #asking = new Map<string, Promise<Answer>>()
  readonly #ofNetwork = new Map<string, number>()

  /** @param now Unix seconds. */
  constructor(dns: Dns, now = (): number => Math.floor(Date.now() / 1000)) {
    this.#dns = dns
    this.#now = now
  }

  /**
   * Reports whether an address has a name below one of these, as far as is known in time. Where DNS is away, it has none.
   *
   * @param domains such as `search.msn.com`.
   */
  async confirms(address: string | undefined, domains: readonly string[]): Promise<boolean> {
    if (address === undefined || isIP(address) === 0) return false
    const ip = canonicalAddress(address)
    const about = `${ip} ${domains.join(' ')}`
    const known = this.#confirmed.get(about, this.#now()) ?? this.#others.get(about, this.#now())
    if (known !== undefined) return known === 'yes'
    const asked = this.#asking.get(about) ?? this.#ask(about, ip, domains)
    return asked !== undefined && (await unknownIfLate(asked)) === 'yes'
  }

  /** Begins a look-up. @returns undefined where there are too many. */
  #ask(about: string, address: string, domains: readonly string[]): Promise<Answer> | undefined {
    const network = networkOf(address)
    const others = this.#ofNetwork.get(network) ?? 0
    if (this.#asking.size >= MOST_AT_ONCE || others >= MOST_OF_NETWORK) return undefined
    this.#ofNetwork.set(network, others + 1)
    const asked = this.#find(about, address, domains).finally(() => {
      this.#asking.delete(about)
      const left = this.#ofNetwork.get(network)! - 1
      if (left > 0) this.#ofNetwork.set(network, left)
      else this.#ofNetwork.delete(network)
    })
    this.#asking.set(about, asked)
    return asked
  }

  async #find(about: string, address: string, domains: readonly string[]): Promise<Answer> {
    const answer = await lookUp(this.#dns, address, domains)
    const remembered = answer === 'yes' ? this.#confirmed : this.#others
    remembered.set(about, answer, this.#now() + KEEP[answer])
    return answer
  }
}

/** Waits for an answer, but not for long: a late one is `unknown`. */
async function unknownIfLate(asked: Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Answer>((resolve) => {
    timer = setTimeout(resolve, DEADLINE_MS, 'unknown')
  })
  try {
    return await Promise.race([asked, late])
  } finally {
    clearTimeout(timer)
  }
}

/** The reverse name is whatever the owner of the address says; the forward one is said by the owner of the name. */
async function lookUp(dns: Dns, address: string, domains: readonly string[]): Promise<Answer> {
  const names = await answered(dns.reverse(address))
  if (names === undefined) return 'unknown'
  const inDomain = names
    .map((name) => name.toLowerCase().replace(/\.$/, ''))
    .filter((name) => /^[a-z0-9.-]{1,253}$/.test(name))
    .filter((name) => domains.some((domain) => name.endsWith(`.${domain}`)))
  for (const name of inDomain.slice(0, MOST_NAMES)) {
    const family = isIP(address) === 4 ? dns.resolve4(name) : dns.resolve6(name)
    const addresses = await answered(family)
    if (addresses === undefined) return 'unknown'
    if (addresses.some((each) => canonicalAddress(each) === address)) return 'yes'
  }
  return 'no'
}

/** Says that there is no such name, or no address of it. */
const NONE = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME'])

/** @returns undefined where no server answered. */
async function answered(asked: Promise<string[]>): Promise<readonly string[] | undefined> {
  try {
    return await asked
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    return NONE.has(code) ? [] : undefined
  }
}

/** Answers by what they are about: at most so many, of which the oldest go. */
class Remembered {
  readonly #answers = new Map<string, { readonly answer: Answer; readonly until: number }>()

  get(about: string, now: number): Answer | undefined {
    const found = this.#answers.get(about)
    return found && found.until > now ? found.answer : undefined
  }

  set(about: string, answer: Answer, until: number): void {
    this.#answers.delete(about)
    if (this.#answers.size >= MOST_REMEMBERED)
      this.#answers.delete(this.#answers.keys().next().value!)
    this.#answers.set(about, { answer, until })
  }
}
