/** Lets a visit in, or says what its browser, or program, gets in place of the page. */
import { type Answer, FORBIDDEN, json, NOT_FOUND } from './answers.ts'
import { Clearances, type Level, type Look } from './clearances.ts'
import { ACTIONS, exchange, type Place } from './exchange.ts'
import { isBoostedLink, isNavigation } from './fetch-metadata.ts'
import type { Signature } from './agents.ts'
import { type Identity, wordsOf } from './identity.ts'
import type { KeyDirectories } from './key-directories.ts'
import { findHost, hostsOf } from './hosts.ts'
import type { Log } from './log.ts'
import type { Meters } from './meters.ts'
import { PAGE_FILES, pageAnswer } from './page.ts'
import type { Configuration } from './read-settings.ts'
import { ruleOf } from './rules.ts'
import { networkOf, type Visit } from './visit.ts'
import { Visitors } from './visitors.ts'

/** `clearance`: its id, or `none` where a rule let the visit in. `guest`: who it is. `answer` is what the visitor gets. */
export type Decision =
  | { readonly clearance: string; readonly guest: string }
  | { readonly status: 401 | 403; readonly answer: () => Answer }

/** What the rules and the clearance say of a visit. */
type Outcome =
  | { readonly at: 'open' | 'denied'; readonly rule: string }
  | (Look & { readonly rule: string; readonly level: Level })

/**
 * Names the sentence of the page for a visitor whom reloading has not helped, by what became of the clearance. `site`: the
 * gate had let the visitor in, so the 401 is the site's own. A visitor can change nothing of any other case.
 */
const WHY: Readonly<Record<string, string>> = {
  none: 'cookies',
  elsewhere: 'address',
  valid: 'site',
  open: 'site',
}
/** Seconds. People do not change networks this soon; a proxy in front that has several addresses does. */
const FRESH = 10
const PROXY_IN_FRONT =
  'given a moment ago in another network: is another proxy in front? See "Another proxy in front" in the guide'
const OWN_401 =
  'the gate had let the visitor in: see auth_basic and proxy_intercept_errors in nginx'
const levelOf = (effect: ReturnType<typeof ruleOf>['effect']): Level =>
  effect === 'level 2' ? 2 : 1
const isLetIn = ({ at }: Outcome): boolean => at === 'open' || at === 'valid'

/** Decides for the gates of one configuration. */
export class Gatekeeper {
  readonly #service: string
  /** One for each host or pattern, named as the configuration does; the longest first. */
  readonly #places: readonly Place[]
  readonly #visitors: Visitors
  readonly #meters: Meters
  readonly #log: Log

