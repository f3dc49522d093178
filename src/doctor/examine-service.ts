import { createHash } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import { request } from 'node:https'
import type { TLSSocket } from 'node:tls'
import { parseAddress } from '../domain/address.ts'
import { type Finding, fix, good, reasonOf, unknown, unreachableAdvice } from './finding.ts'
import { ask, obtainChallenge, obtainToken, type Page, TIMEOUT_MS } from './visitor.ts'

const DAY_MS = 86_400_000
/** Days before its end at which a certificate ought to have been renewed automatically. */
const RENEWED_BY = 14
/** Seconds: the tolerance of tokens (src/tokens/tokens.ts), beyond which those of one clock are refused by another. */
const TOLERANCE = 5

/** What the examination knows of the service beyond its address. */
export interface Known {
  readonly pages: readonly Page[]
  /** The caller's own address, where it is known. */
  readonly own: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  /** Opens a response token; undefined where this machine has no keyring. */
  readonly open: ((token: string, page: Page) => Promise<Opened | undefined>) | undefined
  /** The partition of the ledger that holds a challenge's id: each has a generation of its own. */
  readonly partitionOf: (jti: string) => number
}

/** How a response token remembers the address that solved. */
export interface Opened {
  readonly scope: 'public' | 'private' | 'none'
  readonly is: (address: string) => boolean
}

/** Examines a running service as visitors and customers meet it. One cause is one finding. */
export async function examineService(service: URL, known: Known): Promise<readonly Finding[]> {
  const { pages } = known
  const network = await examineNetwork(service)
  const health = await examineHealth(service)
  const encryption = await examineEncryption(service)
  if (health === undefined || encryption.saw.includes('not trusted')) {
    const lost = health === undefined && !encryption.saw.includes('not trusted')
    const cause = lost ? fix('reachable', 'no answer', unreachableAdvice(known.env)) : encryption
    const others = [lost ? 'TLS' : 'reachable', 'clock', 'captcha.js', 'CORS', 'visitor address']
    return [
      network,
      cause,
      ...others.map((check) => unknown(check, 'not asked', `fix ${cause.check} first, and ask again`)),
    ]
  }
  const findings = [network, ...health, encryption, ...(await examineScript(service))]
  for (const page of pages) findings.push(await examineCors(service, page))
  findings.push(await examineStranger(service), ...(await examineAddress(service, known)))
  if (pages[0]) findings.push(await examineLedger(service, pages[0], known.partitionOf))
  return findings
}

/** Browsers let a public page ask a private address only when the visitor allows it (Local Network Access). */
async function examineNetwork({ hostname }: URL): Promise<Finding> {
  const check = 'address'
  if (/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)) return good(check, `${hostname}: this machine`)
  let addresses: readonly string[]
  try {
    addresses = (await lookup(hostname.replace(/^\[|\]$/g, ''), { all: true })).map(({ address }) => address)
  } catch (error) {
    return unknown(check, reasonOf(error), 'a name that only a proxy resolves cannot be looked at from here')
  }
  const inside = addresses.filter((address) => parseAddress(address)?.scope !== 'public')
  if (inside.length === 0) return good(check, `${addresses.join(', ')}: public`)
  return unknown(
    check,
    `${inside.join(', ')}: private`,
    'a page at a public address gets no token unless its visitor allows access to the local network: give the service a public address, or serve all pages from private ones',
  )
}

/** @returns undefined when nobody answered. */
async function examineHealth(service: URL): Promise<readonly Finding[] | undefined> {
  const askedAt = Date.now()
  let res: Response
  try {
    res = await fetch(new URL('health', service), { signal: AbortSignal.timeout(TIMEOUT_MS) })
  } catch {
    return undefined
  }
  const answeredAt = Date.now()
  const body = (await res.json().catch(() => ({}))) as Record<string, unknown>
  const { status, 'error-codes': codes } = body
  const reachable =
    status === 'ok'
      ? good('reachable', `/health answers in ${answeredAt - askedAt} ms`)
      : status === 'unavailable'
        ? fix('reachable', `/health says ${String(codes)}`, 'the log says why: Redis, its policy, or the schema')
        : fix(
            'reachable',
            `/health answers ${res.status}, but not as this service`,
            'the address leads to something else',
          )
  return [reachable, clockFinding(res.headers.get('date'), askedAt, answeredAt)]
}

/** A Date header says whole seconds of a moment between asking and being answered. */
function clockFinding(date: string | null, askedAt: number, answeredAt: number): Finding {
  const theirs = Date.parse(date ?? '')
  if (Number.isNaN(theirs)) return unknown('clock', 'no Date header', 'a proxy removes it; compare the clocks by hand')
  const ahead = Math.max(0, theirs - answeredAt) / 1000
  const behind = Math.max(0, askedAt - theirs - 1000) / 1000
  const off = Math.max(ahead, behind)
  if (off <= TOLERANCE) return good('clock', `within ${Math.ceil(off)} s of this machine's`)
  const saw = `${Math.round(off)} s ${ahead > behind ? 'ahead of' : 'behind'} this machine's`
  return fix('clock', saw, 'run NTP on both; the ledger judges by the clock of Redis, keys and logs by the service’s')
}

