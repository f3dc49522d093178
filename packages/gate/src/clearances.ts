/** The clearance: a cookie that says "this browser passed", and nothing about the person. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { decodeJwt, SignJWT } from 'jose'
import type { Gate } from './read-settings.ts'
import { networkOf, type Visit } from './visit.ts'

/** Reads a key file. Returns undefined for anything else, and for a key that `hv-gate keygen` does not make. @throws {SyntaxError} */
export function readKeys(text: string): readonly Uint8Array[] | undefined {
  const { keys } = JSON.parse(text) as { readonly keys?: unknown }
  if (!Array.isArray(keys) || keys.length === 0 || !keys.every(isKey)) return undefined
  return keys.map((key) => Buffer.from(key, 'base64url'))
}

/** Reports whether a text is 256 random bits or more: one that repeats itself, as zero bytes do, is no key. */
function isKey(key: unknown): key is string {
  if (typeof key !== 'string' || new Set(key).size < 8) return false
  const bytes = Buffer.from(key, 'base64url')
  return bytes.length >= 32 && bytes.toString('base64url') === key
}

/** Returns a key file with a new first key, and two of the earlier ones. @throws {SyntaxError} */
export function withNewKey(earlier = '{ "keys": [] }'): string {
  const { keys } = JSON.parse(earlier) as { readonly keys: readonly string[] }
  return `${JSON.stringify({ keys: [randomBytes(32).toString('base64url'), ...keys].slice(0, 3) }, undefined, 2)}\n`
}

/** 1: a silent visit; 2: one with a press. */
export type Level = 1 | 2
/**
 * `elsewhere`: at another host or in another network. `shared`: used from too many networks.
 * `rate`: used too often. `low`: the path needs a press. `id` is that of a valid clearance.
 * `age` is the number of seconds since it was given, where the network is another one.
 */
type Look = Readonly<{
  at: 'valid' | 'none' | 'unreadable' | 'expired' | 'elsewhere' | 'shared' | 'rate' | 'low'
  id?: string
  age?: number
}>

/** A clearance in use: opened once, and where it was seen since. */
interface InUse {
  readonly key: Uint8Array
  /** `aud`: keyed hash of the host; `net`: family and keyed hash of the network where it was given. */
  readonly claims: Readonly<
    Record<'jti' | 'aud' | 'net', string> & Record<'iat' | 'exp' | 'lvl', number>
  >
  readonly networks: Set<string>
  /** Host and address of its last use. */
  last: string
  /** Its rate is used up until then: milliseconds of `performance.now()`. */
  restsUntil: number
}

/** Seconds by which clocks of several gates may differ. */
const TOLERANCE = 5
/** Clearances whose use is remembered; of a forgotten one, counting starts again. */
const MOST = 100_000
/** Cookies that are opened for one request, which costs time; those that were opened before come first, and cost none. */
const MOST_OPENED = 8

/** By the scheme that the browser sees: the prefix makes sure that the cookie is of this host alone (RFC 6265bis). */
const cookieOf = ({ isSecure }: Visit): string => (isSecure ? '__Host-hv=' : 'hv=')
const mac = (key: Uint8Array, text: string): string =>
  createHmac('sha256', key).update(text).digest('base64url')
const hostHash = (key: Uint8Array, { host }: Visit): string => mac(key, `host ${host}`).slice(0, 16)
function networkHash(key: Uint8Array, { address }: Visit): string {
  const network = networkOf(address)
  return (network.includes(':') ? '6' : '4') + mac(key, `network ${network}`).slice(0, 16)
}

