import { createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import type { Kid, UnixSeconds } from '../domain/words.ts'
import { nonces } from './nonces.ts'

/** One signing key as the file keeps it: an `oct` JWK (RFC 7517, RFC 7518 section 6.4). */
export interface Jwk {
  readonly kty: 'oct'
  readonly kid: string
  readonly alg: 'HS256'
  /** 256 random bits, base64url. */
  readonly k: string
  /** Unix seconds: from when on it seals. Until then it only opens, so every instance can learn it first. */
  readonly nbf: number
}

/** The keys derived from one of the keyring's: one per purpose, so that a forgotten check is not enough. */
export interface SigningKey {
  readonly kid: Kid
  readonly activeFrom: number
  /** HMAC that signs challenges. */
  readonly challenge: Buffer
  /** HMAC that signs response tokens. */
  readonly response: Buffer
  /** HMAC that signs tickets. */
  readonly ticket: Buffer
  /** AES-256-GCM of sealed claims. For a key that is bytes Node.js 24.21 makes two errors and their stacks: 9 µs a token. */
  readonly seal: KeyObject
  /** A nonce of `seal`, never one twice. */
  readonly nextNonce: () => Buffer
  /** HMAC of addresses. */
  readonly address: Buffer
  /** HMAC that picks the positions to check. */
  readonly positions: Buffer
  /** HMAC of what a visit shows, so that it is known again and cannot be read. */
  readonly behaviour: Buffer
  /** HMAC that seeds the tasks of the browser proof. */
  readonly proof: Buffer
}

/** The signing keys: one active, the rest open only. */
export interface Keyring {
  byKid(kid: string): SigningKey | undefined
  /** Newest first. */
  all(): readonly SigningKey[]
  /** The newest key that is active at this moment. */
  activeAt(now: UnixSeconds): SigningKey
}

/** The keyring cannot be used; the message names the file and says what to do, and never holds key material. */
export class KeyringError extends Error {
  override readonly name = 'KeyringError'
}

/** With a longer one, a token with the longest claims would be longer than may be presented (docs/design/contract.md, "Tokens"). */
const KID = /^[A-Za-z0-9_-]{1,12}$/

/** A new key, active from `now` on. */
export function newKey(now: UnixSeconds): Jwk {
  return {
    kty: 'oct',
    kid: randomBytes(6).toString('base64url'),
    alg: 'HS256',
    k: randomBytes(32).toString('base64url'),
    nbf: now,
  }
}

/**
 * Reads a keyring file: a JWK Set, newest key first.
 *
 * @throws {KeyringError} when it is missing, readable by others, not a JWK Set, or holds a weak or repeated key.
 */
export function readKeyringFile(file: string): readonly Jwk[] {
  const problem = (says: string): KeyringError => new KeyringError(`${file}: ${says}`)
  let text: string
  try {
    if (process.platform !== 'win32' && (statSync(file).mode & 0o007) !== 0) {
      throw problem('others on this machine can read the signing keys; run: chmod o-rwx ' + file)
    }
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof KeyringError) throw error
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    throw problem(
      missing
        ? 'no such keyring; make one with: hv keygen'
        : `cannot be read (${String((error as NodeJS.ErrnoException).code)})`,
    )
  }
  let set: unknown
  try {
    set = JSON.parse(text)
  } catch {
    throw problem('is not JSON')
  }
  const keys: unknown = set !== null && typeof set === 'object' ? (set as { keys?: unknown }).keys : undefined
  if (!Array.isArray(keys) || keys.length === 0) throw problem('wants a JWK Set with at least one key: {"keys":[…]}')
  return keys.map((key: unknown, i) => checkKey(key, keys.slice(0, i), (says) => problem(`keys[${i}] ${says}`)))
}

function checkKey(key: unknown, before: readonly unknown[], problem: (says: string) => KeyringError): Jwk {
  const { kty, kid, alg, k, nbf } = (key ?? {}) as Record<keyof Jwk, unknown>
  if (kty !== 'oct' || alg !== 'HS256') throw problem('wants "kty": "oct" and "alg": "HS256"')
  if (typeof kid !== 'string' || !KID.test(kid)) throw problem('wants a "kid" of 1 to 12 letters, digits, _ or -')
  if (typeof k !== 'string' || Buffer.from(k, 'base64url').toString('base64url') !== k)
    throw problem('wants "k" in base64url')
  if (Buffer.from(k, 'base64url').length < 32) throw problem('is weak: wants at least 256 bits')
  if (new Set(k).size < 8) throw problem('is weak: hardly any character differs; use hv keygen')
  if (!Number.isSafeInteger(nbf)) throw problem('wants "nbf": Unix seconds from when on it seals')
  if (before.some((b) => (b as Jwk).kid === kid || (b as Jwk).k === k)) throw problem('repeats an earlier key')
  return { kty, kid, alg, k, nbf: nbf as number }
}

/** Derives what is used from what is kept; here, once, never per request. */
export function keyring(jwks: readonly Jwk[]): Keyring {
  const keys = jwks.map(deriveKey)
  const newestFirst = keys.toSorted((a, b) => b.activeFrom - a.activeFrom)
  const byKid = new Map<string, SigningKey>(keys.map((key) => [key.kid, key]))
  return {
    byKid: (kid) => byKid.get(kid),
    all: () => newestFirst,
    activeAt(now) {
      // A clock a little behind the one that made the only key must not stop the service.
      return newestFirst.find((key) => key.activeFrom <= now) ?? newestFirst.at(-1)!
    },
  }
}

function deriveKey({ kid, k, nbf }: Jwk): SigningKey {
  const derive = (purpose: string): Buffer<ArrayBuffer> =>
    Buffer.from(hkdfSync('sha256', Buffer.from(k, 'base64url'), '', `human-verification/1/${purpose}`, 32))
  return {
    kid: kid as Kid,
    activeFrom: nbf,
    challenge: derive('challenge'),
    response: derive('response'),
    ticket: derive('ticket'),
    seal: createSecretKey(derive('seal')),
    nextNonce: nonces(createSecretKey(derive('nonce'))),
    address: derive('address'),
    positions: derive('positions'),
    behaviour: derive('behaviour'),
    proof: derive('proof'),
  }
}
