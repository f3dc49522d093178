import { createHmac, type KeyObject } from 'node:crypto'
import { type CryptoKey, errors, type JWK_OKP_Public, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import type { AddressMark } from '../domain/address-mark.ts'
import { parseAddress } from '../domain/address.ts'
import { ALGORITHMS, type ChallengeClaims } from '../domain/challenge.ts'
import { PROOF_VERSIONS } from '../proof/proof.ts'
import type { ResponseClaims, SealedClaims } from '../domain/response.ts'
import { parseOrigin } from '../domain/site.ts'
import type { TicketClaims } from '../domain/ticket.ts'
import type { Kid, Sitekey, UnixSeconds } from '../domain/words.ts'
import type { Clock } from '../domain/ports/stores.ts'
import type { Tokens, Unopened } from '../domain/ports/tokens.ts'
import { type JsonSchema, compile } from '../settings/json-schema.ts'
import './base64.ts'
import type { Keyring, SigningKey } from './keyring.ts'
import { readMark, seal, spellMark, unseal } from './sealed.ts'

/** Issuer of instances without a `public_url`: they share a keyring, so they must share this too. */
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

/** A kind of token. */
interface Kind<T> {
  readonly name: 'challenge' | 'ticket' | 'response'
  /** @param claims all that the kind has; others are left out. */
  readonly write: (issuer: string, claims: object) => JWTPayload
  /** @returns undefined unless a payload has exactly the claims of the kind: even a holder of our key writes nothing else into a token. */
  readonly read: (payload: JWTPayload, kid: string) => (T & { readonly kid: Kid }) | undefined
}

function kind<T>(name: Kind<T>['name'], claims: Readonly<Record<keyof T, Claim>>): Kind<T> {
  const list = Object.entries<Claim>(claims)
  const check = compile(
    {
      type: 'object',
      properties: { iss: TEXT, ...Object.fromEntries(list.map(([, [short, value]]) => [short, value])) },
      required: ['iss', ...list.flatMap(([, [short, , isOptional]]) => (isOptional ? [] : short))],
      additionalProperties: false,
    },
    { all: false },
  )
  return {
    name,
    write(issuer, values) {
      const payload: JWTPayload = { iss: issuer }
      for (const [claim, [short]] of list) payload[short] = (values as JWTPayload)[claim]
      return payload
    },
    read(payload, kid) {
      if (!check(payload).ok) return undefined
      const values: JWTPayload = { kid }
      for (const [claim, [short]] of list) values[claim] = payload[short]
      // The schema has checked each of them.
      return values as T & { kid: Kid }
    },
  }
}

const COMMON = {
  sitekey: ['aud', TEXT],
  issuedAt: ['iat', MOMENT],
  expiresAt: ['exp', MOMENT],
  jti: ['jti', ID],
  generation: ['gen', { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' }],
  action: ['act', TEXT],
} as const
const SEALED = { ...COMMON, hostname: ['hst', TEXT], keepUntil: ['kee', MOMENT], sealed: ['slc', TEXT] } as const

/** The claims as a token spells them: the mark of an address and the sealed part are texts. */
type Sealed<T> = Omit<T, 'kid' | 'sealed'> & { readonly sealed: string }
type Challenge = Omit<ChallengeClaims, 'kid' | 'hostname' | 'address'> & { readonly address: string | undefined }

/** The hostname of a challenge is that of its origin. */
const CHALLENGE = kind<Challenge>('challenge', {
  ...COMMON,
  origin: ['org', TEXT],
  tokenLifetime: ['tlt', { ...COUNT, maximum: LONGEST_KEPT }],
  pow: [
    'pow',
    {
      type: 'object',
      properties: { a: { enum: ALGORITHMS }, s: COUNT, n: COUNT, b: MOMENT },
      required: ['a', 's', 'n', 'b'],
      additionalProperties: false,
    },
  ],
  address: ['adr', TEXT, 'optional'],
  cdata: ['cda', TEXT, 'optional'],
  proof: ['prf', { enum: PROOF_VERSIONS }, 'optional'],
  step: ['stp', ID, 'optional'],
  namedAgent: ['nam', TEXT, 'optional'],
})
const TICKET = kind<Sealed<TicketClaims>>('ticket', SEALED)
const RESPONSE = kind<Sealed<ResponseClaims>>('response', {
  ...SEALED,
  challengedAt: ['cts', MOMENT],
  cdata: ['cda', TEXT, 'optional'],
})

interface Expected<T> {
  readonly alg: 'HS256' | 'EdDSA'
  readonly typ: string
  readonly keyOf: (kid: string) => Promise<CryptoKey> | JWK_OKP_Public | undefined
  /** @returns undefined for claims that the kind of token does not have. */
  readonly read: (payload: JWTPayload, kid: string) => T | undefined
  readonly now: UnixSeconds
  readonly issuer?: string
  readonly audience?: string
}

/**
 * Verifies a JWT: its spelling, header, signature, issuer, audience, times and claims. The algorithm, the type and the key
 * are ours, never the token's choice; the header has exactly `alg`, `typ` and `kid`.
 */
export async function openJwt<T>(
  token: string,
  { alg, typ, keyOf, read, now, ...claims }: Expected<T>,
): Promise<T | Unopened> {
  if (token.length > LONGEST_TOKEN || !isCanonical(token.slice(token.lastIndexOf('.') + 1))) return 'invalid'
  try {
    const { payload, protectedHeader } = await jwtVerify(
      token,
      (header) => {
        const key = keyOf(header.kid ?? '')
        if (!key || header.typ !== typ || Object.keys(header).length !== 3)
          throw new errors.JWSInvalid('not a header of ours')
        return key
      },
      {
        ...claims,
        algorithms: [alg],
        clockTolerance: TOLERANCE,
        // If the clock is not a number, every token counts as expired.
        currentDate: new Date(Number.isFinite(now) ? now * 1000 : 8.64e15),
      },
    )
    return read(payload, protectedHeader.kid!) ?? 'invalid'
  } catch (error) {
    if (error instanceof errors.JWTExpired) return 'expired'
    if (error instanceof errors.JOSEError) return 'invalid'
    throw error
  }
}

/**
 * Reports whether a signature is the one base64url spelling of its bytes; the other parts are what is signed. So a token has
 * one spelling (docs/design/threats.md#t14).
 */
const isCanonical = (signature: string): boolean =>
  Buffer.from(signature, 'base64url').toString('base64url') === signature

interface Parts {
  readonly keyring: Keyring
  /** The deployment: the same on every instance. */
  readonly issuer: string
  readonly clock: Clock
}

/** Signs and verifies tokens with the keyring by HS256: the service is both issuer and verifier. */
export function jwtTokens({ keyring, issuer, clock }: Parts): Tokens {
  const sign = async <T>({ name, write }: Kind<T>, claims: object, key: SigningKey): Promise<string> =>
    new SignJWT(write(issuer, claims))
      .setProtectedHeader({ alg: 'HS256', typ: `${name}+jwt`, kid: key.kid })
      .sign(await key[name])

  /** @param site left out: any. */
  const open = <T>({ name, read }: Kind<T>, token: string, now: UnixSeconds, site?: { readonly audience: Sitekey }) =>
    openJwt(token, {
      alg: 'HS256',
      typ: `${name}+jwt`,
      keyOf: (kid) => keyring.byKid(kid)?.[name],
      read,
      now,
      issuer,
      ...site,
    })

  function signSealed(of: Kind<unknown>, claims: Omit<TicketClaims, 'kid'>): Promise<string> {
    const key = keyring.activeAt(claims.issuedAt)
    return sign(of, { ...claims, sealed: seal(claims.sealed, key.sealed, `${of.name} ${claims.jti}`) }, key)
  }

  async function openSealed<T extends Sealed<TicketClaims>>(
    of: Kind<T>,
    token: string,
    audience: Sitekey,
    now: UnixSeconds,
  ): Promise<(Omit<T, 'sealed'> & { readonly kid: Kid; readonly sealed: SealedClaims }) | Unopened> {
    const claims = await open(of, token, now, { audience })
    if (typeof claims === 'string') return claims
    const { kid, jti, keepUntil, expiresAt } = claims
    const key = keyring.byKid(kid)
    const sealed = key && unseal(claims.sealed, key.sealed, `${of.name} ${jti}`)
    const isKept = keepUntil >= expiresAt && keepUntil - expiresAt <= LONGEST_KEPT
    return sealed && isKept ? { ...claims, sealed } : 'invalid'
  }

  return {
    signChallenge(claims) {
      const address = claims.address && spellMark(claims.address)
      return sign(CHALLENGE, { ...claims, address }, keyring.activeAt(claims.issuedAt))
    },

    async openChallenge(token, now) {
      const claims = await open(CHALLENGE, token, now)
      if (typeof claims === 'string') return claims
      const { address, origin } = claims
      const hostname = parseOrigin(origin)?.hostname
      if (hostname === undefined) return 'invalid'
      return { ...claims, hostname, address: address === undefined ? undefined : readMark(address) }
    },

    signResponse: (claims) => signSealed(RESPONSE, claims),
    openResponse: (token, sitekey, now) => openSealed(RESPONSE, token, sitekey, now),
    signTicket: (claims) => signSealed(TICKET, claims),
    openTicket: (ticket, sitekey, now) => openSealed(TICKET, ticket, sitekey, now),

    markAddress(address, kid, known) {
      const key = kid === undefined ? keyring.activeAt(clock.now()) : keyring.byKid(kid)
      return key && markAddress(address, key.address, known)
    },

    behaviourSeed: (sitekey) => keyring.activeAt(clock.now()).behaviourSeed(sitekey),

    derive(purpose, input, kid) {
      const key = keyring.byKid(kid)
      if (!key) throw new RangeError('expected the kid of an opened token')
      return createHmac('sha256', key[purpose]).update(input).digest()
    },

    activeKid: (now) => keyring.activeAt(now).kid,
  }
}

/** Returns a keyed hash of an address; undefined for what is no address. */
function markAddress(address: string, key: KeyObject, known?: AddressMark): AddressMark | undefined {
  const parsed = parseAddress(address)
  if (!parsed) return undefined
  const { family, scope, subscriber, subnet, network } = parsed
  const hashed = (text: string): Buffer => createHmac('sha256', key).update(text).digest()
  const own = hashed(subscriber)
  if (known && Buffer.from(known.hash, 'base64url').subarray(-7).equals(own.subarray(-7))) return known
  const around = subnet === subscriber ? own : hashed(`subnet ${subnet}`)
  const parts = [hashed(`around ${network}`).subarray(0, 6), around.subarray(0, 3), own.subarray(-7)]
  return { family, scope, hash: Buffer.concat(parts).toString('base64url') }
}
