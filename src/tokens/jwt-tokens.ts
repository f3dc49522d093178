import { createHmac, type KeyObject } from 'node:crypto'
import { hashOf, parseAddress } from '../domain/address.ts'
import type { ChallengeClaims } from '../claims/challenge.ts'
import { ALGORITHMS } from '../work/pow.ts'
import { PROOF_VERSIONS } from '../proof/proof.ts'
import type { ResponseClaims } from '../claims/response.ts'
import { parseOrigin } from '../domain/site.ts'
import type { TicketClaims } from '../claims/ticket.ts'
import type { Sitekey, UnixSeconds } from '../domain/words.ts'
import type { Clock } from '../domain/ports.ts'
import type { Tokens } from '../claims/tokens.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import type { Keyring, SigningKey } from './keyring.ts'
import { openJws, signJws } from './jws.ts'
import { seal, unseal } from './sealed.ts'
import { ID, type Kind, MOMENT, TEXT, tokenKind } from './token-kind.ts'

/** Issuer of instances without a `public_url`: they share a keyring, so they must share this as well. */
export const DEFAULT_ISSUER = 'human-verification'
/** Seconds between a token's expiry and the moment until which the ledger keeps its entry; ours stay below an hour. */
const LONGEST_KEPT = 86_400

const COUNT: JsonSchema = { type: 'integer', minimum: 1 }

const hmac = (key: KeyObject, text: string): Buffer =>
  createHmac('sha256', key).update(text).digest()

const COMMON = {
  sitekey: ['aud', TEXT],
  issuedAt: ['iat', MOMENT],
  expiresAt: ['exp', MOMENT],
  jti: ['jti', ID],
  generation: ['gen', { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' }],
  action: ['act', TEXT],
} as const
const SEALED = {
  ...COMMON,
  hostname: ['hst', TEXT],
  keepUntil: ['kee', MOMENT],
  sealed: ['slc', TEXT],
} as const

/** The claims as a token spells them. The hostname of a challenge is that of its origin. */
type Sealed<T> = Omit<T, 'kid' | 'sealed'> & { readonly sealed: string }
type Challenge = Omit<ChallengeClaims, 'kid' | 'hostname'>

const POW = { a: { enum: ALGORITHMS }, s: COUNT, n: COUNT, b: MOMENT }
const CHALLENGE = tokenKind<Challenge>('challenge', {
  ...COMMON,
  origin: ['org', TEXT],
  tokenLifetime: ['tlt', { ...COUNT, maximum: LONGEST_KEPT }],
  pow: [
    'pow',
    { type: 'object', properties: POW, required: Object.keys(POW), additionalProperties: false },
  ],
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

const headerOf = <T>({ name }: Kind<T>) => ({ alg: 'HS256', typ: `${name}+jwt` }) as const

interface TokenParts {
  readonly keyring: Keyring
  /** The deployment: the same on every instance. */
  readonly issuer: string
  readonly clock: Clock
}

/**
 * Signs and verifies tokens with the keyring by HS256 (RFC 7518, section 3.2): the service is both issuer and verifier.
 * What signs takes its key before it waits, so that a reload of the keyring cannot change it half way. What opens refuses a
 * token whose key a reload has dropped meanwhile.
 */
export function jwtTokens({ keyring, issuer, clock }: TokenParts): Tokens {
  async function sign<T>(kind: Kind<T>, claims: T, { kid, hs256 }: SigningKey): Promise<string> {
    const payload = kind.payloadOf(claims, { iss: issuer })
    return signJws(payload, { ...headerOf(kind), kid }, await hs256(kind.name))
  }

  async function open<T>(kind: Kind<T>, token: string, now: UnixSeconds, audience?: Sitekey) {
    const keyOf = (kid: string) => keyring.byKid(kid)?.hs256(kind.name)
    const opened = await openJws(token, { ...headerOf(kind), keyOf, issuer, audience }, now)
    return typeof opened === 'string'
      ? opened
      : (kind.claimsIn(opened.payload, opened.kid) ?? 'invalid')
  }

  async function signSealed<T extends Omit<TicketClaims, 'kid'>>(
    kind: Kind<Omit<T, 'sealed'> & { readonly sealed: string }>,
    claims: T,
  ): Promise<string> {
    const key = keyring.activeAt(claims.issuedAt)
    const sealed = seal(claims.sealed, key.sealed, `${kind.name} ${claims.jti}`)
    return sign(kind, { ...claims, sealed }, key)
  }

  async function openSealed<T extends TicketClaims>(
    kind: Kind<Sealed<T>>,
    token: string,
    audience: Sitekey,
    now: UnixSeconds,
  ) {
    const claims = await open(kind, token, now, audience)
    if (typeof claims === 'string') return claims
    const { kid, jti, keepUntil, expiresAt } = claims
    const key = keyring.byKid(kid)
    const sealed = key && unseal(claims.sealed, key.sealed, `${kind.name} ${jti}`)
    const isKept = keepUntil >= expiresAt && keepUntil - expiresAt <= LONGEST_KEPT
    return sealed && isKept ? { ...claims, sealed } : 'invalid'
  }

  return {
    signChallenge: (claims) => sign(CHALLENGE, claims, keyring.activeAt(claims.issuedAt)),
    async openChallenge(token, now) {
      const claims = await open(CHALLENGE, token, now)
      if (typeof claims === 'string') return claims
      const hostname = parseOrigin(claims.origin)?.hostname
      return hostname === undefined ? 'invalid' : { ...claims, hostname }
    },
    signResponse: (claims) => signSealed(RESPONSE, claims),
    openResponse: (token, sitekey, now) => openSealed(RESPONSE, token, sitekey, now),
    signTicket: (claims) => signSealed(TICKET, claims),
    openTicket: (ticket, sitekey, now) => openSealed(TICKET, ticket, sitekey, now),

    hashAddress(address, kid, likely) {
      const key = kid === undefined ? keyring.activeAt(clock.now()) : keyring.byKid(kid)
      const parsed = parseAddress(address)
      return key && parsed && hashOf(parsed, hashBy(key), likely)
    },

    derive(purpose, input, kid) {
      const key = keyring.byKid(kid)
      if (!key) throw new RangeError('expected the kid of an opened token')
      return hmac(key[purpose], input)
    },

    activeKid: (now) => keyring.activeAt(now).kid,
  }
}

/** Returns the function that hashes the parts of an address with a key. */
const hashBy =
  ({ address }: SigningKey) =>
  (text: string): string =>
    hmac(address, text).toString('base64url')
