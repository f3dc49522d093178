import { createHash } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { isIP } from 'node:net'
import { connect } from 'node:tls'
import { parseAddress } from '../domain/address.ts'
import { frontOf } from './front.ts'
import { type Finding, fix, good, look, type Seen, unknown, unreachableAdvice } from './finding.ts'
import { ask, obtainChallenge, obtainToken, type Page, TIMEOUT_MS } from './visitor.ts'

const DAY_MS = 86_400_000
/** Days before its end at which a certificate ought to have been renewed automatically. */
const RENEWED_BY = 14
/** Seconds: the tolerance of tokens (src/tokens/jws.ts), beyond which those of one clock are refused by another. */
const TOLERANCE = 5
const THIS_MACHINE = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** What the examination knows of the service beyond its address. */
export interface Known {
  readonly pages: readonly Page[]
  /** The caller's own address, where it is known. */
  readonly own: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  /** Opens a response token; undefined where this machine has no keyring. */
  readonly open: ((token: string, page: Page) => Promise<Opened | undefined>) | undefined
  /** The partition of a challenge's id in the ledger: each has its own generation. */
  readonly partitionOf: (jti: string) => number
}

/** How a response token remembers the address that solved. */
export interface Opened {
  readonly scope: 'public' | 'private' | 'none'
  readonly is: (address: string) => boolean
}

/** Examines a running service as visitors and customers meet it. One cause is one finding. */
export async function examineService(service: URL, known: Known): Promise<readonly Finding[]> {
  const network = await look('address', () => examineNetwork(service), unresolved)
  const health = await examineHealth(service)
  const encryption = await look('TLS', () => examineEncryption(service), notTls)
  const isTrusted = !encryption.saw.includes('not trusted')
  if (health === undefined || !isTrusted) {
    const lost = { check: 'reachable', ...fix('no answer', unreachableAdvice(known.env)) }
    const cause = isTrusted ? lost : encryption
    const others = [
      isTrusted ? 'TLS' : 'reachable',
      'clock',
      'captcha.js',
      'CORS',
      'visitor address',
    ]
    const unasked = unknown('not asked', `fix ${cause.check} first, then run it again`)
    return [network, cause, ...others.map((check) => ({ check, ...unasked }))]
  }
  const findings = [network, ...health.findings, encryption, ...(await examineScript(service))]
  for (const page of known.pages)
    findings.push(
      await look(
        `CORS ${new URL(page.origin).hostname}`,
        () => examineCors(service, page),
        blocked,
      ),
    )
  findings.push(...(await examineAddress(service, known, health.front)))
  const [page] = known.pages
  if (page)
    findings.push(
      await look('one ledger', () => examineLedger(service, page, known.partitionOf), later),
    )
  return findings
}

const unresolved = (saw: string): Seen =>
  unknown(saw, 'a name that only a proxy resolves cannot be checked from here')
const notTls = (saw: string): Seen => fix(saw, 'is this the port of TLS?')
const blocked = (saw: string): Seen => fix(saw, 'let POST /api/v1/challenge through to the service')
const later = (saw: string): Seen => unknown(saw, 'fix the above first, then run it again')

/** Browsers let a public page ask a private address only when the visitor allows it (Local Network Access). */
async function examineNetwork({ hostname }: URL): Promise<Seen> {
  if (THIS_MACHINE.test(hostname)) return good(`${hostname}: this machine`)
  const found = (await lookup(hostname.replace(/^\[|\]$/g, ''), { all: true })).map(
    ({ address }) => address,
  )
  const inside = found.filter((each) => parseAddress(each)?.scope !== 'public')
  if (inside.length === 0) return good(`${found.join(', ')}: public`)
  const advice =
    'a page at a public address gets no token unless its visitor allows access to the local network: give the service a public address, or serve all pages from private ones'
  return unknown(`${inside.join(', ')}: private`, advice)
}

/** @returns undefined when there was no answer; with the name of the CDN that it came through, if any. */
async function examineHealth(
  service: URL,
): Promise<{ readonly findings: readonly Finding[]; readonly front?: string } | undefined> {
  const askedAt = Date.now()
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const res = await fetch(new URL('health', service), { signal }).catch(() => undefined)
  if (res === undefined) return undefined
  const answeredAt = Date.now()
  const { status, 'error-codes': codes } = (await res.json().catch(() => ({}))) as Record<
    string,
    unknown
  >
  const reachable = (): Seen => {
    if (status === 'ok') return good(`/health answers in ${answeredAt - askedAt} ms`)
    return status === 'unavailable'
      ? fix(`/health says ${String(codes)}`, 'the log says why: Redis, its policy, or the schema')
      : fix(
          `/health answers ${res.status}, but not as this service`,
          'another service answers at this address',
        )
  }
  const clock = clockSeen(res.headers.get('date'), askedAt, answeredAt)
  const front = frontOf(res.headers)
  return {
    findings: [
      { check: 'reachable', ...reachable() },
      { check: 'clock', ...clock },
    ],
    ...(front !== undefined && { front }),
  }
}

