/** The clearance: a cookie that says "this browser passed", and nothing about the person. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { decodeJwt, SignJWT } from 'jose'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import type { Key } from './keys.ts'
import type { Gate } from './read-settings.ts'
import { networkOf, type Visit } from './visit.ts'

/** 1: a silent visit; 2: one with a press. */
export type Level = 1 | 2
/** `shared`: used from too many networks, or too often. `low`: the path needs a press. */
export type Look = { readonly at: 'valid'; readonly id: string } | { readonly at: Refused | 'none' }
type Refused = 'unreadable' | 'expired' | 'elsewhere' | 'shared' | 'low'

/** `aud`: keyed hash of the host; `net`: family and keyed hash of the network where it was given. */
type Claims = Readonly<Record<'jti' | 'aud' | 'net', string> & Record<'iat' | 'exp', number>> & { readonly lvl: Level }

/** A clearance in use: opened once, and where it was seen since. */
interface InUse {
  readonly key: Key
  readonly claims: Claims
  readonly networks: Set<string>
  /** Host and address of its last use. */
  last: string
}

/** Seconds by which clocks of several gates may differ. */
const TOLERANCE = 5
/** Clearances whose use is remembered; of a forgotten one, counting starts again. */
const MOST = 100_000
/** Cookies of a request that are opened: browsers send one, of one name and host. */
const MOST_COOKIES = 3

/** By the scheme that the browser sees: the prefix makes sure that the cookie is of this host alone (RFC 6265bis). */
const cookieOf = ({ isSecure }: Visit): string => (isSecure ? '__Host-hv=' : 'hv=')
const mac = ({ secret }: Key, text: string): Buffer => createHmac('sha256', secret).update(text).digest()
const hash = (key: Key, text: string): string => mac(key, text).toString('base64url').slice(0, 16)
const networkHash = (key: Key, { address }: Visit): string => {
  const network = networkOf(address)
  return (network.includes(':') ? '6' : network[0] === 'u' ? '0' : '4') + hash(key, `network ${network}`)
}

const headerOf = ({ kid }: Key) => ({ alg: 'HS256', typ: 'clearance+jwt', kid })

/** @param keys the first signs. @param now Unix seconds. */
export function clearances(keys: readonly Key[], now = () => Math.floor(Date.now() / 1000)) {
  const inUse = new Map<string, InUse>()
  const limiters = new Map<string, RateLimiterMemory>()
  const byHeader = new Map(keys.map((key) => [Buffer.from(JSON.stringify(headerOf(key))).toString('base64url'), key]))

  /**
   * Opens a token that `issue` made, whose header is one of ours to the letter. Not by jose: Web Crypto hands each token to
   * another thread, which takes up to 50 ms on a busy machine (Node.js 20.20), and has to wait for a DNS that hangs.
   */
  function open(token: string): InUse | Refused {
    const [header = '', payload = ''] = token.split('.')
    const key = byHeader.get(header)
    if (!key) return 'unreadable'
    // The spelling counts, not what it decodes to: each further spelling would have networks and a rate of its own.
    const expected = Buffer.from(`${header}.${payload}.${mac(key, `${header}.${payload}`).toString('base64url')}`)
    const given = Buffer.from(token)
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return 'unreadable'
    return { key, claims: decodeJwt(token), networks: new Set(), last: '' }
  }

  function recall(token: string): InUse | Refused {
    const known = inUse.get(token)
    if (known) return known
    const opened = open(token)
    if (typeof opened === 'string') return opened
    const oldest = inUse.size < MOST ? undefined : inUse.keys().next().value
    if (oldest !== undefined) inUse.delete(oldest)
    inUse.set(token, opened)
    return opened
  }

  /** Reports whether a clearance counts at this host and address, and remembers the network. */
  function placeOf(one: InUse, visit: Visit, { bind, networks }: Gate): 'valid' | Refused {
    const here = `${visit.host} ${visit.address}`
    if (one.last === here) return 'valid'
    const { aud, net } = one.claims
    const network = networkHash(one.key, visit)
    if (aud !== hash(one.key, `host ${visit.host}`)) return 'elsewhere'
    // A browser may use IPv4 and IPv6 by turns: two families cannot be compared.
    if (bind === 'network' && network[0] === net[0] && network !== net) return 'elsewhere'
    if (!one.networks.has(network) && one.networks.size >= networks) return 'shared'
    one.networks.add(network)
    one.last = here
    return 'valid'
  }

  async function isWithin({ points, duration }: Gate['rate'], id: string): Promise<boolean> {
    const name = `${points} per ${duration}`
    const limiter = limiters.get(name) ?? new RateLimiterMemory({ points, duration })
    limiters.set(name, limiter)
    return limiter.consume(id).then(
      () => true,
      () => false,
    )
  }

  async function judge(token: string, visit: Visit, gate: Gate, level: Level): Promise<Look> {
    const one = recall(token)
    if (typeof one === 'string') return { at: one }
    const { jti, iat, exp, lvl } = one.claims
    const time = now()
    if (exp + TOLERANCE <= time || iat > time + TOLERANCE || iat < (gate.not_before ?? 0)) return { at: 'expired' }
    if (lvl < level) return { at: 'low' }
    const place = placeOf(one, visit, gate)
    if (place !== 'valid') return { at: place }
    return (await isWithin(gate.rate, jti)) ? { at: 'valid', id: jti } : { at: 'shared' }
  }

  return {
    /** Judges the cookies of a visit: the first valid one of several counts. */
    async look(visit: Visit, gate: Gate, level: Level): Promise<Look> {
      const name = cookieOf(visit)
      const cookies = (visit.headers.cookie ?? '').split('; ').filter((each) => each.startsWith(name))
      let look: Look = { at: 'none' }
      for (const cookie of cookies.slice(0, MOST_COOKIES)) {
        look = await judge(cookie.slice(name.length), visit, gate, level)
        if (look.at === 'valid') break
      }
      return look
    },
    /** Returns the id of a new clearance, and its `Set-Cookie`. */
    async issue(visit: Visit, { lifetime }: Gate, lvl: Level) {
      const key = keys[0]!
      const id = randomBytes(16).toString('base64url')
      const token = await new SignJWT({ net: networkHash(key, visit), lvl })
        .setProtectedHeader(headerOf(key))
        .setJti(id)
        .setAudience(hash(key, `host ${visit.host}`))
        .setIssuedAt(now())
        .setExpirationTime(now() + lifetime)
        .sign(key.secret)
      const attributes = `Path=/; Max-Age=${lifetime}; HttpOnly; SameSite=Lax${visit.isSecure ? '; Secure' : ''}`
      return { id, cookie: `${cookieOf(visit)}${token}; ${attributes}` }
    },
  }
}

export type Clearances = ReturnType<typeof clearances>
