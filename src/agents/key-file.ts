import { createHash, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { isPublicKey } from '../domain/ed25519.ts'

/** Where an agent publishes its keys. draft-ietf-webbotauth-httpsig-protocol-01, "Key Distribution and Discovery" */
export const KEY_DIRECTORY = '/.well-known/http-message-signatures-directory'

/** Public keys by their thumbprint. */
export type AgentKeys = ReadonlyMap<string, KeyObject>

/** Bytes; a directory of one key has 200. */
const MAX_SIZE = 64 * 1024
const MAX_KEYS = 100

/**
 * Reads a JWK Set with the public keys of one agent. Keys of other kinds than Ed25519 are ignored.
 *
 * @throws {Error} with a sentence for the operator.
 */
export async function readKeyFile(file: string): Promise<AgentKeys> {
  const bytes = await readFile(file)
  if (bytes.length > MAX_SIZE)
    throw new Error(`${file} has ${bytes.length} bytes, expected at most 64 KiB`)
  try {
    return keysOf(bytes.toString('utf8'))
  } catch (error) {
    throw new Error(`${file} ${(error as Error).message}`, { cause: error })
  }
}

/**
 * Reads the keys of a JWK Set. An empty one withdraws the keys of before.
 *
 * @throws {Error} with the end of a sentence: `has no Ed25519 key`. Nothing of the text is quoted.
 * @see RFC 7517, section 5; RFC 8037, section 2
 */
export function keysOf(text: string): AgentKeys {
  const { keys: list } = Object(parseJson(text)) as { keys?: unknown }
  if (!Array.isArray(list)) throw new Error('is not a JWK Set: expected a list "keys"')
  if (list.length > MAX_KEYS)
    throw new Error(`has ${list.length} keys, expected at most ${MAX_KEYS}`)
  if (list.some((jwk: unknown) => typeof jwk === 'object' && jwk !== null && 'd' in jwk)) {
    throw new Error('has a private key, expected public keys only')
  }
  const keys = new Map(list.flatMap((jwk: unknown) => publicKey(jwk as JsonWebKey | null)))
  if (keys.size === 0 && list.length > 0) throw new Error('has no Ed25519 key')
  return keys
}

/** @throws {Error} with the end of a sentence, which quotes nothing. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('is not JSON')
  }
}

function publicKey(jwk: JsonWebKey | null): [string, KeyObject][] {
  if (jwk?.kty !== 'OKP' || jwk.crv !== 'Ed25519' || typeof jwk.x !== 'string') return []
  const { crv, kty, x } = jwk
  try {
    const key = createPublicKey({ key: { crv, kty, x }, format: 'jwk' })
    if (!isPublicKey(x)) throw new Error('a point of small order, or none of the curve')
    return [[thumbprint(x), key]]
  } catch {
    throw new Error('has an Ed25519 key that cannot be read')
  }
}

/** The `keyid` of a key. RFC 8037, appendix A.3. */
const thumbprint = (x: string): string =>
  createHash('sha256')
    .update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url')
