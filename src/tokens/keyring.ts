import { createSecretKey, hkdfSync, type KeyObject, randomBytes, webcrypto } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { memoize } from '../domain/memoize.ts'
import { type Kid, type UnixSeconds, unixSeconds } from '../domain/words.ts'
import type { Log, Meters } from '../domain/observing.ts'
import type { Clock } from '../domain/ports.ts'

const { subtle } = webcrypto

/** One signing key as the file keeps it: an `oct` JWK (RFC 7517, RFC 7518 section 6.4). */
export interface Jwk {
  readonly kty: 'oct'
  readonly kid: string
  readonly alg: 'HS256'
  /** 256 random bits, base64url. */
  readonly k: string
  /** Unix seconds from which the key signs. Until then it only verifies, so that every instance can learn it first. */
  readonly nbf: number
}

/** The keyring cannot be used; the message names the file and what to do, and never has key material. */
export class KeyringError extends Error {
  override readonly name = 'KeyringError'
}

/** A longer one would let a token exceed its limit (docs/api/api.md, "Tokens"). */
const KID = /^[A-Za-z0-9_-]{1,12}$/

/** Makes a key that is active from `nbf` on. */
export const newKey = (nbf: UnixSeconds): Jwk => ({
  kty: 'oct',
  kid: randomBytes(6).toString('base64url'),
  alg: 'HS256',
  k: randomBytes(32).toString('base64url'),
  nbf,
})

/**
 * Reads a keyring file: a JWK Set, newest key first.
 *
 * @throws {KeyringError} when it is missing, readable by others, not a JWK Set, or has a weak or repeated key.
 */
export function readKeyringFile(file: string): readonly Jwk[] {
  const problem = (says: string): KeyringError => new KeyringError(`${file}: ${says}`)
  let set: { readonly keys?: unknown } | null
  try {
    if (process.platform !== 'win32' && (statSync(file).mode & 0o007) !== 0) {
      throw problem(
        `others on this machine can read the signing keys; run: chmod o-rwx ${file}; for a mounted secret set its mode to 0440 (Docker: mode, uid; Kubernetes: defaultMode, fsGroup)`,
      )
    }
    set = JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, '')) as typeof set
  } catch (error) {
    // The message of a SyntaxError would quote a key.
    if (error instanceof SyntaxError) throw problem('is not JSON')
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    const absent = `no such keyring; make one with: hv keygen --keyring ${file}`
    throw problem(code === 'ENOENT' ? absent : `cannot be read (${code})`)
  }
  const keys = set?.keys
  if (!Array.isArray(keys) || keys.length === 0)
    throw problem('expected a JWK Set with at least one key: {"keys":[…]}')
  return keys.map((key: unknown, i) =>
    checkKey(key, keys.slice(0, i), (says) => problem(`keys[${i}] ${says}`)),
  )
}

function checkKey(
  key: unknown,
  before: readonly unknown[],
  problem: (says: string) => KeyringError,
): Jwk {
  const { kty, kid, alg, k, nbf } = (key ?? {}) as Record<keyof Jwk, unknown>
  if (kty !== 'oct' || alg !== 'HS256') throw problem('expected "kty": "oct" and "alg": "HS256"')
  if (typeof kid !== 'string' || !KID.test(kid))
    throw problem('expected a "kid" of 1 to 12 letters, digits, _ or -')
  if (typeof k !== 'string' || Buffer.from(k, 'base64url').toString('base64url') !== k)
    throw problem('expected "k" in base64url; use hv keygen')
  if (Buffer.from(k, 'base64url').length < 32)
    throw problem('is weak: expected "k" of at least 256 bits')
  if (new Set(k).size < 8) throw problem('is weak: "k" repeats itself; use hv keygen')
  if (!Number.isSafeInteger(nbf))
    throw problem('expected "nbf", the Unix time from which the key signs')
  if (before.some((b) => (b as Jwk).kid === kid || (b as Jwk).k === k))
    throw problem('repeats an earlier key')
  return { kty, kid, alg, k, nbf: nbf as number }
}

/** The signing keys: one is active, the others only verify. */
export type Keyring = ReturnType<typeof keyring>

/** Derives the keys of each purpose, once. */
export function keyring(jwks: readonly Jwk[]) {
  const newestFirst = jwks.map(deriveKeys).toSorted((a, b) => b.activeFrom - a.activeFrom)
  const byKid = new Map<string, SigningKey>(newestFirst.map((key) => [key.kid, key]))
  return {
    byKid: (kid: string) => byKid.get(kid),
    /** Returns the newest key that is active. A clock a little behind the one that made the only key must not stop the service. */
    activeAt: (now: UnixSeconds) =>
      newestFirst.find((key) => key.activeFrom <= now) ?? newestFirst.at(-1)!,
  }
}

/** The keyring in force, read from the file or made at start. An added key verifies at once, and signs from its `nbf`. */
export function reloadableKeyring(
  file: string | undefined,
  { log, meters, clock }: { readonly log: Log; readonly meters: Meters; readonly clock: Clock },
): Keyring & { readonly reload: () => void } {
  let keys = file === undefined ? [newKey(clock.now())] : readKeyringFile(file)
  let current = keyring(keys)
  return {
    byKid: (kid) => current.byKid(kid),
    activeAt: (now) => current.activeAt(now),
    reload() {
      if (file === undefined) return
      try {
        const next = readKeyringFile(file)
        const isSame = JSON.stringify(next) === JSON.stringify(keys)
        log.info(
          isSame ? 'nothing has changed: the keyring has the same keys' : 'keyring reloaded',
          {
            detail: `${next.length} keys`,
          },
        )
        keys = next
        current = keyring(keys)
        meters.reloaded('keyring')
      } catch (error) {
        const detail = (error as Error).message
        log.error('keyring not reloaded; the old one stays in force', { detail })
        meters.reloaded('keyring', detail)
      }
    },
  }
}

/** HKDF (RFC 5869) with a label for each purpose. */
const derive = (of: string, purpose: string): ArrayBuffer =>
  hkdfSync('sha256', Buffer.from(of, 'base64url'), '', `human-verification/1/${purpose}`, 32)

const secret = (of: string, purpose: string): KeyObject =>
  createSecretKey(Buffer.from(derive(of, purpose)))

/** The keys derived from one of the keyring's: one for each purpose. */
export type SigningKey = ReturnType<typeof deriveKeys>

/** Key objects, because an HMAC with a key of bytes takes 14 µs with Node.js 24.21, and 2.5 µs with one of these. */
const deriveKeys = ({ kid, k, nbf }: Jwk) => ({
  kid: kid as Kid,
  activeFrom: unixSeconds(nbf),
  /** HS256 for a kind of token, imported once. */
  hs256: memoize(
    (kind) =>
      subtle.importKey('raw', derive(k, kind), { name: 'HMAC', hash: 'SHA-256' }, false, [
        'sign',
        'verify',
      ]),
    3,
  ),
  /** AES-256 of the sealed parts. */
  sealed: secret(k, 'sealed'),
  /** HMAC of addresses. */
  address: secret(k, 'address'),
  /** HMAC that picks the positions of the work to check. */
  positions: secret(k, 'positions'),
  /** HMAC that seeds the tasks of the browser proof. */
  proof: secret(k, 'proof'),
})
