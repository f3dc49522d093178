import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { markOf, parseAddress } from '../domain/address.ts'
import type { ChallengeClaims } from '../claims/challenge.ts'
import { ALGORITHMS } from '../work/pow.ts'
import { PROOF_VERSIONS } from '../proof/proof.ts'
import type { ResponseClaims } from '../claims/response.ts'
import { parseOrigin } from '../domain/site.ts'
import type { TicketClaims } from '../claims/ticket.ts'
import type { Sitekey, UnixSeconds } from '../domain/words.ts'
import type { Clock } from '../domain/stores.ts'
import type { Tokens } from '../claims/tokens.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import type { Keyring, SigningKey } from './keyring.ts'
import { seal, unseal } from './sealed.ts'
import { ID, type Kind, LONGEST_TOKEN, MOMENT, type Payload, TEXT, TOLERANCE, tokenKind } from './token-kind.ts'

/** Issuer of instances without a `public_url`: they share a keyring, so they must share this as well. */
export const DEFAULT_ISSUER = 'human-verification'
/** Seconds between a token's expiry and the moment until which the ledger keeps its entry; ours stay below an hour. */
const LONGEST_KEPT = 86_400

const COUNT: JsonSchema = { type: 'integer', minimum: 1 }

const hmac = (key: KeyObject, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** Compares in a time that does not tell where they differ. */
function isEqual(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)]
  return one.length === other.length && timingSafeEqual(one, other)
}

const signatureOf = (key: KeyObject, signed: string): string => hmac(key, signed).toString('base64url')

const COMMON = {
  sitekey: ['aud', TEXT],
  issuedAt: ['iat', MOMENT],
  expiresAt: ['exp', MOMENT],
  jti: ['jti', ID],
  generation: ['gen', { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' }],
  action: ['act', TEXT],
} as const
const SEALED = { ...COMMON, hostname: ['hst', TEXT], keepUntil: ['kee', MOMENT], sealed: ['slc', TEXT] } as const

/** The claims as a token spells them. The hostname of a challenge is that of its origin. */
type Sealed<T> = Omit<T, 'kid' | 'sealed'> & { readonly sealed: string }
type Challenge = Omit<ChallengeClaims, 'kid' | 'hostname'>

const POW = { a: { enum: ALGORITHMS }, s: COUNT, n: COUNT, b: MOMENT }
const CHALLENGE = tokenKind<Challenge>('challenge', {
  ...COMMON,
  origin: ['org', TEXT],
  tokenLifetime: ['tlt', { ...COUNT, maximum: LONGEST_KEPT }],
  pow: ['pow', { type: 'object', properties: POW, required: Object.keys(POW), additionalProperties: false }],
  address: ['adr', TEXT, 'optional'],
  cdata: ['cda', TEXT, 'optional'],
  proof: ['prf', { enum: PROOF_VERSIONS }, 'optional'],
  step: ['stp', ID, 'optional'],
  namedAgent: ['nam', TEXT, 'optional'],
})
const TICKET = tokenKind<Sealed<TicketClaims>>('ticket', SEALED)
const RESPONSE = tokenKind<Sealed<ResponseClaims>>('response', {
  ...SEALED,
  challengedAt: ['cts', MOMENT],
  cdata: ['cda', TEXT, 'optional'],
})

interface TokenParts {
  readonly keyring: Keyring
  /** The deployment: the same on every instance. */
  readonly issuer: string
  readonly clock: Clock
}

/**
 * Signs and verifies tokens with the keyring by HS256 (RFC 7515; RFC 7518, section 3.2): the service is both issuer and verifier.
 * Not by jose, whose Web Crypto hands each signature to another thread: 70 µs for what takes 4 here (Node.js 24.21).
 */
export function jwtTokens({ keyring, issuer, clock }: TokenParts): Tokens {
  function sign<T>(kind: Kind<T>, claims: T, key: SigningKey): string {
    const { header, secret } = key.hs256(kind.name)
    const payload = Buffer.from(JSON.stringify(kind.payloadOf(claims, { iss: issuer }))).toString('base64url')
    const signed = `${header}.${payload}`
    return `${signed}.${signatureOf(secret, signed)}`
  }

  /**
   * Verifies a token: its header, signature, claims, issuer, audience and times. Nothing of it is parsed before its signature is
   * known to be ours, and header and signature have one spelling each (docs/design/threats.md#t14).
   */
  function open<T>(kind: Kind<T>, token: string, now: UnixSeconds, audience?: Sitekey) {
    if (token.length > LONGEST_TOKEN) return 'invalid'
    const end = token.lastIndexOf('.')
    const signed = token.slice(0, end)
    const [header = '', text = ''] = signed.split('.', 2)
    const key = keyring.byHeader(kind.name, header)
    if (!key || !isEqual(token.slice(end + 1), signatureOf(key.hs256(kind.name).secret, signed))) return 'invalid'
    const payload = JSON.parse(Buffer.from(text, 'base64url').toString()) as Payload
    const claims = kind.claimsIn(payload, key.kid)
    if (!claims || payload['iss'] !== issuer) return 'invalid'
    if (audience !== undefined && payload['aud'] !== audience) return 'invalid'
    // If the clock is not a number, every token counts as expired.
    return now - TOLERANCE < (payload['exp'] as number) ? claims : 'expired'
  }

  function signSealed(kind: Kind<Sealed<TicketClaims>>, claims: Omit<TicketClaims, 'kid'>): string {
    const key = keyring.activeAt(claims.issuedAt)
    const sealed = seal(claims.sealed, key.sealed, `${kind.name} ${claims.jti}`)
    return sign(kind, { ...claims, sealed }, key)
  }

  function openSealed<T extends TicketClaims>(
    kind: Kind<Sealed<T>>,
    token: string,
    audience: Sitekey,
    now: UnixSeconds,
  ) {
    const claims = open(kind, token, now, audience)
    if (typeof claims === 'string') return claims
    const { kid, jti, keepUntil, expiresAt } = claims
    const key = keyring.byKid(kid)
    const sealed = key && unseal(claims.sealed, key.sealed, `${kind.name} ${jti}`)
    const isKept = keepUntil >= expiresAt && keepUntil - expiresAt <= LONGEST_KEPT
    return sealed && isKept ? Object.assign(claims, { sealed }) : 'invalid'
  }

  return {
    signChallenge: (claims) => sign(CHALLENGE, claims, keyring.activeAt(claims.issuedAt)),
    openChallenge(token, now) {
      const claims = open(CHALLENGE, token, now)
      if (typeof claims === 'string') return claims
      const hostname = parseOrigin(claims.origin)?.hostname
      return hostname === undefined ? 'invalid' : Object.assign(claims, { hostname })
    },
    signResponse: (claims) => signSealed(RESPONSE, claims),
    openResponse: (token, sitekey, now) => openSealed(RESPONSE, token, sitekey, now),
    signTicket: (claims) => signSealed(TICKET, claims),
    openTicket: (ticket, sitekey, now) => openSealed(TICKET, ticket, sitekey, now),

    markAddress(address, kid, known) {
      const key = kid === undefined ? keyring.activeAt(clock.now()) : keyring.byKid(kid)
      const parsed = parseAddress(address)
      return key && parsed && markOf(parsed, (text) => hmac(key.address, text).toString('base64url'), known)
    },

    derive(purpose, input, kid) {
      const key = keyring.byKid(kid)
      if (!key) throw new RangeError('expected the kid of an opened token')
      return hmac(key[purpose], input)
    },

    activeKid: (now) => keyring.activeAt(now).kid,
  }
}
