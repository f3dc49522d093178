import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import type { Kid } from '../domain/words.ts'
import type { ReceiptKey } from '../ports/tokens.ts'

/** The two halves of a key that signs receipts. */
export interface ReceiptKeyPair {
  readonly signs: KeyObject
  /** As it is published. */
  readonly published: ReceiptKey
}

/** The PKCS #8 envelope of an Ed25519 seed: RFC 8410, section 7 (version 0, id-Ed25519, 32 bytes in an OCTET STRING). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')

/**
 * The Ed25519 key of a seed: the same on every instance, with nothing more to keep than the keyring.
 *
 * @param seed 32 bytes, derived from the keyring's key for this purpose alone.
 * @see RFC 8032, section 5.1.5: any 32 bytes are a private key.
 */
export function receiptKey(seed: Buffer, kid: Kid): ReceiptKeyPair {
  const signs = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' })
  const { x } = createPublicKey(signs).export({ format: 'jwk' })
  return { signs, published: { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig', kid, x: x! } }
}
