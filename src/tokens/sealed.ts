import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto'
import type { SealedClaims } from '../claims/response.ts'

/** Bytes of the claims before encryption: with more, the longest token would exceed 2,048 characters. */
const LENGTH = 165
const NONCE = 12
const TAG = 16

/**
 * Encrypts the claims that only the service may read, all padded to one length, so that neither the text nor the length
 * of a token reveals a score (docs/design/threats.md#t6): AES-256-GCM with a random nonce. Among four billion tokens the chance that
 * two share a nonce is 2^-33 (NIST SP 800-38D, section 8.3). That would reveal the XOR of their claims and nothing else: the token
 * is signed.
 * A compact JWE (RFC 7516) would do the same, but its header adds 40 characters to each token, and it binds no owner.
 *
 * @param key of the keyring, for this purpose alone.
 * @param owner the kind and the id of the token: the sealed part opens in no other.
 * @throws {RangeError} when the claims are longer than their place; `toSeal` keeps them short.
 */
export function seal(claims: SealedClaims, key: KeyObject, owner: string): string {
  const text = Buffer.from(JSON.stringify(listed(claims)).padEnd(LENGTH))
  if (text.length > LENGTH)
    throw new RangeError(`expected sealed claims of at most ${LENGTH} bytes; got ${text.length}`)
  const nonce = randomBytes(NONCE)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(owner))
  return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString(
    'base64url',
  )
}

/** @returns undefined when it was not sealed with this key for this token. */
export function unseal(sealed: string, key: KeyObject, owner: string): SealedClaims | undefined {
  const bytes = Buffer.from(sealed, 'base64url')
  if (bytes.length !== NONCE + LENGTH + TAG) return undefined
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE))
  decipher.setAAD(Buffer.from(owner)).setAuthTag(bytes.subarray(NONCE + LENGTH))
  const text = decipher.update(bytes.subarray(NONCE, NONCE + LENGTH))
  try {
    decipher.final()
  } catch {
    // The only error that `final` has for GCM: the tag is another.
    return undefined
  }
  return read(JSON.parse(text.toString()) as Listed)
}

type Listed = ReturnType<typeof listed>

/** Lists what a bot could learn from, without names. The level that a rule of the site set is in the challenge alone. */
function listed({
  decision: { score, contributions, stepped, rule },
  address,
  namedAgent,
}: SealedClaims) {
  const ids = contributions.map(({ id }) => id)
  const values = contributions.map(({ value }) => value)
  const adjustment = rule?.effect.kind === 'adjust' ? rule.effect.score : undefined
  return [
    score,
    ids,
    values,
    stepped,
    address,
    namedAgent,
    rule?.id,
    rule?.effect.kind,
    adjustment,
  ] as const
}

/** Reads such a list out of JSON, where `undefined` has become `null`. */
function read([
  score,
  ids,
  values,
  stepped,
  address,
  namedAgent,
  rule,
  kind,
  adjustment,
]: Listed): SealedClaims {
  const contributions = ids.map((id, i) => ({ id, value: values[i]! }))
  const effect =
    kind === 'adjust' ? { kind, score: adjustment!, work: undefined } : kind && { kind }
  return {
    decision: {
      score,
      contributions,
      rule: effect ? { id: rule!, effect } : undefined,
      ...(stepped && { stepped }),
    },
    address: address ?? undefined,
    namedAgent: namedAgent ?? undefined,
  }
}
