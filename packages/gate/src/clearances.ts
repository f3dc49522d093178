/** The clearance: a cookie that says "this browser passed", and nothing about the person. */
import { randomBytes } from 'node:crypto'
import { hasOneSpelling } from '#shared/domain/one-spelling'
import { errors, jwtVerify, SignJWT } from 'jose'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { Key } from './keys.ts'
import type { Gate } from './read-settings.ts'
import { networkOf, type Visit } from './visit.ts'

/** 1: a silent visit; 2: one with a press. */
export type Level = 1 | 2

/** How long clearances last, and how one may be used. */
export type Policy = Pick<Gate, 'lifetime' | 'bind' | 'networks' | 'rate' | 'not_before'>

/**
 * What a clearance is worth to a visit. `elsewhere`: it is of another host or network. `shared`: it is used from too many
 * networks. `rate`: it is used too often. `low`: the path needs a press. `id` is that of a valid clearance; `age` is the
 * number of seconds since it was given, where the network is another one.
 */
export type Look = Readonly<{
  at: 'valid' | 'none' | 'unreadable' | 'expired' | 'elsewhere' | 'shared' | 'rate' | 'low'
  id?: string
  age?: number
}>

/** `net`: the family and keyed hash of the network where it was given; `lvl`: its level. */
type Claims = Readonly<Record<'jti' | 'net', string> & Record<'iat' | 'exp', number>> & {
  readonly lvl: Level
}

/** A clearance that was opened at a host, and where it was used since. */
interface InUse {
  readonly key: Key
  readonly claims: Claims
  readonly networks: Set<string>
  lastAddress: string | undefined
}

const HEADER = { alg: 'HS256', typ: 'clearance+jwt' } as const
const ISSUER = 'hv-gate'
/** Seconds by which clocks of several gates may differ. */
const TOLERANCE = 5
/** Characters of a longer cookie are not parsed: a clearance has about 300. */
const MOST_CHARACTERS = 512
/** Clearances whose use is remembered; of a forgotten one, counting starts again. */
const MOST_IN_USE = 100_000
/** Cookies that are opened for one request, which costs time; those that were opened before come first, and cost none. */
const MOST_OPENED = 3
/** Cookies of a request that are looked at: browsers keep at most 600 for a site. */
const MOST_COOKIES = 1000

/** The prefix makes sure that a cookie is of this host alone; browsers take it over TLS only (RFC 6265bis). */
const cookieName = ({ isSecure }: Visit): string => (isSecure ? '__Host-hv=' : 'hv=')
const hostHash = ({ hash }: Key, { host }: Visit): string => hash(`host ${host}`)
function networkHash({ hash }: Key, { address }: Visit): string {
  const network = networkOf(address)
  return (network.includes(':') ? '6' : '4') + hash(`network ${network}`)
}

/** Gives and judges the clearances of one gate. */
export class Clearances {
  readonly #keys: readonly Key[]
  readonly #policy: Policy
  readonly #now: () => number
  readonly #limiter: RateLimiterMemory
  /** Clearances that were opened, by host and token. */
  readonly #inUse = new Map<string, InUse>()

  /** @param keys the first signs. @param now Unix seconds. */
  constructor(
    keys: readonly Key[],
    policy: Policy,
    now = (): number => Math.floor(Date.now() / 1000),
  ) {
    this.#keys = keys
    this.#policy = policy
    this.#now = now
    this.#limiter = new RateLimiterMemory({ keyPrefix: '', ...policy.rate })
  }

  /** Judges the cookies of a visit: the first valid one counts. */
  async look(visit: Visit, level: Level): Promise<Look> {
    const name = cookieName(visit)
    const tokens = (visit.headers.cookie ?? '')
      .split('; ', MOST_COOKIES)
      .filter((cookie) => cookie.startsWith(name))
      .map((cookie) => cookie.slice(name.length))
    // Over http a sibling domain may set further cookies of this name, which browsers send first.
    const isOpen = (token: string): boolean => this.#inUse.has(`${visit.host} ${token}`)
    const others = tokens.filter((token) => !isOpen(token)).slice(0, MOST_OPENED)
    let refusal: Look = { at: 'none' }
    for (const token of [...tokens.filter(isOpen), ...others]) {
      const look = await this.#judge(token, visit, level)
      if (look.id !== undefined) return look
      if (refusal.at === 'none' || refusal.at === 'unreadable') refusal = look
    }
    return refusal
  }