/** @param keys the first signs. @param now Unix seconds. */
export function clearances(keys: readonly Uint8Array[], now = () => Math.floor(Date.now() / 1000)) {
  const inUse = new Map<string, InUse>()

  const isKnown = (token: string): boolean => inUse.has(token)

  /** Opens a token that `issue` made. Not by jose: Web Crypto's threads take up to 50 ms on a busy machine (Node.js 20.20). */
  function open(token: string): InUse | undefined {
    const known = inUse.get(token)
    if (known) return known
    const given = Buffer.from(token)
    const signed = token.slice(0, token.lastIndexOf('.'))
    const key = keys.find((each) => {
      // The spelling counts, not what it decodes to: each further spelling would have networks and a rate of its own.
      const expected = Buffer.from(`${signed}.${mac(each, signed)}`)
      return given.length === expected.length && timingSafeEqual(given, expected)
    })
    if (!key) return undefined
    const opened: InUse = {
      key,
      claims: decodeJwt(token),
      networks: new Set(),
      last: '',
      restsUntil: 0,
    }
    if (inUse.size >= MOST) inUse.delete(inUse.keys().next().value!)
    inUse.set(token, opened)
    return opened
  }

  function judge(token: string, visit: Visit, gate: Gate, level: Level): Look {
    const one = open(token)
    if (!one) return { at: 'unreadable' }
    const { jti: id, aud, net, iat, exp, lvl } = one.claims
    const time = now()
    if (exp + TOLERANCE <= time || iat > time + TOLERANCE || iat < (gate.not_before ?? 0))
      return { at: 'expired' }
    if (lvl < level) return { at: 'low' }
    const here = `${visit.host} ${visit.address}`
    if (one.last !== here) {
      if (aud !== hostHash(one.key, visit)) return { at: 'elsewhere' }
      const network = networkHash(one.key, visit)
      // A browser may use IPv4 and IPv6 by turns: two families cannot be compared.
      if (gate.bind === 'network' && network[0] === net[0] && network !== net)
        return { at: 'elsewhere', age: time - iat }
      if (!one.networks.has(network) && one.networks.size >= gate.networks) return { at: 'shared' }
      one.networks.add(network)
      one.last = here
    }
    if (performance.now() < one.restsUntil) return { at: 'rate' }
    // Known after this use has been judged, so it counts for the next one.
    const count = ({
      remainingPoints,
      msBeforeNext,
    }: Awaited<ReturnType<Gate['rate']['consume']>>): void => {
      if (remainingPoints === 0) one.restsUntil = performance.now() + msBeforeNext
    }
    void gate.rate.consume(id).then(count, count)
    return { at: 'valid', id }
  }

  return {
    /** Judges the cookies of a visit: the first valid one of several counts. */
    look(visit: Visit, gate: Gate, level: Level): Look {
      const name = cookieOf(visit)
      const cookies = (visit.headers.cookie ?? '')
        .split('; ')
        .filter((each) => each.startsWith(name))
        .map((each) => each.slice(name.length))
      // Over http a sibling domain may set further cookies of this name, which browsers send first.
      const unknown = cookies.filter((token) => !isKnown(token))
      let refusal: Look = { at: 'none' }
      for (const token of [...cookies.filter(isKnown), ...unknown.slice(0, MOST_OPENED)]) {
        const look = judge(token, visit, gate, level)
        if (look.id !== undefined) return look
        if (refusal.at === 'none' || refusal.at === 'unreadable') refusal = look
      }
      return refusal
    },
    /** Returns the id of a new clearance, and its `Set-Cookie`. */
    async issue(visit: Visit, { lifetime }: Gate, lvl: Level) {
      const key = keys[0]!
      const id = randomBytes(16).toString('base64url')
      const [iat, exp] = [now(), now() + lifetime]
      const [aud, net] = [hostHash(key, visit), networkHash(key, visit)]
      const token = await new SignJWT({ jti: id, aud, net, lvl, iat, exp })
        .setProtectedHeader({ alg: 'HS256', typ: 'clearance+jwt' })
        .sign(key)
      open(token)
      // A form of another site must find it: Firefox reloads such a POST as cross-site, without cookies that are `Lax`. The
      // site's own session decides about the form. Browsers take `None` over TLS only.
      const sameSite = visit.isSecure ? 'SameSite=None; Secure' : 'SameSite=Lax'
      const attributes = `Path=/; Max-Age=${lifetime}; HttpOnly; ${sameSite}`
      return { id, cookie: `${cookieOf(visit)}${token}; ${attributes}` }
    },
  }
}