async function examineEncryption(service: URL): Promise<Finding> {
  const check = 'TLS'
  if (service.protocol !== 'https:') {
    if (/^(localhost|127\.|\[::1\])/.test(service.hostname)) return good(check, 'none, on this machine only')
    return fix(check, 'none', 'secrets and tokens travel unencrypted: put a proxy with TLS in front (deploy/)')
  }
  let session: Session
  try {
    session = await handshake(new URL('health', service))
  } catch (error) {
    return fix(check, reasonOf(error), 'is this the port of TLS?')
  }
  const { protocol, expires, problem } = session
  const days = Math.floor((Date.parse(expires) - Date.now()) / DAY_MS)
  const saw = `${protocol}, certificate for ${days} more days`
  if (problem !== undefined) {
    return fix(
      check,
      `${saw}; not trusted (${problem})`,
      'visitors’ browsers refuse it: serve the whole chain, for this name; for an authority of your own: NODE_EXTRA_CA_CERTS=FILE hv doctor …',
    )
  }
  if (days < RENEWED_BY) return fix(check, saw, 'renew it now, and find out why it was not renewed automatically')
  return /^TLSv1(\.1)?$/.test(protocol) ? fix(check, saw, 'allow TLS 1.2 and 1.3 only') : good(check, saw)
}

interface Session {
  readonly protocol: string
  readonly expires: string
  /** Why the certificate is not trusted; undefined: it is. */
  readonly problem: string | undefined
}

const handshake = (url: URL): Promise<Session> =>
  new Promise((resolve, reject) => {
    const req = request(url, { rejectUnauthorized: false, timeout: TIMEOUT_MS }, (res) => {
      const socket = res.socket as TLSSocket
      const { authorized, authorizationError } = socket
      resolve({
        protocol: socket.getProtocol() ?? 'an unknown protocol',
        expires: socket.getPeerCertificate().valid_to,
        problem: authorized ? undefined : String(authorizationError),
      })
      res.destroy()
    })
    req.once('timeout', () => req.destroy(new Error('no answer in time')))
    req.once('error', reject)
    req.end()
  })

async function examineScript(service: URL): Promise<readonly Finding[]> {
  const check = 'captcha.js'
  try {
    const res = await fetch(new URL('assets/captcha.js?v=1', service), { signal: AbortSignal.timeout(TIMEOUT_MS) })
    const bytes = Buffer.from(await res.arrayBuffer())
    if (!res.ok) return [fix(check, `HTTP ${res.status}`, 'let /assets/ through to the service, with its query')]
    const cache = res.headers.get('cache-control') ?? 'none'
    const cached =
      cache.includes('max-age=31536000') && res.headers.has('etag')
        ? good(check, 'cached for a year, with an ETag')
        : fix(check, `Cache-Control: ${cache}`, 'a proxy changes Cache-Control or takes the ETag: pass both through')
    const missing = [
      ['Access-Control-Allow-Origin', '*'],
      ['Cross-Origin-Resource-Policy', 'cross-origin'],
    ].find(([name, value]) => res.headers.get(name!) !== value)
    const integrity = `sha384-${createHash('sha384').update(bytes).digest('base64')}`
    const sri = missing
      ? fix(
          'SRI',
          `no ${missing.join(': ')}`,
          'a proxy removes the header: pass it through, or pages cannot load the script',
        )
      : good('SRI', `integrity="${integrity}" crossorigin="anonymous"`)
    return [cached, sri]
  } catch (error) {
    return [fix(check, reasonOf(error), 'let /assets/ through to the service')]
  }
}

const PASS_THROUGH = 'let POST /api/v1/challenge through to the service'

async function examineCors(service: URL, { origin, sitekey, action }: Page): Promise<Finding> {
  const { hostname } = new URL(origin)
  const check = `CORS ${hostname}`
  try {
    const { status, headers, codes } = await ask(service, 'challenge', { sitekey, action }, { origin })
    const allowed = headers.get('access-control-allow-origin')
    if (status === 429) return fix(check, 'rate-limit-exceeded', 'ask again in a minute')
    if (codes === 'hostname-not-allowed') {
      const advice =
        'the running service does not have this hostname: add it to the site’s hostnames, or reload the service'
      return fix(check, `${hostname}: hostname-not-allowed`, advice)
    }
    if (status !== 200) return fix(check, codes, 'the running service has another policy than this file: reload it')
    if (allowed === origin) return good(check, `challenge issued to ${origin}`)
    return fix(
      check,
      `Access-Control-Allow-Origin: ${allowed ?? 'none'}`,
      'a proxy changes CORS headers: pass them through',
    )
  } catch (error) {
    return fix(check, reasonOf(error), PASS_THROUGH)
  }
}

