import { createHmac } from 'node:crypto'
import {
  type CryptoKey,
  errors,
  type JWK_OKP_Public,
  type JWTHeaderParameters,
  type JWTPayload,
  jwtVerify,
  SignJWT,
} from 'jose'
import { ALGORITHMS, type ChallengeClaims, type Pow } from '../domain/challenge.ts'
import { type ProofVersion, PROOF_VERSIONS } from '../proof/proof.ts'
import { parseOrigin } from '../domain/site.ts'
import type { Action, Generation, Hostname, Jti, Kid, Seconds, Sitekey, UnixSeconds } from '../domain/words.ts'
import type { Clock } from '../ports/stores.ts'
import type { Tokens, Unopened } from '../ports/tokens.ts'
import { type Checked, type JsonSchema, compile } from '../settings/json-schema.ts'
import type { Keyring, SigningKey } from './keyring.ts'
import { markAddress, readMark, spellMark } from './marks.ts'
import { seal, unseal } from './sealed.ts'

/** Issuer of instances without a `public_url`: they share a keyring, so they must share this too. */
export const DEFAULT_ISSUER = 'human-verification'
/** Characters of the longest token. docs/design/contract.md, "Tokens" */
export const LONGEST_TOKEN = 2048
/** Seconds our own clocks may differ; the ledger judges exactly, by its own. */
const TOLERANCE = 5
/** Seconds between a token's expiry and the moment until which the ledger keeps its entry; ours stay below an hour. */
const LONGEST_KEPT = 86_400

type Kind = 'challenge' | 'response' | 'ticket'
const TYPES: Readonly<Record<Kind, string>> = {
  challenge: 'challenge+jwt',
  response: 'response+jwt',
  ticket: 'ticket+jwt',
}

/** Claims of every kind; the names are short because a token is. */
interface Payload extends JWTPayload {
  readonly iss: string
  /** The sitekey. */
  readonly aud: Sitekey
  readonly iat: UnixSeconds
  readonly exp: UnixSeconds
  readonly jti: Jti
  /** The ledger's generation. */
  readonly gen: Generation
  /** The action. */
  readonly act: Action
}

interface ChallengePayload extends Payload {
  /** The origin of the page. */
  readonly org: string
  /** The lifetime of its tokens. */
  readonly tlt: Seconds
  /** The work. */
  readonly pow: Pow
  /** The mark of the address. */
  readonly adr?: string | undefined
  readonly cda?: string | undefined
  /** The version of the browser proof. */
  readonly prf?: ProofVersion | undefined
  /** The id of the ticket. */
  readonly stp?: Jti | undefined
  /** The named agent. */
  readonly nam?: string | undefined
}

interface TicketPayload extends Payload {
  readonly hst: Hostname
  /** Until when the ledger keeps its entry. */
  readonly kee: UnixSeconds
  /** The sealed claims. */
  readonly slc: string
}

interface ResponsePayload extends TicketPayload {
  /** When the challenge was issued. */
  readonly cts: UnixSeconds
  readonly cda?: string | undefined
}

export const TEXT: JsonSchema = { type: 'string' }
export const ID: JsonSchema = { type: 'string', pattern: '^[A-Za-z0-9_-]{22}$' }
const COUNT: JsonSchema = { type: 'integer', minimum: 1 }
/** Unix seconds up to the end of the year 9999, the last that a date of four digits can name. */
export const MOMENT: JsonSchema = { type: 'integer', minimum: 0, maximum: 253_402_300_799 }
const COMMON = {
  iss: TEXT,
  aud: TEXT,
  iat: MOMENT,
  exp: MOMENT,
  jti: ID,
  gen: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' } satisfies JsonSchema,
  act: TEXT,
}
const TICKET = { ...COMMON, hst: TEXT, kee: MOMENT, slc: TEXT }

type Check<T> = (payload: unknown) => Checked<T>

/** Checks that a payload has exactly these claims: even a holder of our key writes nothing else into a token. */
const checkPayload = <T>(required: Record<string, JsonSchema>, optional: Record<string, JsonSchema> = {}): Check<T> =>
  compile<T>(
    {
      type: 'object',
      properties: { ...required, ...optional },
      required: Object.keys(required),
      additionalProperties: false,
    },
    { all: false },
  )

const checkChallenge = checkPayload<ChallengePayload>(
  {
    ...COMMON,
    org: TEXT,
    tlt: { ...COUNT, maximum: LONGEST_KEPT },
    pow: {
      type: 'object',
      properties: { a: { enum: ALGORITHMS }, s: COUNT, n: COUNT, b: MOMENT },
      required: ['a', 's', 'n', 'b'],
      additionalProperties: false,
    },
  },
  { adr: TEXT, cda: TEXT, prf: { enum: PROOF_VERSIONS }, stp: ID, nam: TEXT },
)
const checkTicket = checkPayload<TicketPayload>(TICKET)
const checkResponse = checkPayload<ResponsePayload>({ ...TICKET, cts: MOMENT }, { cda: TEXT })

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
  if (token.length > LONGEST_TOKEN || !token.split('.').every(isCanonical)) return 'invalid'
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
      // By a clock that is not a number every token is over.
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

