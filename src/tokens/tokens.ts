import { createHmac } from 'node:crypto'
import { type CryptoKey, errors, type JWK_OKP_Public, type JWTHeaderParameters, jwtVerify, SignJWT } from 'jose'
import { ALGORITHMS, type ChallengeClaims } from '../domain/challenge.ts'
import { PROOF_VERSIONS } from '../proof/proof.ts'
import type { ResponseClaims, SealedClaims } from '../domain/response.ts'
import { parseOrigin } from '../domain/site.ts'
import type { TicketClaims } from '../domain/ticket.ts'
import type { Kid, Sitekey, UnixSeconds } from '../domain/words.ts'
import type { Clock } from '../domain/ports/stores.ts'
import type { Tokens, Unopened } from '../domain/ports/tokens.ts'
import { type Checked, type JsonSchema, compile } from '../settings/json-schema.ts'
import type { Keyring, SigningKey } from './keyring.ts'
import { markAddress, readMark, spellMark } from './marks.ts'
import { seal, unseal } from './sealed.ts'

/** Issuer of instances without a `public_url`: they share a keyring, so they must share this too. */
export const DEFAULT_ISSUER = 'human-verification'
/** Characters of the longest token. docs/api/api.md, "Tokens" */
export const LONGEST_TOKEN = 2048
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

