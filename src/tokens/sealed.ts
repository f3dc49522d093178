import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto'
import type { SealedClaims } from '../claims/response.ts'

/** Bytes of the claims before encryption: with more, the longest token would exceed 2,048 characters. */
const LENGTH = 165
const NONCE = 12
const TAG = 16

/**
 * Encrypts the claims that only the service may read, all padded to one length, so that neither the text nor the length
 * of a token reveals a score (docs/design/threats.md#t6): AES-256-GCM with a random nonce. Among four billion tokens the chance that
 * two share a nonce is 2^-33 (NIST SP 800-38D, section 8.3). That would reveal the XOR of their claims and GCM's authentication key.
 * With that key an attacker can forge sealed claims, but not the signature of the token around them.
 * A compact JWE (RFC 7516) would do the same, but its header adds 40 characters to each token, and it binds no owner.
 *
 * @param key of the keyring, for this purpose alone.
 * @param owner the kind and the id of the token: the sealed part opens in no other.
 * @throws {RangeError} when the claims are longer than their place; `toSeal` keeps them short.
 */
export function seal(claims: SealedClaims, key: KeyObject, owner: string): string {
  const text = Buffer.from(write(valuesOf(claims)).padEnd(LENGTH))
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
  return claimsOf(read(text.toString()))
}

type Rule = NonNullable<SealedClaims['decision']['rule']>

/** The claims as single values. undefined: absent. */
interface Values {
  readonly score: number
  /** The contributions: the ids of their rules, and what each contributed. */
  readonly ruleIds: readonly number[]
  readonly contributed: readonly number[]
  readonly stepped: SealedClaims['decision']['stepped']
  readonly address: SealedClaims['address']
  readonly namedAgent: SealedClaims['namedAgent']
  /** The rule of the site that counted, and its effect. The level that it set is in the challenge alone. */
  readonly siteRule: Rule['id'] | undefined
  readonly effect: Rule['effect']['kind'] | undefined
  /** What an effect `adjust` adds to the score. */
  readonly adjustment: number | undefined
}

/** The order in which the values stand in a token, without their names, which would take half of the place. */
const LAYOUT = [
  'score',
  'ruleIds',
  'contributed',
  'stepped',
  'address',
  'namedAgent',
  'siteRule',
  'effect',
  'adjustment',
] as const satisfies readonly (keyof Values)[]

const write = (values: Values): string => JSON.stringify(LAYOUT.map((name) => values[name]))

/** Reads what `write` wrote. It does not compile if a value has no place in the layout. */
function read(text: string): Values {
  const list = JSON.parse(text) as readonly unknown[]
  // In JSON, `undefined` has become `null`.
  const entries = LAYOUT.map((name, place) => [name, list[place] ?? undefined])
  return Object.fromEntries(entries) as Pick<Values, (typeof LAYOUT)[number]>
}

function valuesOf({ decision, address, namedAgent }: SealedClaims): Values {
  const { score, contributions, stepped, rule } = decision
  return {
    score,
    ruleIds: contributions.map(({ id }) => id),
    contributed: contributions.map(({ value }) => value),
    stepped,
    address,
    namedAgent,
    siteRule: rule?.id,
    effect: rule?.effect.kind,
    adjustment: rule?.effect.kind === 'adjust' ? rule.effect.score : undefined,
  }
}

function claimsOf(values: Values): SealedClaims {
  const { score, ruleIds, contributed, stepped, address, namedAgent } = values
  const contributions = ruleIds.map((id, i) => ({ id, value: contributed[i]! }))
  const rule = ruleOf(values)
  return {
    decision: { score, contributions, rule, ...(stepped && { stepped }) },
    address,
    namedAgent,
  }
}

function ruleOf({ siteRule: id, effect: kind, adjustment }: Values): Rule | undefined {
  if (id === undefined || kind === undefined) return undefined
  if (kind !== 'adjust') return { id, effect: { kind } }
  return { id, effect: { kind, score: adjustment!, work: undefined } }
}
