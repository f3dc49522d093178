import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { AddressMark } from '../domain/address.ts'
import type { SealedClaims } from '../domain/response.ts'

/*
 * Sealed claims: what a bot could learn from, encrypted with AES-256-GCM under a key of its own and padded to one
 * length, so neither the text nor the length of a token tells a score (THREATS.md, T6).
 *
 *   0      layout, 1
 *   1-2    model
 *   3      score, hundredths
 *   4      address: 0 none, else family (4, 6), plus 0x80 when private
 *   5-20   address hash, 128 bits
 *   21     number of contributions
 *   22-…   each: rule id (1 byte), value in hundredths (2 bytes, signed)
 */
const LAYOUT = 1
const LENGTH = 160
const CONTRIBUTIONS_AT = 22
const MOST_CONTRIBUTIONS = Math.floor((LENGTH - CONTRIBUTIONS_AT) / 3)
const IV = 12
const TAG = 16

/** @param bound what the sealed part belongs to (the token's kid and jti): it opens nowhere else. */
export function seal(claims: SealedClaims, key: Buffer, bound: string): string {
  const iv = randomBytes(IV)
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(bound))
  const text = Buffer.concat([cipher.update(write(claims)), cipher.final()])
  return Buffer.concat([iv, text, cipher.getAuthTag()]).toString('base64url')
}

/** @returns undefined when it was not sealed with this key for this token, or in a layout this release does not read. */
export function unseal(sealed: string, key: Buffer, bound: string): SealedClaims | undefined {
  const bytes = Buffer.from(sealed, 'base64url')
  if (bytes.length !== IV + LENGTH + TAG) return undefined
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV), { authTagLength: TAG })
    .setAAD(Buffer.from(bound))
    .setAuthTag(bytes.subarray(IV + LENGTH))
  const text = decipher.update(bytes.subarray(IV, IV + LENGTH))
  try {
    decipher.final()
  } catch {
    return undefined
  }
  return text[0] === LAYOUT ? read(text) : undefined
}

function write({ decision, address }: SealedClaims): Buffer {
  const bytes = Buffer.alloc(LENGTH)
  bytes[0] = LAYOUT
  bytes.writeUInt16BE(decision.model, 1)
  bytes[3] = Math.round(decision.score * 100)
  if (address) {
    bytes[4] = address.family | (address.scope === 'private' ? 0x80 : 0)
    bytes.write(address.hash, 5, 'base64url')
  }
  if (decision.contributions.length > MOST_CONTRIBUTIONS) {
    throw new RangeError(`sealed claims hold ${MOST_CONTRIBUTIONS} contributions; got ${decision.contributions.length}`)
  }
  bytes[21] = decision.contributions.length
  decision.contributions.forEach(({ id, value }, i) => {
    bytes[CONTRIBUTIONS_AT + i * 3] = id
    bytes.writeInt16BE(Math.round(value * 100), CONTRIBUTIONS_AT + i * 3 + 1)
  })
  return bytes
}

function read(bytes: Buffer): SealedClaims {
  const contributions = Array.from({ length: bytes[21]! }, (_, i) => ({
    id: bytes[CONTRIBUTIONS_AT + i * 3]!,
    value: bytes.readInt16BE(CONTRIBUTIONS_AT + i * 3 + 1) / 100,
  }))
  return {
    decision: { model: bytes.readUInt16BE(1), score: bytes[3]! / 100, contributions },
    address: readAddress(bytes),
  }
}

function readAddress(bytes: Buffer): AddressMark | undefined {
  const kind = bytes[4]!
  if (kind === 0) return undefined
  return {
    family: (kind & 0x7f) === 4 ? 4 : 6,
    scope: (kind & 0x80) === 0 ? 'public' : 'private',
    hash: bytes.subarray(5, 21).toString('base64url'),
  }
}