const COMMON = {
  sitekey: ['aud', TEXT],
  issuedAt: ['iat', MOMENT],
  expiresAt: ['exp', MOMENT],
  jti: ['jti', ID],
  generation: ['gen', { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' }],
  action: ['act', TEXT],
} as const satisfies Record<string, Claim>
const TICKET = { ...COMMON, hostname: ['hst', TEXT], keepUntil: ['kee', MOMENT], sealed: ['slc', TEXT] } as const

/** The claims of each kind of token. The hostname of a challenge is that of its origin. */
const KINDS = {
  challenge: {
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
  } satisfies Record<Exclude<keyof ChallengeClaims, 'kid' | 'hostname'>, Claim>,
  ticket: TICKET satisfies Record<Exclude<keyof TicketClaims, 'kid'>, Claim>,
  response: { ...TICKET, challengedAt: ['cts', MOMENT], cdata: ['cda', TEXT, 'optional'] } satisfies Record<
    Exclude<keyof ResponseClaims, 'kid'>,
    Claim
  >,
} as const
type Kind = keyof typeof KINDS

const namesOf = (kind: Kind) => Object.entries<Claim>(KINDS[kind]).map(([claim, [name]]) => [claim, name] as const)
/** The names of the claims of each kind: ours, and the token's. */
const NAMES = { challenge: namesOf('challenge'), ticket: namesOf('ticket'), response: namesOf('response') } as const

/** The claims as a token spells them: the mark of an address and the sealed part are texts. */
interface Claims {
  readonly challenge: Omit<ChallengeClaims, 'hostname' | 'address'> & { readonly address: string | undefined }
  readonly ticket: Omit<TicketClaims, 'sealed'> & { readonly sealed: string }
  readonly response: Omit<ResponseClaims, 'sealed'> & { readonly sealed: string }
}

type Check<T> = (payload: unknown) => Checked<T>

/** Checks that a payload has exactly the claims of a kind: even a holder of our key writes nothing else into a token. */
function payloadCheck(kind: Kind): Check<Readonly<Record<string, unknown>>> {
  const claims: readonly Claim[] = Object.values(KINDS[kind])
  return compile(
    {
      type: 'object',
      properties: { iss: TEXT, ...Object.fromEntries(claims.map(([name, value]) => [name, value])) },
      required: ['iss', ...claims.flatMap(([name, , isOptional]) => (isOptional ? [] : name))],
      additionalProperties: false,
    },
    { all: false },
  )
}
const CHECKS = {
  challenge: payloadCheck('challenge'),
  ticket: payloadCheck('ticket'),
  response: payloadCheck('response'),
} as const

interface Expected<T> {
  readonly alg: 'HS256' | 'EdDSA'
  readonly typ: string
  readonly keyOf: (kid: string) => Promise<CryptoKey> | JWK_OKP_Public | undefined
  readonly check: Check<T>
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
  { alg, typ, keyOf, check, now, ...claims }: Expected<T>,
): Promise<{ readonly payload: T; readonly kid: string } | Unopened> {
  if (token.length > LONGEST_TOKEN || !isCanonical(token.slice(token.lastIndexOf('.') + 1))) return 'invalid'
  const keyFor = (header: JWTHeaderParameters): Promise<CryptoKey> | JWK_OKP_Public => {
    const { alg: _, typ: type, kid = '', ...others } = header
    const key = keyOf(kid)
    if (!key || type !== typ || Object.keys(others).length > 0) throw new errors.JWSInvalid('not a header of ours')
    return key
  }
  try {
    const { payload, protectedHeader } = await jwtVerify(token, keyFor, {
      ...claims,
      algorithms: [alg],
      clockTolerance: TOLERANCE,
      // If the clock is not a number, every token counts as expired.
      currentDate: new Date(Number.isFinite(now) ? now * 1000 : 8.64e15),
    })
    const checked = check(payload)
    return checked.ok ? { payload: checked.value, kid: protectedHeader.kid! } : 'invalid'
  } catch (error) {
    if (error instanceof errors.JWTExpired) return 'expired'
    if (error instanceof errors.JOSEError) return 'invalid'
    throw error
  }
}

interface Parts {
  readonly keyring: Keyring
  /** The deployment: the same on every instance. */
  readonly issuer: string
  readonly clock: Clock
}

/** Signs and verifies tokens with the keyring by HS256: the service is both issuer and verifier. */
export function jwtTokens({ keyring, issuer, clock }: Parts): Tokens {
  /** @param claims all that the kind has, spelled. */
  async function sign(kind: Kind, key: SigningKey, claims: object): Promise<string> {
    const values = claims as Readonly<Record<string, unknown>>
    const payload: Record<string, unknown> = { iss: issuer }
    for (const [claim, name] of NAMES[kind]) payload[name] = values[claim]
    return new SignJWT(payload)
      .setProtectedHeader({ alg: 'HS256', typ: `${kind}+jwt`, kid: key.kid })
      .sign(await key[kind])
  }

  /** @param sitekey undefined: of any site. */
  async function open<K extends Kind>(
    kind: K,
    token: string,
    now: UnixSeconds,
    sitekey?: Sitekey,
  ): Promise<{ readonly claims: Claims[K]; readonly key: SigningKey } | Unopened> {
    const opened = await openJwt(token, {
      alg: 'HS256',
      typ: `${kind}+jwt`,
      keyOf: (kid) => keyring.byKid(kid)?.[kind],
      check: CHECKS[kind],
      now,
      issuer,
      ...(sitekey !== undefined && { audience: sitekey }),
    })
    if (typeof opened === 'string') return opened
    const key = keyring.byKid(opened.kid)
    if (!key) return 'invalid'
    const claims: Record<string, unknown> = { kid: key.kid }
    for (const [claim, name] of NAMES[kind]) claims[claim] = opened.payload[name]
    // The schema has checked each of them.
    return { claims: claims as unknown as Claims[K], key }
  }

  function signSealed(kind: 'ticket' | 'response', claims: Omit<TicketClaims, 'kid'>): Promise<string> {
    const key = keyring.activeAt(claims.issuedAt)
    return sign(kind, key, { ...claims, sealed: seal(claims.sealed, key.sealed, `${kind} ${claims.jti}`) })
  }

  async function openSealed<K extends 'ticket' | 'response'>(
    kind: K,
    token: string,
    sitekey: Sitekey,
    now: UnixSeconds,
  ): Promise<(Omit<Claims[K], 'sealed'> & { readonly sealed: SealedClaims }) | Unopened> {
    const opened = await open(kind, token, now, sitekey)
    if (typeof opened === 'string') return opened
    const { claims, key } = opened
    const { jti, keepUntil, expiresAt } = claims
    const sealed = unseal(claims.sealed, key.sealed, `${kind} ${jti}`)
    const isKept = keepUntil >= expiresAt && keepUntil - expiresAt <= LONGEST_KEPT
    return sealed && isKept ? { ...claims, sealed } : 'invalid'
  }

  const keyOf = (kid: Kid): SigningKey => {
    const key = keyring.byKid(kid)
    if (!key) throw new RangeError('expected the kid of an opened token')
    return key
  }

  return {
    signChallenge(claims) {
      const address = claims.address && spellMark(claims.address)
      return sign('challenge', keyring.activeAt(claims.issuedAt), { ...claims, address })
    },

    async openChallenge(token, now) {
      const opened = await open('challenge', token, now)
      if (typeof opened === 'string') return opened
      const { address, ...claims } = opened.claims
      const origin = parseOrigin(claims.origin)
      if (!origin) return 'invalid'
      return { ...claims, hostname: origin.hostname, address: address === undefined ? undefined : readMark(address) }
    },

    signResponse: (claims) => signSealed('response', claims),
    openResponse: (token, sitekey, now) => openSealed('response', token, sitekey, now),
    signTicket: (claims) => signSealed('ticket', claims),
    openTicket: (ticket, sitekey, now) => openSealed('ticket', ticket, sitekey, now),

    markAddress(address, kid) {
      const key = kid === undefined ? keyring.activeAt(clock.now()) : keyring.byKid(kid)
      return key && markAddress(address, key.address)
    },

    behaviourSeed(sitekey) {
      const bytes = createHmac('sha256', keyring.activeAt(clock.now()).behaviour).update(sitekey).digest()
      return Int32Array.from({ length: 8 }, (_, i) => bytes.readInt32LE(i * 4))
    },

    derive: (purpose, input, kid) => createHmac('sha256', keyOf(kid)[purpose]).update(input).digest(),

    activeKid: (now) => keyring.activeAt(now).kid,
  }
}

/**
 * Reports whether a signature is the one base64url spelling of its bytes; the other parts are what is signed. So a token has
 * one spelling (docs/design/threats.md#t14).
 */
const isCanonical = (signature: string): boolean =>
  Buffer.from(signature, 'base64url').toString('base64url') === signature
