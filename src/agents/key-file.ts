import { createHash, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { readFile } from 'node:fs/promises'

/** Public keys by their thumbprint. */
export type AgentKeys = ReadonlyMap<string, KeyObject>

/** Bytes; a directory of one key has 200. */
export const LARGEST_KEY_FILE = 64 * 1024
const MOST_KEYS = 100

/**
 * Reads a JWK Set with the public keys of one agent. Keys of other kinds than Ed25519 are passed over.
 *
 * @throws {Error} with a sentence for the operator.
 */
export async function readKeyFile(file: string): Promise<AgentKeys> {
  const bytes = await readFile(file)
  if (bytes.length > LARGEST_KEY_FILE) throw new Error(`${file} wants at most 64 KiB; got ${bytes.length} bytes`)
  try {
    return keysOf(bytes.toString('utf8'))
  } catch (error) {
    throw new Error(`${file} ${(error as Error).message}`, { cause: error })
  }
}

/**
 * Reads the keys of a JWK Set.
 *
 * @throws {Error} with the end of a sentence: `holds no Ed25519 key`. Nothing of the text is quoted.
 * @see RFC 7517, section 5; RFC 8037, section 2
 */
export function keysOf(text: string): AgentKeys {
  let set: unknown
  try {
    set = JSON.parse(text)
  } catch {
    throw new Error('is not JSON')
  }
  const list = typeof set === 'object' && set !== null ? (set as { keys?: unknown }).keys : undefined
  if (!Array.isArray(list)) throw new Error('is no JWK Set: it has no list "keys"')
  if (list.length > MOST_KEYS) throw new Error(`wants at most ${MOST_KEYS} keys; got ${list.length}`)
  if (list.some((jwk: unknown) => typeof jwk === 'object' && jwk !== null && 'd' in jwk)) {
    throw new Error('holds a private key; it wants public ones')
  }
  const keys = new Map(list.flatMap((jwk: unknown) => publicKey(jwk as JsonWebKey | null)))
  if (keys.size === 0) throw new Error('holds no Ed25519 key')
  return keys
}

function publicKey(jwk: JsonWebKey | null): [string, KeyObject][] {
  if (jwk?.kty !== 'OKP' || jwk.crv !== 'Ed25519' || typeof jwk.x !== 'string') return []
  const { crv, kty, x } = jwk
  try {
    return [[thumbprint(x), createPublicKey({ key: { crv, kty, x }, format: 'jwk' })]]
  } catch {
    throw new Error('holds an Ed25519 key that cannot be read')
  }
}

/** The `keyid` of a key. RFC 8037, appendix A.3. */
const thumbprint = (x: string): string =>
  createHash('sha256')
    .update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url')
