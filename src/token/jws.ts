import { createHmac, timingSafeEqual } from 'node:crypto'
import { type Header, readHeader } from './spelling.ts'

/*
 * Compact JWS (RFC 7515) with HS256 (RFC 7518, section 3.2), and nothing else of it: one algorithm, one serialization, the
 * header's three members. Anybody's library reads what is made here, and test/token/jws.test.ts holds it against jose,
 * which the receipts use.
 *
 * It is ours for speed. WebCrypto, under every JOSE library, signs in another thread: 16 µs of CPU when 64 are asked
 * for at once, and 60 to 150 when they come one by one, as requests do, for 4 µs of HMAC (bench/tokens.mjs).
 */
const ALGORITHM = 'HS256'

type Claims = Readonly<Record<string, unknown>>

/** @param key 256 bits. */
export function signJws(kind: { readonly typ: string; readonly kid: string }, claims: Claims, key: Buffer): string {
  const text = `${encode({ alg: ALGORITHM, ...kind })}.${encode(claims)}`
  return `${text}.${mac(text, key).toString('base64url')}`
}

/** A token whose spelling was checked, and nothing else yet. */
export interface SpelledJws {
  readonly token: string
  readonly header: Header
}

/** @param longest characters. @returns undefined when it is not one of ours by its spelling and its header. */
export function readJws(token: string, longest: number): SpelledJws | undefined {
  const header = readHeader(token, longest)
  return header?.alg === ALGORITHM ? { token, header } : undefined
}

/** The claims, if the signature is right. Compared in constant time. */
export function openJws({ token }: SpelledJws, key: Buffer): Claims | undefined {
  const end = token.lastIndexOf('.')
  const given = Buffer.from(token.slice(end + 1), 'base64url')
  const right = mac(token.slice(0, end), key)
  if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined
  return JSON.parse(Buffer.from(token.slice(token.indexOf('.') + 1, end), 'base64url').toString('utf8')) as Claims
}

const mac = (text: string, key: Buffer): Buffer => createHmac('sha256', key).update(text).digest()

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
