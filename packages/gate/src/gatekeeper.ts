/** Lets a visit in, or says what its browser, or program, gets in place of the page. */
import { verify } from '@human-verification/client'
import type { Clearances, Level } from './clearances.ts'
import type { Log } from './log.ts'
import type { Meters } from './meters.ts'
import { ASSETS, pageOf, policyOf } from './page.ts'
import type { Configuration, Gate } from './read-settings.ts'
import { effectOf } from './rules.ts'
import { networkOf, type Visit } from './visit.ts'

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}
/** `clearance`: its id, or `none` where a rule let the visit in. `answer`: what the visitor gets; undefined: a bare 403. */
export type Decision = { readonly clearance: string } | { readonly answer: (() => Answer) | undefined }

/** The two actions of a site: a visit that nobody touched, and one with a press. Their thresholds are the site's own. */
const ACTIONS = { 1: 'gate', 2: 'gate-pressed' } as const

/** Of every answer of ours. A cache that ignores them sees a status that it does not keep. */
const HEADERS = {
  'cache-control': 'no-store',
  vary: 'Cookie, Accept, Sec-Fetch-Mode, Sec-Fetch-Dest',
  'x-robots-tag': 'noindex',
  'x-content-type-options': 'nosniff',
}
export const json = (status: number, body: object, headers: Record<string, string> = {}): Answer => ({
  status,
  headers: { ...HEADERS, 'content-type': 'application/json; charset=utf-8', ...headers },
  body: JSON.stringify(body),
})
export const FORBIDDEN = json(403, { error: 'forbidden' })

interface Parts {
  readonly clearances: Clearances
  readonly meters: Meters
  readonly log: Log
}

export function gatekeeper({ service, gates }: Configuration, { clearances, meters, log }: Parts) {
  const byHost = new Map(gates.flatMap((gate) => gate.hosts.map((host) => [host, { ...gate, name: host }])))
  type Named = Gate & { readonly name: string }
  /** Finds the gate of a host, or of the longest pattern; `name` is the configuration's, for metrics. */
  function find(host: string): Named | undefined {
    let found = byHost.get(host)
    for (let dot = host.indexOf('.'); dot > 0 && !found; dot = host.indexOf('.', dot + 1))
      found = byHost.get(`*${host.slice(dot)}`)
    return found
  }

  function blocked(visit: Visit, { sitekey, name: host, contact = '' }: Named, level: Level): Answer {
    const need = { sitekey, action: ACTIONS[level], service, pass: '/.hv/pass' }
    if (isNavigation(visit)) {
      meters.funnel.inc({ host, step: 'blocked' })
      const form = visit.method === 'GET' ? '' : 'yes'
      const html = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policyOf(service) }
      const body = pageOf({ ...need, host: visit.host, level: String(level), form, contact })
      return { status: 403, headers: { ...HEADERS, ...html }, body }
    }
    const header = Object.entries(need).map(([name, value]) => `${name}="${value}"`)
    return json(401, { error: 'verification required', ...need }, { 'hv-required': header.join(', ') })
  }

  /** Exchanges a token for a clearance. The ledger of the service consumes it, so that one token gives one. */
  async function exchange(visit: Visit, body: string, gate: Named): Promise<Answer> {
    // Else a page of somebody else could plant a clearance of its own here, and share its limits.
    if (visit.method !== 'POST' || !isSameOrigin(visit)) return FORBIDDEN
    const fields = new URLSearchParams(body)
    const level = fields.get('action') === ACTIONS[2] ? 2 : 1
    const expected = { action: ACTIONS[level], hostnames: [visit.host] as [string] }
    const response = fields.get('svc-response')
    const verification = await verify({ url: service, secret: gate.secret, response, ...expected })
    const facts = { hostname: gate.name, action: ACTIONS[level], network: networkOf(visit.address) }
    const count = (result: string): void => meters.passes.inc({ host: gate.name, result, level })
    if (verification.accepted) {
      const { id, cookie } = await clearances.issue(visit, gate, level)
      count('passed')
      meters.funnel.inc({ host: gate.name, step: 'passed' })
      log.info('clearance given', { ...facts, score: verification.score, clearance: id })
      return { status: 204, headers: { ...HEADERS, 'set-cookie': cookie }, body: '' }
    }
    const { retryable, retryAfter, rule, why, stepUp } = verification
    count(retryable ? 'unavailable' : 'refused')
    log[retryable ? 'warn' : 'info']('clearance refused', { ...facts, rule, detail: why })
    if (!retryable) return json(403, { error: 'refused', ...(stepUp !== undefined && { step_up: stepUp }) })
    return json(503, { error: 'unavailable' }, retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) })
  }

  return {
    /** Decides about a visit by its rule and its clearance. Asks no store and no service. */
    async check(visit: Visit): Promise<Decision> {
      const gate = find(visit.host)
      const { effect, rule } = gate ? effectOf(visit, gate.rules) : { effect: 'deny', rule: 'host not listed' }
      const level = effect === 'level 2' ? 2 : 1
      const isAsked = gate && effect.startsWith('level')
      const look = isAsked ? await clearances.look(visit, gate, level) : undefined
      const at = look?.at ?? (effect === 'allow' ? 'open' : 'denied')
      const host = gate?.name ?? 'other'
      meters.checks.inc({ host, answer: gate?.shadow && at !== 'open' && at !== 'valid' ? 'would_block' : at })
      if (at === 'open') return { clearance: 'none' }
      if (look?.at === 'valid') return { clearance: look.id }
      if (at === 'shared') meters.shared.inc({ host })
      const facts = { hostname: host, rule, network: networkOf(visit.address) }
      if (gate?.shadow) log.seldom('would be blocked', { ...facts, detail: at })
      else if (at !== 'none' && at !== 'low' && at !== 'expired') log.seldom(`clearance ${at}`, facts)
      if (gate?.shadow) return { clearance: 'none' }
      return { answer: gate && isAsked ? () => blocked(visit, gate, level) : undefined }
    },
    /** Answers what is below `/.hv/`: the page for nginx, its files, and the exchange. */
    async own(visit: Visit, asset: string, body: string): Promise<Answer> {
      const gate = find(visit.host)
      if (!gate) return FORBIDDEN
      if (asset === 'pass') return exchange(visit, body, gate)
      if (asset === 'blocked') {
        const { effect } = effectOf(visit, gate.rules)
        return effect === 'deny' ? FORBIDDEN : blocked(visit, gate, effect === 'level 2' ? 2 : 1)
      }
      const [type, content] = ASSETS.get(asset) ?? []
      if (type === undefined || content === undefined) return json(404, { error: 'not found' })
      if (asset === 'gate.js') meters.funnel.inc({ host: gate.name, step: 'challenged' })
      return { status: 200, headers: { ...HEADERS, 'content-type': type }, body: content }
    },
  }
}

/** Reports whether the visitor will see the answer as a page. Where the browser does not say, its `Accept` does. */
function isNavigation({ method, headers }: Visit): boolean {
  if (method !== 'GET' && method !== 'POST') return false
  const { 'sec-fetch-mode': mode, 'sec-fetch-dest': dest, accept = '' } = headers
  if (mode !== undefined || dest !== undefined) return mode === 'navigate' && dest === 'document'
  return headers.upgrade === undefined && accept.includes('text/html')
}

function isSameOrigin({ host, headers: { origin, 'sec-fetch-site': site } }: Visit): boolean {
  if (site !== undefined) return site === 'same-origin'
  return origin !== undefined && URL.canParse(origin) && new URL(origin).hostname === host
}
