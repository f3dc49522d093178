/** `hv-gate try`: which rule decides about a request, and why. */
import { GUESTS } from './guest-lists.ts'
import { Guests } from './guests.ts'
import { findHost, hostsOf } from './hosts.ts'
import { type Identity, UNKNOWN, wordsOf } from './identity.ts'
import { SettingsError } from './problems.ts'
import type { Configuration } from './read-settings.ts'
import { matchesOf, type Match, ruleOf } from './rules.ts'
import { hostOf, type Visit } from './visit.ts'

/** The request to try, beside its address. */
export interface TrialRequest {
  readonly method: string
  /** Name of an agent, which signs; or of a guest, which has one of its addresses, and its user agent. */
  readonly as?: string | undefined
  readonly from?: string | undefined
  /** As `name: value`. */
  readonly headers: readonly string[]
}

const NAVIGATION = {
  accept: 'text/html',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0',
}
/** An address for documentation (RFC 5737), which no visitor has. */
const EXAMPLE_ADDRESS = '203.0.113.7'
const BECOMES: Readonly<Record<string, string>> = {
  allow: 'let in',
  deny: 'refused',
  'level 1': 'asked for a silent visit; who has a clearance is let in',
  'level 2': 'asked for a press; who has a clearance with one is let in',
}

/** Explains a decision, line by line. @throws {SettingsError} for an unknown host or guest. */
export function trial(url: string, request: TrialRequest, configuration: Configuration): string[] {
  const { gates } = configuration
  const { protocol, host, pathname } = new URL(url)
  // As it was written: `URL` resolves dots.
  const target = /^\w+:\/\/[^/?#]*([^#]*)/.exec(url)?.[1] || pathname
  const found = findHost(hostsOf(gates), hostOf(host))
  if (!found) throw new SettingsError(`${host}: no gate has this host, so every request is refused`)
  const isSecure = protocol === 'https:'
  const visit: Visit = {
    method: request.method,
    target,
    host: hostOf(host),
    origin: `${isSecure ? 'https' : 'http'}://${host}`,
    isSecure,
    ...visitorOf(request, configuration),
  }
  const { rules } = found.gate
  const identity = identityOf(visit, request, configuration)
  const ruling = ruleOf(visit, rules, identity)
  return [
    `visitor   ${visit.address}, ${wordsOf(identity)}`,
    `gate      ${found.name}`,
    ...[...matchesOf(visit, rules, identity)].map(lineOf),
    `decides   ${ruling.name}: ${BECOMES[ruling.effect]}`,
  ]
}

/** An agent is believed to have signed: `try` has nobody's key. */
function identityOf(
  visit: Visit,
  { as }: TrialRequest,
  { agents, fetched }: Configuration,
): Identity {
  const signer = agents.find(({ name }) => name === as)?.name
  if (signer === undefined) return new Guests(fetched).identify(visit)
  return { ...UNKNOWN, strength: 'verified', name: signer, agent: signer }
}

function visitorOf(
  request: TrialRequest,
  { agents, fetched }: Configuration,
): Pick<Visit, 'address' | 'headers'> {
  const headers = Object.fromEntries(request.headers.map(headerOf))
  if (agents.some(({ name }) => name === request.as))
    return {
      address: request.from ?? EXAMPLE_ADDRESS,
      headers: { accept: '*/*', 'user-agent': request.as!, ...headers },
    }
  if (request.as === undefined)
    return { address: request.from ?? EXAMPLE_ADDRESS, headers: { ...NAVIGATION, ...headers } }
  const guest = GUESTS.find(({ name, ranges }) => name === request.as && ranges !== undefined)
  if (!guest)
    throw new SettingsError(
      `${request.as}: no agent of the configuration, and no guest with addresses; see hv-gate lists show`,
    )
  const [range] = fetched[guest.name]?.ranges ?? guest.ranges!
  const address = request.from ?? range?.replace(/\/.*/, '')
  if (address === undefined)
    throw new SettingsError(`${guest.name}: no ranges yet; run: hv-gate lists fetch`)
  return {
    address,
    headers: { accept: '*/*', 'user-agent': guest.agent ?? guest.name, ...headers },
  }
}

function headerOf(line: string): [name: string, value: string] {
  const [, name, value] = /^([\w-]+):\s*(.*)$/.exec(line) ?? []
  if (name === undefined)
    throw new SettingsError(`${line}: expected a header such as "accept: text/html"`)
  return [name.toLowerCase(), value!]
}

const lineOf = ({ rule, extent }: Match): string =>
  `matches   ${rule.name}: ${rule.effect}${extent === 'some' ? ', for some way to read the request' : ''}`