/** A Date header says whole seconds of a moment between asking and being answered. */
function clockSeen(date: string | null, askedAt: number, answeredAt: number): Seen {
  const theirs = Date.parse(date ?? '')
  if (Number.isNaN(theirs))
    return unknown('no Date header', 'a proxy removes it; compare the clocks by hand')
  const ahead = Math.max(0, theirs - answeredAt) / 1000
  const off = Math.max(ahead, (askedAt - theirs) / 1000 - 1)
  if (off <= TOLERANCE) return good(`within ${Math.ceil(off)} s of this machine's`)
  const saw = `${Math.round(off)} s ${ahead > 0 ? 'ahead of' : 'behind'} this machine's`
  return fix(
    saw,
    'run NTP on both: the ledger uses the clock of Redis, keys and logs use the service’s',
  )
}

async function examineEncryption({ protocol, hostname, port }: URL): Promise<Seen> {
  if (protocol !== 'https:')
    return THIS_MACHINE.test(hostname)
      ? good('none, on this machine only')
      : fix(
          'none',
          'secrets and tokens travel unencrypted: put a proxy with TLS in front (deploy/)',
        )
  const host = hostname.replace(/^\[|\]$/g, '')
  const servername = isIP(host) === 0 ? host : ''
  const socket = connect({ host, servername, port: Number(port || 443), rejectUnauthorized: false })
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(TIMEOUT_MS) })
    const version = socket.getProtocol() ?? 'an unknown protocol'
    const days = Math.floor(
      (Date.parse(socket.getPeerCertificate().valid_to) - Date.now()) / DAY_MS,
    )
    const saw = `${version}, certificate for ${days} more days`
    const untrusted =
      'browsers reject it: serve the whole chain, for this name; with your own certificate authority: NODE_EXTRA_CA_CERTS=FILE hv doctor …'
    if (!socket.authorized)
      return fix(`${saw}; not trusted (${String(socket.authorizationError)})`, untrusted)
    if (days < RENEWED_BY)
      return fix(saw, 'renew it now, and find out why it was not renewed automatically')
    return /^TLSv1(\.1)?$/.test(version) ? fix(saw, 'allow TLS 1.2 and 1.3 only') : good(saw)
  } finally {
    socket.destroy()
  }
}