const sign = async (kind: Kind, key: SigningKey, payload: Payload): Promise<string> =>
  new SignJWT(payload).setProtectedHeader({ alg: 'HS256', typ: TYPES[kind], kid: key.kid }).sign(await key[kind])

/** Signs and verifies tokens with the keyring by HS256: the service is both issuer and verifier. */
export function jwtTokens({ keyring, issuer, clock }: Parts): Tokens {
  async function open<T>(
    kind: Kind,
    check: Check<T>,
    { token, sitekey, now }: { token: string; sitekey?: Sitekey; now: UnixSeconds },
  ): Promise<{ readonly payload: T; readonly key: SigningKey } | Unopened> {
    const opened = await openJwt(token, {
      alg: 'HS256',
      typ: TYPES[kind],
      keyOf: (kid) => keyring.byKid(kid)?.[kind],
      check,
      now,
      issuer,
      ...(sitekey !== undefined && { audience: sitekey }),
    })
    if (typeof opened === 'string') return opened
    const key = keyring.byKid(opened.kid)
    return key ? { payload: opened.payload, key } : 'invalid'
  }

  const keyOf = (kid: Kid): SigningKey => {
    const key = keyring.byKid(kid)
    if (!key) throw new RangeError('expected the kid of an opened token')
    return key
  }

  return {
    signChallenge(claims) {
      return sign('challenge', keyring.activeAt(claims.issuedAt), {
        ...commonOf(claims),
        org: claims.origin,
        tlt: claims.tokenLifetime,
        pow: claims.pow,
        adr: claims.address && spellMark(claims.address),
        cda: claims.cdata,
        prf: claims.proof,
        stp: claims.step,
        nam: claims.namedAgent,
      } satisfies ChallengePayload)
    },

    async openChallenge(token, now) {
      const opened = await open('challenge', checkChallenge, { token, now })
      if (typeof opened === 'string') return opened
      const { payload, key } = opened
      const origin = parseOrigin(payload.org)
      if (!origin) return 'invalid'
      return {
        ...claimsOf(payload, key),
        origin: payload.org,
        hostname: origin.hostname,
        cdata: payload.cda,
        tokenLifetime: payload.tlt,
        pow: payload.pow,
        address: payload.adr === undefined ? undefined : readMark(payload.adr),
        proof: payload.prf,
        step: payload.stp,
        namedAgent: payload.nam,
      }
    },

    signResponse(claims) {
      const key = keyring.activeAt(claims.issuedAt)
      return sign('response', key, {
        ...commonOf(claims),
        hst: claims.hostname,
        kee: claims.keepUntil,
        slc: seal(claims.sealed, key.sealed, `response ${claims.jti}`),
        cts: claims.challengedAt,
        cda: claims.cdata,
      } satisfies ResponsePayload)
    },

    async openResponse(token, sitekey, now) {
      const opened = await open('response', checkResponse, { token, sitekey, now })
      if (typeof opened === 'string') return opened
      const { payload, key } = opened
      const more = sealedOf(payload, key, 'response')
      return more ? { ...claimsOf(payload, key), ...more, challengedAt: payload.cts, cdata: payload.cda } : 'invalid'
    },

    signTicket(claims) {
      const key = keyring.activeAt(claims.issuedAt)
      return sign('ticket', key, {
        ...commonOf(claims),
        hst: claims.hostname,
        kee: claims.keepUntil,
        slc: seal(claims.sealed, key.sealed, `ticket ${claims.jti}`),
      } satisfies TicketPayload)
    },

    async openTicket(token, sitekey, now) {
      const opened = await open('ticket', checkTicket, { token, sitekey, now })
      if (typeof opened === 'string') return opened
      const more = sealedOf(opened.payload, opened.key, 'ticket')
      return more ? { ...claimsOf(opened.payload, opened.key), ...more } : 'invalid'
    },

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

  /** Claims that every kind has, as they are signed. */
  function commonOf(claims: Common): Payload {
    const { sitekey, issuedAt, expiresAt, jti, generation, action } = claims
    return { iss: issuer, aud: sitekey, iat: issuedAt, exp: expiresAt, jti, gen: generation, act: action }
  }
}

type Common = Pick<ChallengeClaims, 'jti' | 'sitekey' | 'action' | 'generation' | 'issuedAt' | 'expiresAt'>

/** Claims that every kind has, as the service reads them. */
const claimsOf = ({ jti, aud, act, gen, iat, exp }: Payload, { kid }: SigningKey): Common & { readonly kid: Kid } => ({
  jti,
  kid,
  sitekey: aud,
  action: act,
  generation: gen,
  issuedAt: iat,
  expiresAt: exp,
})

/** Claims that response tokens and tickets share. @returns undefined when they are none of ours. */
function sealedOf({ jti, hst, kee, exp, slc }: TicketPayload, key: SigningKey, kind: Kind) {
  const sealed = unseal(slc, key.sealed, `${kind} ${jti}`)
  const isKept = kee >= exp && kee - exp <= LONGEST_KEPT
  return sealed && isKept ? { hostname: hst, keepUntil: kee, sealed } : undefined
}

/** Reports whether a part is the one base64url spelling of its bytes, so that a token has one spelling (docs/design/threats.md#t14). */
const isCanonical = (part: string): boolean =>
  part !== '' && Buffer.from(part, 'base64url').toString('base64url') === part
