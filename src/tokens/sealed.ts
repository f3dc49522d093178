import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto'
import type { AddressMark } from '../domain/address-mark.ts'
import type { SealedClaims } from '../domain/response.ts'

/** Bytes of the claims before encryption: with more, the longest token would exceed 2,048 characters. */
const LENGTH = 165
const NONCE = 12
const TAG = 16

type Rule = SealedClaims['decision']['rule']

/** The claims as JSON, without names: what a bot could learn from. */
type Spelled = readonly [
  score: number,
  against: readonly number[],
  rule: readonly [id: string, kind: 'allow' | 'deny' | 'adjust', score: number] | 0,
  stepped: 0 | 1,
  address: string,
  agent: string,
]

/**
 * Encrypts the claims that only the service may read, all padded to one length, so that neither the text nor the length
 * of a token tells a score (docs/design/threats.md#t6): AES-256-GCM with a random nonce. Of four billion tokens two share a
 * nonce once in 2^33 times (NIST SP 800-38D, section 8.3); then the XOR of their claims shows, and no more: the token is signed.
 *
 * @param key of the keyring, for this purpose alone.
 * @param owner the kind and the id of the token: the sealed part opens in no other.
 * @throws {RangeError} when the claims are longer than their place; `toSeal` keeps them short.
 */
export function seal(claims: SealedClaims, key: KeyObject, owner: string): string {
  const text = Buffer.alloc(LENGTH, ' ')
  const json = spell(claims)
  if (Buffer.byteLength(json) > LENGTH) throw new RangeError(`sealed claims have ${LENGTH} bytes; got ${json.length}`)
  text.write(json)
  const nonce = randomBytes(NONCE)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(owner))
  return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString('base64url')
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
  return read(JSON.parse(text.toString()) as Spelled)
}

function spell({ decision, address, namedAgent = '' }: SealedClaims): string {
  const { score, contributions, stepped } = decision
  const against = contributions.flatMap(({ id, value }) => [id, Math.round(value * 100)])
  const mark = address ? spellMark(address) : ''
  const spelled: Spelled = [score, against, spellRule(decision.rule), stepped ? 1 : 0, mark, namedAgent]
  return JSON.stringify(spelled)
}

/** The level of the work that a rule set is the challenge's affair, and not kept. */
const spellRule = (rule: Rule): Spelled[2] =>
  rule ? [rule.id, rule.effect.kind, rule.effect.kind === 'adjust' ? rule.effect.score : 0] : 0

const readRule = ([id, kind, score]: Exclude<Spelled[2], 0>): Rule =>
  kind === 'adjust' ? { id, effect: { kind, score, work: undefined } } : { id, effect: { kind } }

function read([score, against, rule, stepped, address, agent]: Spelled): SealedClaims {
  const contributions = against.flatMap((id, i) => (i % 2 === 0 ? [{ id, value: against[i + 1]! / 100 }] : []))
  return {
    decision: {
      score,
      contributions,
      rule: rule === 0 ? undefined : readRule(rule),
      ...(stepped && { stepped: true }),
    },
    address: address === '' ? undefined : readMark(address),
    namedAgent: agent === '' ? undefined : agent,
  }
}

/** Spells a mark as a token carries it: `4` or `6`, `p` where the address is private, then the hash. */
export const spellMark = ({ family, scope, hash }: AddressMark): string =>
  `${family}${scope === 'private' ? 'p' : 'g'}${hash}`

/** Reads what `spellMark` wrote. */
export const readMark = (text: string): AddressMark => ({
  family: text[0] === '4' ? 4 : 6,
  scope: text[1] === 'p' ? 'private' : 'public',
  hash: text.slice(2),
})