  /** Returns the id of a new clearance, and its `Set-Cookie`. */
  async issue(visit: Visit, level: Level): Promise<{ id: string; cookie: string }> {
    const { lifetime } = this.#policy
    const key = this.#keys[0]!
    const iat = this.#now()
    const id = randomBytes(16).toString('base64url')
    const claims: Claims = {
      jti: id,
      net: networkHash(key, visit),
      lvl: level,
      iat,
      exp: iat + lifetime,
    }
    const token = await new SignJWT(claims)
      .setIssuer(ISSUER)
      .setAudience(hostHash(key, visit))
      .setProtectedHeader({ ...HEADER, kid: key.id })
      .sign(await key.hs256)
    this.#remember(token, visit, key, claims)
    // With `Lax`, a visitor whose form was posted from another site would see the page for ever: Firefox reloads such a POST as
    // cross-site, without the cookie. The site's own session decides about the form. Browsers accept `None` over TLS only.
    const sameSite = visit.isSecure ? 'SameSite=None; Secure' : 'SameSite=Lax'
    const attributes = `Path=/; Max-Age=${lifetime}; HttpOnly; ${sameSite}`
    return { id, cookie: `${cookieName(visit)}${token}; ${attributes}` }
  }

  async #judge(token: string, visit: Visit, level: Level): Promise<Look> {
    const opened = this.#inUse.get(`${visit.host} ${token}`) ?? (await this.#open(token, visit))
    if ('at' in opened) return opened
    const { iat, exp, lvl, jti: id } = opened.claims
    // Time has gone on since it was opened.
    if (exp + TOLERANCE <= this.#now() || iat < (this.#policy.not_before ?? 0))
      return { at: 'expired' }
    if (lvl < level) return { at: 'low' }
    const refusal = this.#judgePlace(opened, visit)
    if (refusal) return refusal
    return (await this.#isWithinRate(id)) ? { at: 'valid', id } : { at: 'rate' }
  }

  /** Verifies a token that `issue` made for this host. */
  async #open(token: string, visit: Visit): Promise<InUse | Look> {
    // Networks are counted for each text of a token, so a second spelling would have networks of its own.
    if (token.length > MOST_CHARACTERS || !hasOneSpelling(token)) return { at: 'unreadable' }
    try {
      const { payload, key } = await this.#verify(token, visit)
      return this.#remember(token, visit, key, payload as unknown as Claims)
    } catch (error) {
      if (error instanceof errors.JWTExpired) return { at: 'expired' }
      if (error instanceof errors.JWTClaimValidationFailed) return { at: refusalOf(error.claim) }
      if (error instanceof errors.JOSEError) return { at: 'unreadable' }
      throw error
    }
  }

  /** @throws {errors.JOSEError} */
  async #verify(token: string, visit: Visit) {
    let key: Key | undefined
    const keyOf = ({ kid }: { kid?: string }) => {
      key = this.#keys.find(({ id }) => id === kid)
      if (!key) throw new errors.JWSInvalid('no key of this gate')
      return key.hs256
    }
    const { payload } = await jwtVerify(token, keyOf, {
      algorithms: [HEADER.alg],
      typ: HEADER.typ,
      issuer: ISSUER,
      audience: this.#keys.map((each) => hostHash(each, visit)),
      clockTolerance: TOLERANCE,
      currentDate: new Date(this.#now() * 1000),
      // Refuses one of the future as well.
      maxTokenAge: this.#policy.lifetime,
    })
    return { payload, key: key! }
  }

  #remember(token: string, visit: Visit, key: Key, claims: Claims): InUse {
    const opened: InUse = { key, claims, networks: new Set(), lastAddress: undefined }
    if (this.#inUse.size >= MOST_IN_USE) this.#inUse.delete(this.#inUse.keys().next().value!)
    this.#inUse.set(`${visit.host} ${token}`, opened)
    return opened
  }

  /** Returns why a clearance does not count at the address of a visit, and notes the network. */
  #judgePlace(opened: InUse, visit: Visit): Look | undefined {
    const { key, claims, networks } = opened
    if (opened.lastAddress !== undefined && opened.lastAddress === visit.address) return undefined
    const network = networkHash(key, visit)
    // A browser may use IPv4 and IPv6 by turns: two families cannot be compared.
    const isComparable = this.#policy.bind === 'network' && network[0] === claims.net[0]
    if (isComparable && network !== claims.net)
      return { at: 'elsewhere', age: this.#now() - claims.iat }
    if (!networks.has(network) && networks.size >= this.#policy.networks) return { at: 'shared' }
    networks.add(network)
    opened.lastAddress = visit.address
    return undefined
  }

  async #isWithinRate(id: string): Promise<boolean> {
    try {
      await this.#limiter.consume(id)
      return true
    } catch (error) {
      if (error instanceof RateLimiterRes) return false
      throw error
    }
  }
}

/** @param claim that is not as expected. */
function refusalOf(claim: string): Look['at'] {
  if (claim === 'aud') return 'elsewhere'
  return claim === 'iat' || claim === 'exp' ? 'expired' : 'unreadable'
}