/** A page of nobody's must not be served, nor be able to read why. */
async function examineStranger(service: URL): Promise<Finding> {
  const check = 'CORS of strangers'
  const origin = 'https://stranger.invalid'
  try {
    const fields = { sitekey: 'hv_site_of_nobody', action: 'doctor' }
    const { status, headers } = await ask(service, 'challenge', fields, { origin })
    const allowed = headers.get('access-control-allow-origin')
    if (allowed === '*' || allowed === origin)
      return fix(
        check,
        `Access-Control-Allow-Origin: ${allowed}`,
        'a proxy adds CORS headers of its own: leave them to the service',
      )
    return status < 400
      ? fix(check, `HTTP ${status}`, 'this is not the service')
      : good(check, 'refused, and not readable')
  } catch (error) {
    return fix(check, reasonOf(error), PASS_THROUGH)
  }
}

/** Of TEST-NET-1 (RFC 5737): nobody comes from there. */
const MADE_UP = '192.0.2.77'

/**
 * Which address the service sees: a token is obtained and opened, so no endpoint has to tell. Then the same with a
 * made-up `X-Forwarded-For`, which no stranger may be believed.
 */
async function examineAddress(service: URL, { pages: [page], own, open }: Known): Promise<readonly Finding[]> {
  const check = 'visitor address'
  if (!open || !page)
    return [
      unknown(
        check,
        'cannot be read from here',
        'name a keyring and a hostname without a wildcard in the configuration',
      ),
    ]
  try {
    const seen = await open(await obtainToken(service, page), page)
    if (!seen) {
      const advice = 'the service runs with another keyring than this file names'
      return [fix(check, 'the token opens with no key of this keyring', advice)]
    }
    const forged = await open(await obtainToken(service, page, { 'x-forwarded-for': MADE_UP }), page)
    return [addressFinding(check, service, seen, own), forgedFinding(forged?.is(MADE_UP) === true)]
  } catch (error) {
    return [unknown(check, reasonOf(error), 'fix what is above first, and ask again')]
  }
}

function addressFinding(check: string, { hostname }: URL, { scope, is }: Opened, own: string | undefined): Finding {
  if (scope === 'none') return fix(check, 'sees none', 'a proxy hides it: have it set X-Forwarded-For')
  if (own !== undefined) {
    if (is(own)) return good(check, `sees ${own}, as it should`)
    const advice = 'name every proxy of yours in trusted_proxies, and have each set X-Forwarded-For'
    return fix(check, `does not see ${own}, but another ${scope} address`, advice)
  }
  const isOutside = !/^(localhost|127\.|10\.|192\.168\.|\[)/.test(hostname)
  if (scope === 'private' && isOutside) {
    const advice = 'name the proxy’s network in trusted_proxies, or all visitors share one budget'
    return fix(check, 'sees a private one: a proxy’s', advice)
  }
  return good(check, `sees a ${scope} one; give --ip to compare it with yours`)
}

const forgedFinding = (isBelieved: boolean): Finding =>
  isBelieved
    ? fix(
        'X-Forwarded-For',
        `a stranger’s ${MADE_UP} was believed`,
        'have the outermost proxy replace X-Forwarded-For, not add to it; trusted_proxies names your proxies only',
      )
    : good('X-Forwarded-For', 'of strangers is not believed')

/** Challenges to ask for: enough to reach each of a few processes behind a balancer more than once. */
const CHALLENGES = 12

/**
 * Asks for some challenges and compares the ledger's generation in them. Processes that share a ledger name the same
 * generation; a generation may move once, but it never comes back, so one that does is another process's.
 */
async function examineLedger(service: URL, page: Page, partitionOf: Known['partitionOf']): Promise<Finding> {
  const check = 'one ledger'
  try {
    const generations = new Map<number, string[]>()
    for (let i = 0; i < CHALLENGES; i++) {
      const { challenge } = await obtainChallenge(service, page)
      const { jti, gen } = claimsOf(challenge)
      const partition = partitionOf(jti)
      generations.set(partition, [...(generations.get(partition) ?? []), gen])
    }
    if (![...generations.values()].some(comesBack)) return good(check, `${CHALLENGES} challenges name the same ledger`)
    return fix(
      check,
      'challenges name different ledgers in turn: processes behind this address do not share one, and refuse each other’s visitors',
      'name one redis for all of them (docs/operate/redis.md), with the same ledger.partitions',
    )
  } catch (error) {
    return unknown(check, reasonOf(error), 'fix what is above first, and ask again')
  }
}

/** Reports whether a generation is seen again after another one. */
function comesBack(generations: readonly string[]): boolean {
  const runs = generations.filter((generation, i) => generation !== generations[i - 1])
  return new Set(runs).size < runs.length
}

/** A challenge is signed, and not encrypted: anybody may read these. */
const claimsOf = (challenge: string): { jti: string; gen: string } =>
  JSON.parse(Buffer.from(challenge.split('.')[1] ?? '', 'base64url').toString()) as { jti: string; gen: string }
