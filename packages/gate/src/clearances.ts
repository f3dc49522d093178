/** The clearance: a cookie that says "this browser passed", and nothing about the person. */
import { createHmac, randomBytes } from 'node:crypto'
import { type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import type { Key } from './keys.ts'
import type { Gate } from './read-settings.ts'
import { networkOf, type Visit } from './visit.ts'

/** 1: a silent visit; 2: one with a press. */
export type Level = 1 | 2
/** `shared`: used from too many networks, or too often. `low`: the path needs a press. */
export type Look = { readonly at: 'valid'; readonly id: string } | { readonly at: Refused | 'none' }
type Refused = 'unreadable' | 'expired' | 'elsewhere' | 'shared' | 'low'

/** A clearance in use: opened once, and where it was seen since. */
interface InUse {
  readonly kid: string
  /** `aud`: keyed hash of the host; `net`: family and keyed hash of the network where it was given. */
  readonly claims: Required<JWTPayload> & { readonly net: string; readonly lvl: Level }
  readonly networks: Set<string>
  lastAddress: string | undefined
}

/** Seconds by which clocks of several gates may differ. */
const TOLERANCE = 5
/** Clearances whose use is remembered; of a forgotten one, counting starts again. */
const MOST = 100_000
/** Cookies of a request that are opened: browsers send one, of one name and host. */
const MOST_COOKIES = 3
/** Milliseconds for opening: Web Crypto shares its threads with DNS, which may hang. */
const DEADLINE_MS = 100
const TYP = 'clearance+jwt'

/** By the scheme that the browser sees: the prefix makes sure that the cookie is of this host alone (RFC 6265bis). */
const cookieOf = ({ isSecure }: Visit): string => (isSecure ? '__Host-hv=' : 'hv=')
const hash = ({ secret }: Key, text: string): string =>
  createHmac('sha256', secret).update(text).digest('base64url').slice(0, 16)
const networkHash = (key: Key, { address }: Visit): string => {
  const network = networkOf(address)
  return network[0] + hash(key, `network ${network}`)
}

/** @param keys the first signs. @param now Unix seconds. */
export function clearances(keys: readonly Key[], now = () => Math.floor(Date.now() / 1000)) {
  const inUse = new Map<string, InUse>()
  const limiters = new Map<string, RateLimiterMemory>()
  const keyOf = (kid = ''): Key => {
    const key = keys.find((each) => each.kid === kid)
    if (!key) throw new Error('unknown key')
    return key
  }

  async function open(token: string): Promise<InUse | Refused> {
    const options = { algorithms: ['HS256'], typ: TYP, currentDate: new Date(now() * 1000), clockTolerance: TOLERANCE }
    return jwtVerify(token, ({ kid }: { kid?: string }) => keyOf(kid).secret, options).then(
      // Our signature: the claims are as `issue` wrote them.
      ({ payload, protectedHeader: { kid = '' } }) =>
        ({ kid, claims: payload, networks: new Set<string>(), lastAddress: undefined }) as InUse,
      (error: { code?: unknown }) => (error.code === 'ERR_JWT_EXPIRED' ? 'expired' : 'unreadable'),
    )
  }

  async function recall(token: string): Promise<InUse | Refused> {
    const known = inUse.get(token)
    if (known) return known.claims.exp + TOLERANCE > now() ? known : 'expired'
    const late = new Promise<Refused>((resolve) => setTimeout(resolve, DEADLINE_MS, 'unreadable').unref())
    const opened = await Promise.race([open(token), late])
    if (typeof opened === 'string') return opened
    const oldest = inUse.size < MOST ? undefined : inUse.keys().next().value
    if (oldest !== undefined) inUse.delete(oldest)
    inUse.set(token, opened)
    return opened
  }

  /** Reports whether the clearance counts at this address, and remembers the network. */
  function placeOf(one: InUse, visit: Visit, { bind, networks }: Gate): 'valid' | Refused {
    if (one.networks.size > 0 && one.lastAddress === visit.address) return 'valid'
    const network = networkHash(keyOf(one.kid), visit)
    // A browser may use IPv4 and IPv6 by turns: two families cannot be compared.
    if (bind === 'network' && network[0] === one.claims.net[0] && network !== one.claims.net) return 'elsewhere'
    if (!one.networks.has(network) && one.networks.size >= networks) return 'shared'
    one.networks.add(network)
    one.lastAddress = visit.address
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
    const one = await recall(token)
    if (typeof one === 'string') return { at: one }
    const { jti, aud, iat, lvl } = one.claims
    if (iat < (gate.not_before ?? 0) || iat > now() + TOLERANCE) return { at: 'expired' }
    if (aud !== hash(keyOf(one.kid), `host ${visit.host}`)) return { at: 'elsewhere' }
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
        .setProtectedHeader({ alg: 'HS256', typ: TYP, kid: key.kid })
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
