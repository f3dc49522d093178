import { createHmac, type KeyObject } from 'node:crypto'
import {
  type CryptoKey,
  errors,
  type JWK,
  type JWK_OKP_Public,
  type JWTPayload,
  jwtVerify,
  type JWTVerifyOptions,
  SignJWT,
} from 'jose'
import { markOf, parseAddress } from '../domain/address.ts'
import type { ChallengeClaims } from '../claims/challenge.ts'
import { ALGORITHMS } from '../work/pow.ts'
import { PROOF_VERSIONS } from '../proof/proof.ts'
import type { ResponseClaims } from '../claims/response.ts'
import { parseOrigin } from '../domain/site.ts'
import type { TicketClaims } from '../claims/ticket.ts'
import type { Kid, Sitekey, UnixSeconds } from '../domain/words.ts'
import type { Clock } from '../domain/stores.ts'
import type { Tokens, Unopened } from '../claims/tokens.ts'
import { type JsonSchema, compile } from '../schema/json-schema.ts'
import type { Keyring, SigningKey } from './keyring.ts'
import { seal, unseal } from './sealed.ts'

/** Issuer of instances without a `public_url`: they share a keyring, so they must share this as well. */
export const DEFAULT_ISSUER = 'human-verification'
/** Characters of the longest token. docs/api/api.md, "Tokens" */
const LONGEST_TOKEN = 2048
/** Seconds our own clocks may differ; the ledger judges exactly, by its own. */
const TOLERANCE = 5
/** Seconds between a token's expiry and the moment until which the ledger keeps its entry; ours stay below an hour. */
const LONGEST_KEPT = 86_400

export const TEXT: JsonSchema = { type: 'string' }
export const ID: JsonSchema = { type: 'string', pattern: '^[A-Za-z0-9_-]{22}$' }
const COUNT: JsonSchema = { type: 'integer', minimum: 1 }
/** Unix seconds up to the end of the year 9999, the last that a date of four digits can name. */
export const MOMENT: JsonSchema = { type: 'integer', minimum: 0, maximum: 253_402_300_799 }

/** A claim in a token: its name, short because a token is, what its value must be, and whether it may be left out. */
type Claim = readonly [name: string, value: JsonSchema, isOptional?: 'optional']

/** A kind of token, with claims of type T. */
type Kind<T> = ReturnType<typeof tokenKind<T>>

export interface Expected {
  readonly keyOf: (kid: string) => Promise<CryptoKey> | JWK_OKP_Public | undefined
  readonly now: UnixSeconds
  readonly issuer?: string
  /** If omitted: any. */
  readonly audience?: Sitekey | undefined
}

/**
 * Defines a kind of token by its claims. A token has exactly these, and `iss`: even the owner of our key cannot add others.
 */
export function tokenKind<T>(
  name: 'challenge' | 'ticket' | 'response' | 'pass',
  claims: Readonly<Record<keyof T, Claim>>,
  { alg = 'HS256', additionalProperties = false } = {},
) {
  const typ = `${name}+jwt`
  const list = Object.entries<Claim>(claims) as [keyof T, Claim][]
  const properties = { iss: {}, ...Object.fromEntries(list.map(([, [short, value]]) => [short, value])) }
  const required = list.flatMap(([, [short, , isOptional]]) => (isOptional ? [] : short))
  const check = compile({ type: 'object', properties, required, additionalProperties }, { all: false })

  return {
    name,

    /** @param more claims that are no part of the table: the issuer, or the audience. */
    sign(values: T, more: JWTPayload, kid: string, key: CryptoKey | JWK): Promise<string> {
      // Neither a spread nor `fromEntries`: with one, making the payload and jose's copy take 20 µs, not 5 (Node.js 20.20).
      const payload: JWTPayload = {}
      for (const [claim, [short]] of list) payload[short] = values[claim]
      return new SignJWT(Object.assign(payload, more)).setProtectedHeader({ alg, typ, kid }).sign(key)
    },

    /**
     * Verifies a token: its spelling, header, signature, issuer, audience, times and claims. The algorithm, the type and the key
     * are ours, never the token's choice; the header has exactly `alg`, `typ` and `kid`.
     */
    async open(
      token: string,
      { keyOf, now, issuer, audience }: Expected,
    ): Promise<(T & { readonly kid: Kid }) | Unopened> {
      if (token.length > LONGEST_TOKEN || !isCanonical(token.slice(token.lastIndexOf('.') + 1))) return 'invalid'
      // If the clock is not a number, every token counts as expired.
      const currentDate = new Date(Number.isFinite(now) ? now * 1000 : 8.64e15)
      // Not spread: that took 6 of the 30 µs of opening a token (Node.js 20.20).
      const options: JWTVerifyOptions = { algorithms: [alg], clockTolerance: TOLERANCE, currentDate }
      if (issuer !== undefined) options.issuer = issuer
      if (audience !== undefined) options.audience = audience
      try {
        const { payload, protectedHeader } = await jwtVerify(
          token,
          (header) => {
            const key = keyOf(header.kid ?? '')
            if (!key || header.typ !== typ || Object.keys(header).length !== 3)
              throw new errors.JWSInvalid('not a header of ours')
            return key
          },
          options,
        )
        if (!check(payload).ok) return 'invalid'
        // The schema has checked each of them.
        const values = { kid: protectedHeader.kid } as T & { kid: Kid }
        for (const [claim, [short]] of list) values[claim] = payload[short] as (typeof values)[keyof T]
        return values
      } catch (error) {
        if (error instanceof errors.JWTExpired) return 'expired'
        if (error instanceof errors.JOSEError) return 'invalid'
        throw error
      }
    },
  }
}

/**
 * Reports whether a signature is the one base64url spelling of its bytes; the other parts are what is signed. So a token has
 * one spelling (docs/design/threats.md#t14).
 */
const isCanonical = (signature: string): boolean =>
  Buffer.from(signature, 'base64url').toString('base64url') === signature

const hmac = (key: KeyObject, text: string): Buffer => createHmac('sha256', key).update(text).digest()

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

/** Signs and verifies tokens with the keyring by HS256: the service is both issuer and verifier. */
export function jwtTokens({ keyring, issuer, clock }: TokenParts): Tokens {
  const sign = async <T>(kind: Kind<T>, claims: T, { kid, hs256 }: SigningKey): Promise<string> =>
    kind.sign(claims, { iss: issuer }, kid, await hs256(kind.name))

  const open = <T>(kind: Kind<T>, token: string, now: UnixSeconds, audience?: Sitekey) =>
    kind.open(token, { keyOf: (kid) => keyring.byKid(kid)?.hs256(kind.name), now, issuer, audience })

  function signSealed(kind: Kind<Sealed<TicketClaims>>, claims: Omit<TicketClaims, 'kid'>): Promise<string> {
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
    return sealed && isKept ? Object.assign(claims, { sealed }) : 'invalid'
  }

  return {
    signChallenge: (claims) => sign(CHALLENGE, claims, keyring.activeAt(claims.issuedAt)),
    async openChallenge(token, now) {
      const claims = await open(CHALLENGE, token, now)
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
