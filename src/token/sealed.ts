import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto'
import type { AddressMark } from '../domain/address-mark.ts'
import { AGENT_NAME } from '../domain/named-agent.ts'
import type { SealedClaims } from '../domain/response.ts'
import type { Contribution, Decision } from '../domain/score/score.ts'
import { NONCE } from './nonces.ts'

/*
 * Sealed claims: what a bot could learn from, encrypted with AES-256-GCM under a key of its own and padded to one
 * length, so neither the text nor the length of a token tells a score (docs/design/threats.md#t6).
 *
 *   0      layout, 2
 *   1-2    model; the top bit: the second visit of a step-up
 *   3      score, hundredths
 *   4      address: 0 none, else family (4, 6), plus 0x80 when private
 *   5-20   address hash, 128 bits
 *   21-24  hash of the changed weights; zeros: none
 *   25     the site's rule: 0 none, 1 allow, 2 deny, 3 adjust
 *   26-29  its id
 *   30-31  what it adds, hundredths, signed
 *   32     number of contributions
 *   33-143 each: rule id (1 byte), value in hundredths (2 bytes, signed)
 *   144    length of the named agent's name: 0 none
 *   145-…  the name, ASCII
 *
 * Releases before agents had names leave the end zero, and read nothing there: either one opens the other's tokens.
 */
const LAYOUT = 2
const LENGTH = 165
const STEPPED = 0x8000
const WEIGHTS_AT = 21
const RULE_AT = 25
const COUNT_AT = 32
const CONTRIBUTIONS_AT = 33
const AGENT_AT = 144
const MOST_CONTRIBUTIONS = Math.floor((AGENT_AT - CONTRIBUTIONS_AT) / 3)
const TAG = 16

/**
 * @param iv never the same twice under this key: nonces.ts
 * @param bound what the sealed part belongs to (the token's kid and jti): it opens nowhere else.
 */
export function seal(claims: SealedClaims, key: KeyObject, iv: Buffer, bound: string): string {
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(bound))
  const text = Buffer.concat([cipher.update(write(claims)), cipher.final()])
  return Buffer.concat([iv, text, cipher.getAuthTag()]).toString('base64url')
}

/** @returns undefined when it was not sealed with this key for this token, or in a layout this release does not read. */
export function unseal(sealed: string, key: KeyObject, bound: string): SealedClaims | undefined {
  const bytes = Buffer.from(sealed, 'base64url')
  if (bytes.length !== NONCE + LENGTH + TAG) return undefined
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE), { authTagLength: TAG })
    .setAAD(Buffer.from(bound))
    .setAuthTag(bytes.subarray(NONCE + LENGTH))
  const text = decipher.update(bytes.subarray(NONCE, NONCE + LENGTH))
  try {
    decipher.final()
  } catch {
    return undefined
  }
  // A holder of our key may seal anything.
  const isSound = text[0] === LAYOUT && text[3]! <= 100 && text[COUNT_AT]! <= MOST_CONTRIBUTIONS
  return isSound ? read(text) : undefined
}

function write({ decision, address, namedAgent = '' }: SealedClaims): Buffer {
  const bytes = Buffer.alloc(LENGTH)
  bytes[0] = LAYOUT
  bytes.writeUInt16BE(decision.model | (decision.stepped ? STEPPED : 0), 1)
  bytes[3] = Math.round(decision.score * 100)
  if (address) {
    bytes[4] = address.family | (address.scope === 'private' ? 0x80 : 0)
    bytes.write(address.hash, 5, 'base64url')
  }
  if (decision.contributions.length > MOST_CONTRIBUTIONS) {
    throw new RangeError(`sealed claims hold ${MOST_CONTRIBUTIONS} contributions; got ${decision.contributions.length}`)
  }
  bytes.write(decision.weights, WEIGHTS_AT, 'hex')
  if (decision.rule) writeRule(bytes, decision.rule)
  bytes[AGENT_AT] = bytes.write(namedAgent, AGENT_AT + 1, 'latin1')
  const { contributions } = decision
  bytes[COUNT_AT] = contributions.length
  contributions.forEach(({ id, value }, i) => {
    bytes[CONTRIBUTIONS_AT + i * 3] = id
    bytes.writeInt16BE(Math.round(value * 100), CONTRIBUTIONS_AT + i * 3 + 1)
  })
  return bytes
}

function read(bytes: Buffer): SealedClaims {
  const contributions: Contribution[] = []
  const end = CONTRIBUTIONS_AT + bytes[COUNT_AT]! * 3
  for (let at = CONTRIBUTIONS_AT; at < end; at += 3) {
    contributions.push({ id: bytes[at]!, value: bytes.readInt16BE(at + 1) / 100 })
  }
  const model = bytes.readUInt16BE(1)
  return {
    decision: {
      model: model & ~STEPPED,
      weights: bytes.readUInt32BE(WEIGHTS_AT) === 0 ? '' : bytes.toString('hex', WEIGHTS_AT, WEIGHTS_AT + 4),
      score: bytes[3]! / 100,
      contributions,
      rule: readRule(bytes),
      ...((model & STEPPED) !== 0 && { stepped: true as const }),
    },
    address: readAddress(bytes),
    namedAgent: readAgent(bytes),
  }
}

const EFFECTS = [undefined, 'allow', 'deny', 'adjust'] as const

/** The level of the work it set is the challenge's affair, and not kept. */
function writeRule(bytes: Buffer, { id, effect }: NonNullable<Decision['rule']>): void {
  bytes[RULE_AT] = EFFECTS.indexOf(effect.kind)
  bytes.write(id, RULE_AT + 1, 'hex')
  if (effect.kind === 'adjust') bytes.writeInt16BE(Math.round(effect.score * 100), RULE_AT + 5)
}

function readRule(bytes: Buffer): Decision['rule'] {
  const kind = EFFECTS[bytes[RULE_AT]!]
  if (kind === undefined) return undefined
  const id = bytes.toString('hex', RULE_AT + 1, RULE_AT + 5)
  if (kind !== 'adjust') return { id, effect: { kind } }
  return { id, effect: { kind, score: bytes.readInt16BE(RULE_AT + 5) / 100, work: undefined } }
}

function readAgent(bytes: Buffer): string | undefined {
  const name = bytes.toString('latin1', AGENT_AT + 1, AGENT_AT + 1 + bytes[AGENT_AT]!)
  return AGENT_NAME.test(name) ? name : undefined
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
