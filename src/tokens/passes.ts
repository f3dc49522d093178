import { createHmac, hkdfSync, randomBytes } from 'node:crypto'
import type { PassClaims } from '../domain/pass.ts'
import type { SiteSecret } from '../domain/site.ts'
import { isExpired } from '../domain/time.ts'
import { type Action, type Hostname, type Jti, type UnixSeconds, unixSeconds } from '../domain/words.ts'
import type { Passes } from '../ports/tokens.ts'

const TYPE = 'hv-pass+jwt'
/** The one spelling of the header: nothing of it is the pass's choice. */
const HEADER = Buffer.from(JSON.stringify({ alg: 'HS256', typ: TYPE })).toString('base64url')
/** Characters; a pass has no more claims than are read here. */
const LONGEST = 1024
/** Seconds our own clocks may differ, as for tokens. */
const TOLERANCE = 5
const ID = /^[A-Za-z0-9_-]{22}$/

const keys = new WeakMap<SiteSecret, Buffer>()

/** The key of the passes of a secret: derived from the hash that the configuration holds. docs/widget/refused.md, "The pass" */
function keyOf(secret: SiteSecret): Buffer {
  let key = keys.get(secret)
  if (key === undefined) keys.set(secret, (key = passKey(secret.sha256)))
  return key
}

/** @param sha256 of the secret, hexadecimal. */
export const passKey = (sha256: string): Buffer =>
  Buffer.from(hkdfSync('sha256', Buffer.from(sha256, 'hex'), '', 'human-verification/1/pass', 32))

const signatureOf = (signed: string, key: Buffer): string =>
  createHmac('sha256', key).update(signed).digest('base64url')

/** Makes a pass, as the client library does. @param key `passKey`. */
export function sealPass({ jti, action, hostname, issuedAt, expiresAt }: PassClaims, key: Buffer): string {
  const claims = { act: action, hst: hostname, iat: issuedAt, exp: expiresAt, jti }
  const signed = `${HEADER}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`
  return `${signed}.${signatureOf(signed, key)}`
}

/** A new id. */
export const passId = (): Jti => randomBytes(16).toString('base64url') as Jti

const isPass = (response: string): boolean => response.startsWith(`${HEADER}.`)

/** Opens passes with the keys of a site's secrets. */
export const jwsPasses: Passes = {
  isPass,
  open(response, site, now) {
    const [, payload = '', signature, ...more] = response.split('.')
    if (!isPass(response) || response.length > LONGEST || more.length > 0) return 'invalid'
    const isSigned = site.secrets
      .filter(({ notAfter }) => notAfter === undefined || now < notAfter)
      .some((secret) => isSame(signature, signatureOf(`${HEADER}.${payload}`, keyOf(secret))))
    const claims = isSigned ? readClaims(payload) : undefined
    if (!claims) return 'invalid'
    return isExpired(claims.expiresAt, now, TOLERANCE) ? 'expired' : claims
  },
}

/** The comparison is of two keyed hashes: how long it takes says nothing of the right one. */
const isSame = (candidate: string | undefined, own: string): boolean =>
  candidate !== undefined && candidate.length === own.length && doubleHash(candidate) === doubleHash(own)

const pepper = randomBytes(32)
const doubleHash = (text: string): string => signatureOf(text, pepper)

function readClaims(payload: string): PassClaims | undefined {
  const claims = parse(payload)
  const { act, hst, iat, exp, jti } = claims ?? {}
  if (typeof act !== 'string' || typeof hst !== 'string' || typeof jti !== 'string' || !ID.test(jti)) return undefined
  if (!isMoment(iat) || !isMoment(exp)) return undefined
  return {
    jti: jti as Jti,
    action: act as Action,
    hostname: hst.toLowerCase() as Hostname,
    issuedAt: unixSeconds(iat),
    expiresAt: unixSeconds(exp),
  }
}

/** Until the end of the year 9999. */
const isMoment = (value: unknown): value is UnixSeconds =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= 253_402_300_799

function parse(payload: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString())
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
