import { timingSafeEqual } from 'node:crypto'
import { hmac } from './hmac.ts'
import { readSpelling, type SpelledJws } from './spelling.ts'

/*
 * Compact JWS (RFC 7515) with HS256 (RFC 7518, section 3.2), and nothing else of it: one algorithm, one serialization, the
 * header's three members. Anybody's library reads what is made here, and test/rooms/token/jws.test.ts holds it against jose.
 *
 * It is ours for speed. WebCrypto, under every JOSE library, signs in another thread: 16 µs of CPU when 64 are asked
 * for at once, and 60 to 150 when they come one by one, as requests do, for 4 µs of HMAC (bench/tokens.mjs).
 */
const ALGORITHM = 'HS256'

type Claims = Readonly<Record<string, unknown>>

/** @param key 256 bits. */
export function signJws(kind: { readonly typ: string; readonly kid: string }, claims: Claims, key: Buffer): string {
  const text = `${encode({ alg: ALGORITHM, ...kind })}.${encode(claims)}`
  return `${text}.${hmac(text, key).toString('base64url')}`
}

/** @param longest characters. @returns undefined when it is not one of ours by its spelling and its header. */
export function readJws(token: string, longest: number): SpelledJws | undefined {
  const jws = readSpelling(token, longest)
  return jws?.header.alg === ALGORITHM ? jws : undefined
}

/** The claims, if the signature is right. Compared in constant time. */
export function openJws({ signed, payload, signature }: SpelledJws, key: Buffer): Claims | undefined {
  const right = hmac(signed, key)
  if (signature.length !== right.length || !timingSafeEqual(signature, right)) return undefined
  return JSON.parse(payload.toString('utf8')) as Claims
}

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
