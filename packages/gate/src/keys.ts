/** The keys of clearances, and the file that has them. */
import { createHash, createHmac, randomBytes, webcrypto } from 'node:crypto'

const { subtle } = webcrypto

/** Bytes of a key: the hash of HS256 has as many (RFC 7518, 3.2). */
const KEY_BYTES = 32
/** Keys that a file keeps: the first signs, and clearances of the others count until two more were made. */
const MOST_KEYS = 3

/** One key of the file, for its two purposes. */
export interface Key {
  /** Names the key in the header of a clearance. */
  readonly id: string
  /** Imported once, for HS256. */
  readonly hs256: Promise<webcrypto.CryptoKey>
  /** Returns a keyed hash: without the key it cannot be computed for a list of networks. */
  readonly hash: (text: string) => string
}

function keyFrom(written: string): Key {
  const bytes = Buffer.from(written, 'base64url')
  return {
    id: createHash('sha256').update(bytes).digest('base64url').slice(0, 6),
    hs256: subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [
      'sign',
      'verify',
    ]),
    hash: (text) => createHmac('sha256', bytes).update(text).digest('base64url').slice(0, 16),
  }
}

/** Reports whether a text is 256 random bits or more: one that repeats itself, as zero bytes do, is no key. */
function isKey(key: unknown): key is string {
  if (typeof key !== 'string' || new Set(key).size < 8) return false
  const bytes = Buffer.from(key, 'base64url')
  return bytes.length >= KEY_BYTES && bytes.toString('base64url') === key
}

/** Reads a key file. Returns undefined for anything else, and for a key that `hv-gate keygen` does not make. @throws {SyntaxError} */
export function readKeys(text: string): readonly Key[] | undefined {
  const { keys } = JSON.parse(text) as { readonly keys?: unknown }
  if (!Array.isArray(keys) || keys.length === 0 || !keys.every(isKey)) return undefined
  return keys.map(keyFrom)
}

/** Returns a key file with a new first key, and two of the earlier ones. @throws {SyntaxError} */
export function withNewKey(earlier = '{ "keys": [] }'): string {
  const { keys } = JSON.parse(earlier) as { readonly keys: readonly string[] }
  const next = [randomBytes(KEY_BYTES).toString('base64url'), ...keys].slice(0, MOST_KEYS)
  return `${JSON.stringify({ keys: next }, undefined, 2)}\n`
}