/** The script as pages load it; and where it is there, whether they can pin it. */
async function examineScript(service: URL): Promise<readonly Finding[]> {
  const pins: Finding[] = []
  const script = async (): Promise<Seen> => {
    const res = await fetch(new URL('assets/captcha.js?v=1', service), {
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const bytes = Buffer.from(await res.arrayBuffer())
    if (!res.ok)
      return fix(`HTTP ${res.status}`, 'let /assets/ through to the service, with its query')
    pins.push({ check: 'SRI', ...pinning(res.headers, bytes) })
    const cache = res.headers.get('cache-control') ?? 'none'
    return cache.includes('max-age=300') && res.headers.has('etag')
      ? good('cached for five minutes, with an ETag')
      : fix(
          `Cache-Control: ${cache}`,
          'a proxy changes Cache-Control or removes the ETag: pass both through',
        )
  }
  const found = await look('captcha.js', script, (saw) =>
    fix(saw, 'let /assets/ through to the service'),
  )
  return [found, ...pins]
}

function pinning(headers: Headers, bytes: Buffer): Seen {
  const needed = {
    'Access-Control-Allow-Origin': '*',
    'Cross-Origin-Resource-Policy': 'cross-origin',
  }
  const missing = Object.entries(needed).find(([name, value]) => headers.get(name) !== value)
  return missing
    ? fix(
        `no ${missing.join(': ')}`,
        'a proxy removes the header, and pages cannot load the script: pass it through',
      )
    : good(
        `integrity="sha384-${createHash('sha384').update(bytes).digest('base64')}" crossorigin="anonymous"`,
      )
}

async function examineCors(service: URL, { origin, sitekey, action }: Page): Promise<Seen> {
  const { status, headers, codes } = await ask(
    service,
    'challenge',
    { sitekey, action },
    { origin },
  )
  const unlisted =
    'the running service does not have this hostname: add it to the site’s hostnames, or reload the service'
  if (status === 429) return fix('rate-limit-exceeded', 'ask again in a minute')
  if (codes === 'hostname-not-allowed')
    return fix(`${new URL(origin).hostname}: ${codes}`, unlisted)
  if (status !== 200)
    return fix(codes, 'the running service has another policy than this file: reload it')
  const allowed = headers.get('access-control-allow-origin')
  return allowed === origin
    ? good(`challenge issued to ${origin}`)
    : fix(
        `Access-Control-Allow-Origin: ${allowed ?? 'none'}`,
        'a proxy changes CORS headers: pass them through',
      )
}

/** An address of TEST-NET-1 (RFC 5737), which no visitor has. */
const MADE_UP = '192.0.2.77'
const BELIEVED = fix(
  `a stranger’s ${MADE_UP} was trusted`,
  'have the outermost proxy replace X-Forwarded-For, not add to it; trusted_proxies names your proxies only',
)

/**
 * Which address the service sees: a token is obtained and opened, so no endpoint has to tell. Then the same with a
 * made-up `X-Forwarded-For`, which no stranger may be believed.
 */
async function examineAddress(
  service: URL,
  { pages: [page], own, open }: Known,
  front: string | undefined,
): Promise<readonly Finding[]> {
  const forged: Finding[] = []
  const address = async (): Promise<Seen> => {
    const needs = 'name a keyring and a hostname without a wildcard in the configuration'
    if (!open || !page) return unknown('cannot be read from here', needs)
    const opened = async (headers?: Record<string, string>): Promise<Opened | undefined> =>
      open(await obtainToken(service, page, headers), page)
    const seen = await opened()
    const otherKeys = 'the service runs with another keyring than this file names'
    if (!seen) return fix('no key of this keyring opens the token', otherKeys)
    const isBelieved = (await opened({ 'x-forwarded-for': MADE_UP }))?.is(MADE_UP) === true
    forged.push({
      check: 'X-Forwarded-For',
      ...(isBelieved ? BELIEVED : good('of strangers is ignored')),
    })
    return addressSeen(service, seen, { own, front })
  }
  return [await look('visitor address', address, later), ...forged]
}

/** @param around the caller's own address, and the CDN in front, where they are known. */
function addressSeen(
  { hostname }: URL,
  { scope, is }: Opened,
  { own, front }: { readonly own: string | undefined; readonly front: string | undefined },
): Seen {
  if (scope === 'none') return fix('sees none', 'a proxy hides it: have it set X-Forwarded-For')
  const behind = `name all networks of ${front} in trusted_proxies, and client_ip_header if it has one of its own; otherwise all visitors share its addresses`
  const proxies =
    front === undefined
      ? 'name every proxy of yours in trusted_proxies, and have each set X-Forwarded-For'
      : behind
  if (own !== undefined)
    return is(own)
      ? good(`sees ${own}, as it should`)
      : fix(
          `does not see ${own}, but another ${scope} address${front === undefined ? '' : `, that of ${front} or of a proxy behind it`}`,
          proxies,
        )
  if (front !== undefined)
    return unknown(
      `sees a ${scope} one, and ${front} is in front: yours, or its own`,
      `give --ip to compare it with yours; if it is not yours, ${behind}`,
    )
  return scope === 'private' && !/^(localhost|127\.|10\.|192\.168\.|\[)/.test(hostname)
    ? fix(
        'sees a private address, probably a proxy’s',
        `${proxies}, or all visitors share one limit`,
      )
    : good(`sees a ${scope} one; give --ip to compare it with yours`)
}

/** Challenges to ask for: enough to reach each of a few processes behind a balancer more than once. */
const CHALLENGES = 12

/**
 * Asks for some challenges and compares the ledger's generation in them. Processes that share a ledger name the same
 * generation; a generation may move once, but it never comes back, so one that does is another process's.
 */
async function examineLedger(
  service: URL,
  page: Page,
  partitionOf: Known['partitionOf'],
): Promise<Seen> {
  const generations = new Map<number, string[]>()
  for (let i = 0; i < CHALLENGES; i++) {
    const { challenge } = await obtainChallenge(service, page)
    // A challenge is signed and not encrypted, so its claims can be read.
    const claims = Buffer.from(challenge.split('.')[1] ?? '', 'base64url').toString()
    const { jti, gen } = JSON.parse(claims) as { jti: string; gen: string }
    const seen = generations.get(partitionOf(jti)) ?? []
    if (seen.at(-1) !== gen) seen.push(gen)
    generations.set(partitionOf(jti), seen)
  }
  const comesBack = [...generations.values()].some((seen) => new Set(seen).size < seen.length)
  if (!comesBack) return good(`${CHALLENGES} challenges name the same ledger`)
  return fix(
    'challenges name different ledgers in turn: processes behind this address do not share one, and refuse each other’s visitors',
    'name one redis for all of them (docs/operate/redis.md), with the same ledger.partitions',
  )
}
