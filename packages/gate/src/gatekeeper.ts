/** Lets a visit in, or says what its browser, or program, gets in place of the page. */
import { readFileSync } from 'node:fs'
import { verify } from '@human-verification/client'
import { clearances, type Level } from './clearances.ts'
import type { Log } from './log.ts'
import type { Meters } from './meters.ts'
import type { Configuration } from './read-settings.ts'
import { isLike, ruleOf } from './rules.ts'
import type { RuleSettings } from './settings.ts'
import { addressOf, networkOf, type Visit } from './visit.ts'

export type Answer = Readonly<{
  status: number
  headers: Readonly<Record<string, string>>
  body: string
}>
/** `clearance`: its id, or `none` where a rule let the visit in. `answer` is what the visitor gets. */
export type Decision =
  { readonly clearance: string } | { readonly status: 401 | 403; readonly answer: () => Answer }

/** The two actions of a site: a visit that nobody touched, and one with a press. Their thresholds are the site's own. */
const ACTIONS = { 1: 'gate', 2: 'gate-pressed' } as const
/** Bytes of `POST /.hv/pass`; a token has about 900. */
const MOST_BYTES = 16_384

/** Of every answer of ours. A cache that ignores them sees a status that it does not keep. */
const HEADERS = {
  'cache-control': 'no-store',
  vary: 'Cookie, Accept, Accept-Language, Sec-Fetch-Mode, Sec-Fetch-Dest, HX-Boosted',
  'x-robots-tag': 'noindex',
  'x-content-type-options': 'nosniff',
}
function reply(status: number, type: string, body: string, more: object = {}): Answer {
  return {
    status,
    headers: { ...HEADERS, 'content-type': `${type}; charset=utf-8`, ...more },
    body,
  }
}
export const json = (status: number, body: object, headers: object = {}): Answer =>
  reply(status, 'application/json', JSON.stringify(body), headers)
export const FORBIDDEN = json(403, { error: 'forbidden' })
export const NOT_FOUND = json(404, { error: 'not found' })

const read = (name: string): string =>
  readFileSync(new URL(`../page/${name}`, import.meta.url), 'utf8')
const PAGE = read('page.html')
/** The sentences of the page, by the pattern of their language; English first, and a dialect before its language. */
const TEXTS = Object.entries(JSON.parse(read('texts/sentences.json')) as Record<string, object>)
const LANGUAGES = new RegExp(TEXTS.map(([tags]) => `(?<![\\w-])(${tags})(?![a-z])`).join('|'), 'i')
const ASSETS = new Map([
  ['gate.js', reply(200, 'text/javascript', read('gate.js'))],
  ['gate.css', reply(200, 'text/css', read('gate.css'))],
])
/** Nothing inline, nothing from elsewhere but the widget. `worker-src blob:` is where it computes fastest. */
const policyOf = (service: string): string =>
  `default-src 'none'; script-src 'self' ${service}; style-src 'self'; connect-src 'self' ${service}; worker-src blob:; ` +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'self'"
/**
 * What the page says when reloading has not helped, by what became of the visitor's clearance.
 * `site`: the gate had let the visitor in, so the 401 is the site's own. A visitor can change
 * nothing of any other case.
 */
const WHY: Readonly<Record<string, string>> = {
  none: 'cookies',
  elsewhere: 'address',
  valid: 'site',
  open: 'site',
}
/** Seconds. People do not change networks this soon; a proxy in front that has several addresses does. */
const FRESH = 10
const IN_FRONT =
  'given a moment ago in another network: is another proxy in front? See "Another proxy in front" in the guide'
const SOLVED_ELSEWHERE =
  'the service saw another address than the gate: if that happens to many visitors, look at trusted_proxies of both'
const OWN_401 =
  'the gate had let the visitor in: see auth_basic and proxy_intercept_errors in nginx'
const NOT_LISTED = { effect: 'deny', rule: 'host not listed', at: 'denied' } as const
const levelOf = (effect: RuleSettings['effect']): Level => (effect === 'level 2' ? 2 : 1)