  constructor(configuration: Configuration, directories: KeyDirectories, meters: Meters, log: Log) {
    const { service, gates, keys } = configuration
    this.#service = service
    this.#visitors = new Visitors(configuration, directories)
    this.#meters = meters
    this.#log = log
    const clearances = new Map(gates.map((gate) => [gate, new Clearances(keys, gate)]))
    this.#places = hostsOf(gates).map(({ name, gate }) => ({
      name,
      gate,
      clearances: clearances.get(gate)!,
    }))
  }

  /** Decides about a visit by its rule and its clearance. Asks no store and no service, but DNS about some guests. */
  async check(visit: Visit): Promise<Decision> {
    const place = this.#placeOf(visit)
    if (!place) {
      this.#meters.checks.inc({ host: 'other', answer: 'denied' })
      const network = networkOf(visit.address)
      this.#log.seldom('clearance denied', { hostname: 'other', rule: 'host not listed', network })
      return { status: 403, answer: () => FORBIDDEN }
    }
    const { gate, name: host } = place
    const { identity, signature } = await this.#visitors.identify(visit)
    const guest = wordsOf(identity)
    if (signature) this.#noteSignature(signature, factsOf(visit, host, guest))
    const outcome = await this.#rule(visit, place, identity)
    const isShadow = gate.shadow && !isLetIn(outcome)
    this.#count(host, isShadow ? 'would_block' : outcome.at, identity)
    if (isLetIn(outcome)) return { clearance: 'id' in outcome ? outcome.id : 'none', guest }
    const facts = { ...factsOf(visit, host, guest), rule: outcome.rule }
    if (isShadow) {
      this.#meters.wouldBlock.inc({ host, rule: outcome.rule })
      this.#log.seldom('would be blocked', { ...facts, detail: outcome.at })
      return { clearance: 'none', guest }
    }
    this.#logRefusal(outcome, facts)
    return {
      status: outcome.at === 'denied' ? 403 : 401,
      answer: () => this.#refusal(visit, place, outcome),
    }
  }

  /** Answers what is below `/.hv/`: the page for nginx, its files, and the exchange. @param readBody reads that of the request. */
  async own(visit: Visit, asset: string, readBody: () => Promise<string>): Promise<Answer> {
    const place = this.#placeOf(visit)
    if (!place) return FORBIDDEN
    const parts = { service: this.#service, meters: this.#meters, log: this.#log }
    if (asset === 'pass') return exchange(visit, place, readBody, parts)
    if (asset === 'blocked') return this.#pageForNginx(visit, place)
    if (asset === 'gate.js') this.#meters.funnel.inc({ host: place.name, step: 'challenged' })
    return PAGE_FILES.get(asset) ?? NOT_FOUND
  }

  #placeOf({ host }: Visit): Place | undefined {
    return findHost(this.#places, host)
  }

  #count(host: string, answer: string, identity: Identity): void {
    this.#meters.checks.inc({ host, answer })
    const { name: guest, strength } = identity
    if (guest !== undefined) this.#meters.guests.inc({ host, guest, strength, answer })
  }

  /** Counts a signature, and logs one that does not prove what it says. */
  #noteSignature({ agent, result }: Signature, facts: Readonly<Record<string, string>>): void {
    this.#meters.signatures.inc({ agent: agent ?? 'other', result })
    if (agent !== undefined && result !== 'verified')
      this.#log.seldom('signature not accepted', { ...facts, detail: result })
  }

  async #rule(visit: Visit, { gate, clearances }: Place, identity: Identity): Promise<Outcome> {
    const { effect, name: rule } = ruleOf(visit, gate.rules, identity)
    if (effect === 'allow') return { at: 'open', rule }
    if (effect === 'deny') return { at: 'denied', rule }
    const level = levelOf(effect)
    return { ...(await clearances.look(visit, level)), rule, level }
  }

  /** Returns the page for a request that nginx answers with 401: because of a check, or on its own account. */
  async #pageForNginx(visit: Visit, place: Place): Promise<Answer> {
    const { identity } = await this.#visitors.identify(visit, false)
    const outcome = await this.#rule(visit, place, identity)
    // A visitor who opens `/.hv/blocked` itself was not refused.
    if (isLetIn(outcome) && !visit.target.startsWith('/.hv/'))
      this.#log.seldom('401 of the site itself', {
        hostname: place.name,
        rule: outcome.rule,
        detail: OWN_401,
      })
    return this.#refusal(visit, place, outcome)
  }

  /** Returns what a visitor gets who is not let in, as a page or for a program. */
  #refusal(visit: Visit, { gate, name: host }: Place, outcome: Outcome): Answer {
    if (outcome.at === 'denied') return FORBIDDEN
    const why = WHY[outcome.at] ?? 'failed'
    const level = 'level' in outcome ? outcome.level : 1
    const requirement = { sitekey: gate.sitekey, action: ACTIONS[level], service: this.#service }
    if (!isNavigation(visit))
      return why === 'site' ? OWN_REFUSAL : verificationRequired(visit, requirement)
    this.#meters.funnel.inc({ host, step: 'blocked' })
    const values = {
      ...requirement,
      host: visit.host,
      level: String(level),
      why,
      isForm: visit.method === 'GET' ? '' : 'yes',
      contact: gate.contact ?? '',
    }
    // With 401 the browser asks for the password that the site asks for.
    return pageAnswer(why === 'site' ? 401 : 403, values, visit.headers['accept-language'])
  }

  /** Logs a refusal that the operator may want to know of: no visitor without a clearance, or with an old one. */
  #logRefusal(outcome: Outcome, facts: Readonly<Record<string, string>>): void {
    const { at } = outcome
    if (at === 'none' || at === 'low' || at === 'expired') return
    const message = at === 'rate' ? 'clearance over its rate' : `clearance ${at}`
    const isFresh = 'age' in outcome && outcome.age !== undefined && outcome.age < FRESH
    this.#log.seldom(message, isFresh ? { ...facts, detail: PROXY_IN_FRONT } : facts)
  }
}

/** What the log says of a visit: of its address the network. */
const factsOf = ({ address }: Visit, hostname: string, guest: string) => ({
  hostname,
  network: networkOf(address),
  guest,
})

const OWN_REFUSAL = json(401, { error: 'refused by the site' })

/** Answers a program, or a script of the site, with what it needs. */
function verificationRequired(visit: Visit, requirement: Readonly<Record<string, string>>): Answer {
  const all = { ...requirement, pass: '/.hv/pass' }
  const required = Object.entries(all).map(([name, value]) => `${name}="${value}"`)
  const refresh = isBoostedLink(visit) ? { 'hx-refresh': 'true' } : {}
  const headers = { 'hv-required': required.join(', '), ...refresh }
  return json(401, { error: 'verification required', ...all }, headers)
}