export function gatekeeper({ service, gates, keys }: Configuration, meters: Meters, log: Log) {
  const given = clearances(keys)
  /** For each host or pattern, named as the configuration does; the longest first. */
  const named = gates.flatMap((gate) => gate.hosts.map((name) => ({ ...gate, name })))
  named.sort(
    (one, other) => other.name.replace('*.', '').length - one.name.replace('*.', '').length,
  )
  const find = (host: string) => named.find(({ name }) => isLike(host, name))
  type Named = (typeof named)[number]

  /** Reports what the rules and the clearance say of a visit. */
  function judge(visit: Visit, gate: Named) {
    const { effect, name: rule } = ruleOf(visit, gate.rules)
    if (effect === 'allow') return { effect, rule, at: 'open', id: 'none' } as const
    if (effect === 'deny') return { effect, rule, at: 'denied' } as const
    return { effect, rule, ...given.look(visit, gate, levelOf(effect)) }
  }
  type Judged = ReturnType<typeof judge> | (typeof NOT_LISTED & { id?: undefined })

  function blocked(visit: Visit, gate: Named | undefined, { effect, at }: Judged): Answer {
    if (!gate || effect === 'deny') return FORBIDDEN
    const why = WHY[at] ?? 'failed'
    const [{ sitekey, name: host, contact = '' }, level] = [gate, levelOf(effect)]
    const need = { sitekey, action: ACTIONS[level], service, pass: '/.hv/pass' }
    if (isNavigation(visit)) {
      meters.funnel.inc({ host, step: 'blocked' })
      // Browsers name their languages in the order of preference.
      const [, ...spoken] = LANGUAGES.exec(visit.headers['accept-language'] ?? '') ?? []
      const own = {
        host: visit.host,
        level: String(level),
        why,
        isForm: visit.method === 'GET' ? '' : 'yes',
        contact,
      }
      const values: Record<string, string> = {
        ...need,
        ...own,
        ...TEXTS[Math.max(0, spoken.findIndex(Boolean))]![1],
      }
      const escaped = (_: string, name: string): string =>
        values[name]!.replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
      const policy = { 'content-security-policy': policyOf(service) }
      // With 401 the browser asks for the password that the site asks for.
      return reply(
        why === 'site' ? 401 : 403,
        'text/html',
        PAGE.replaceAll(/\{(\w+)\}/g, escaped),
        policy,
      )
    }
    if (why === 'site') return json(401, { error: 'refused by the site' })
    const header = Object.entries(need).map(([name, value]) => `${name}="${value}"`)
    const refresh = isBoostedLink(visit) && { 'hx-refresh': 'true' }
    return json(
      401,
      { error: 'verification required', ...need },
      { 'hv-required': header.join(', '), ...refresh },
    )
  }

  /** Exchanges a token for a clearance. The ledger of the service consumes it, so that one token gives one. */
  async function exchange(visit: Visit, gate: Named, body: () => Promise<string>): Promise<Answer> {
    // Else a page of somebody else could plant a clearance of its own here, and share its limits.
    if (visit.method !== 'POST' || !isSameOrigin(visit)) return FORBIDDEN
    // A body without a length is no browser's.
    if (!(Number(visit.headers['content-length']) <= MOST_BYTES)) return FORBIDDEN
    const fields = new URLSearchParams(await body())
    const level = fields.get('action') === ACTIONS[2] ? 2 : 1
    const asked = {
      response: fields.get('svc-response'),
      action: ACTIONS[level],
      hostnames: [visit.host] as [string],
      // A token that was solved elsewhere may have been bought there.
      ...(gate.bind === 'network' && { remoteip: addressOf(visit) }),
    }
    const verification = await verify({ url: service, secret: gate.secret, ...asked })
    const result = verification.accepted
      ? 'passed'
      : verification.retryable
        ? 'unavailable'
        : 'refused'
    meters.passes.inc({ host: gate.name, result, level })
    const facts = { hostname: gate.name, action: ACTIONS[level], network: networkOf(visit.address) }
    if (verification.accepted) {
      meters.funnel.inc({ host: gate.name, step: 'passed' })
      const { id, cookie } = await given.issue(visit, gate, level)
      log.info('clearance given', { ...facts, score: verification.score, clearance: id })
      return { status: 204, headers: { ...HEADERS, 'set-cookie': cookie }, body: '' }
    }
    const { retryable, retryAfter, rule, why, codes, stepUp } = verification
    const isElsewhere = codes.includes('remoteip-mismatch')
    const detail = isElsewhere ? SOLVED_ELSEWHERE : why
    log[retryable ? 'warn' : 'info']('clearance refused', { ...facts, rule, detail })
    if (isElsewhere) return json(403, { error: 'refused', why: 'address' })
    if (!retryable)
      return json(403, { error: 'refused', ...(stepUp !== undefined && { step_up: stepUp }) })
    return json(
      503,
      { error: 'unavailable' },
      retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
    )
  }

  /** Logs a refusal that the operator may want to know of: no visitor without a clearance, or with an old one. */
  function logRefusal(
    { at, age = Infinity }: Judged & { age?: number },
    facts: Readonly<Record<string, string>>,
  ): void {
    if (at === 'none' || at === 'low' || at === 'expired') return
    const message = at === 'rate' ? 'clearance over its rate' : `clearance ${at}`
    log.seldom(message, age < FRESH ? { ...facts, detail: IN_FRONT } : facts)
  }

  /** Returns the page for a request that nginx answers with 401: because of a check, or on its own account. */
  function shown(visit: Visit, gate: Named): Answer {
    const judged = judge(visit, gate)
    // A visitor who opens `/.hv/blocked` itself was refused by nobody.
    if (judged.id !== undefined && !visit.target.startsWith('/.hv/'))
      log.seldom('401 of the site itself', {
        hostname: gate.name,
        rule: judged.rule,
        detail: OWN_401,
      })
    return blocked(visit, gate, judged)
  }

  return {
    /** Decides about a visit by its rule and its clearance. Asks no store and no service. */
    check(visit: Visit): Decision {
      const gate = find(visit.host)
      const judged: Judged = gate ? judge(visit, gate) : NOT_LISTED
      const { at, rule } = judged
      const host = gate?.name ?? 'other'
      const isIn = at === 'open' || at === 'valid'
      meters.checks.inc({ host, answer: gate?.shadow && !isIn ? 'would_block' : at })
      if (isIn) return { clearance: judged.id! }
      const facts = { hostname: host, rule, network: networkOf(visit.address) }
      if (gate?.shadow) log.seldom('would be blocked', { ...facts, detail: at })
      else logRefusal(judged, facts)
      if (gate?.shadow) return { clearance: 'none' }
      return { status: at === 'denied' ? 403 : 401, answer: () => blocked(visit, gate, judged) }
    },
    /** Answers what is below `/.hv/`: the page for nginx, its files, and the exchange. @param body reads that of the request. */
    async own(visit: Visit, asset: string, body: () => Promise<string>): Promise<Answer> {
      const gate = find(visit.host)
      if (!gate) return FORBIDDEN
      if (asset === 'pass') return exchange(visit, gate, body)
      if (asset === 'blocked') return shown(visit, gate)
      if (asset === 'gate.js') meters.funnel.inc({ host: gate.name, step: 'challenged' })
      return ASSETS.get(asset) ?? NOT_FOUND
    },
  }
}

/**
 * Reports whether the visitor will see the answer as a page. A service worker that passes a navigation on
 * (`fetch(event.request)`) changes its destination to `empty`, and in Firefox its mode to `same-origin`; `Accept` and
 * `Upgrade-Insecure-Requests` stay. Where the browser does not say, its `Accept` does.
 */
function isNavigation({ method, headers }: Visit): boolean {
  if (method !== 'GET' && method !== 'POST') return false
  const { 'sec-fetch-mode': mode, 'sec-fetch-dest': dest, accept = '' } = headers
  if (mode === 'navigate') return true
  if (mode === 'same-origin')
    return accept.startsWith('text/html') && headers['upgrade-insecure-requests'] === '1'
  if (mode !== undefined || dest !== undefined) return false
  return headers.upgrade === undefined && accept.includes('text/html')
}

/** htmx follows such a link by a script and shows no refusal, but reloads its page where the answer says so. */
const isBoostedLink = ({ method, headers }: Visit): boolean =>
  method === 'GET' && headers['hx-boosted'] === 'true'

/** Browsers without `Sec-Fetch-Site` send `Origin`: another port of the same host is another origin. */
function isSameOrigin({ origin, headers }: Visit): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  return origin !== undefined && headers.origin === origin
}
