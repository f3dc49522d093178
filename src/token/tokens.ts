import type { ChallengeClaims, Pow } from '../domain/challenge.ts'
import type { ProofVersion } from '../domain/proof/proof.ts'
import type { ResponseClaims } from '../domain/response.ts'
import type { TicketClaims } from '../domain/ticket.ts'
import { parseOrigin } from '../domain/site.ts'
import { isExpired } from '../domain/time.ts'
import {
  type Action,
  type Generation,
  type Hostname,
  type Jti,
  type Kid,
  seconds,
  type Sitekey,
  type UnixSeconds,
  unixSeconds,
} from '../domain/words.ts'
import type { Clock } from '../ports/stores.ts'
import type { Tokens, Unopened } from '../ports/tokens.ts'
import type { SigningKey, Keyring } from './keyring.ts'
import { hmac } from './hmac.ts'
import { openJws, readJws, signJws } from './jws.ts'
import { markerOf, readMark, spellMark } from './marks.ts'
import { seal, unseal } from './sealed.ts'
import { seedsOf } from './seeds.ts'
import { isSoundChallenge, isSoundResponse, isSoundTicket } from './sound-claims.ts'
import type { SpelledJws } from './spelling.ts'

const CHALLENGE = 'hv-challenge+jwt'
const RESPONSE = 'hv-response+jwt'
const TICKET = 'hv-ticket+jwt'
/** The issuer of instances without a `public_url`: they share a keyring, so they must share this too. */
export const DEFAULT_ISSUER = 'human-verification'
/** docs/design/contract.md, "Tokens". */
export const LONGEST_RESPONSE = 2048
/** A ticket has no cdata; room to spare. */
export const LONGEST_TICKET = 2048
/** A challenge has no sealed part and a long origin at most; room to spare. */
export const LONGEST_CHALLENGE = 2048
/** Seconds our own clocks may differ; the ledger judges exactly, by its own. */
const TOLERANCE = 5

interface Parts {
  readonly keyring: Keyring
  /** The deployment: the same on every instance. */
  readonly issuer: string
  readonly clock: Clock
}

/** Claims that every kind of token must have. */
interface Payload {
  readonly iss: string
  readonly aud: string
  readonly iat: number
  readonly exp: number
  readonly jti: string
  readonly [name: string]: unknown
}
const REQUIRED = ['iss', 'aud', 'iat', 'exp', 'jti', 'gen', 'act']
const OF_CHALLENGE = [...REQUIRED, 'org', 'tlt', 'pow']
const OF_TICKET = [...REQUIRED, 'hst', 'kee', 'slc']
const OF_RESPONSE = [...OF_TICKET, 'cts']

/** Seals and opens tokens with the keyring. HS256: the service is both issuer and verifier. */
export function jwsTokens({ keyring, issuer, clock }: Parts): Tokens {
  /** Type, signature, issuer and required claims. Everything is fixed here; nothing is the token's choice. */
  function open(jws: SpelledJws, typ: string, key: Buffer, required: readonly string[]): Payload | undefined {
    if (jws.header.typ !== typ) return undefined
    const claims = openJws(jws, key)
    if (claims === undefined || required.some((name) => claims[name] === undefined)) return undefined
    if (claims['iss'] !== issuer) return undefined
    return claims as unknown as Payload
  }

  function find(token: string, longest: number): { jws: SpelledJws; key: SigningKey } | undefined {
    const jws = readJws(token, longest)
    const key = jws && keyring.byKid(jws.header.kid)
    return jws && key && { jws, key }
  }

  return {
    sealChallenge(claims) {
      const key = keyring.activeAt(claims.issuedAt)
      const { kid } = key
      const payload = {
        iss: issuer,
        aud: claims.sitekey,
        iat: claims.issuedAt,
        exp: claims.expiresAt,
        jti: claims.jti,
        gen: claims.generation,
        org: claims.origin,
        act: claims.action,
        tlt: claims.tokenLifetime,
        pow: claims.pow,
        agt: claims.agent,
        ...(claims.address !== undefined && { adr: spellMark(claims.address) }),
        ...(claims.cdata !== undefined && { cda: claims.cdata }),
        ...(claims.proof !== undefined && { prf: claims.proof }),
        ...(claims.step !== undefined && { stp: claims.step }),
        ...(claims.namedAgent !== undefined && { nam: claims.namedAgent }),
      }
      return signJws({ typ: CHALLENGE, kid }, payload, key.challenge)
    },

    openChallenge(token, now) {
      const match = find(token, LONGEST_CHALLENGE)
      if (!match) return 'invalid'
      const payload = open(match.jws, CHALLENGE, match.key.challenge, OF_CHALLENGE)
      if (!payload || !isSoundChallenge(payload)) return 'invalid'
      return over(payload, now) ?? readChallenge(payload, match.key.kid)
    },

    sealResponse(claims) {
      const key = keyring.activeAt(claims.issuedAt)
      const { kid } = key
      const payload = {
        iss: issuer,
        aud: claims.sitekey,
        iat: claims.issuedAt,
        exp: claims.expiresAt,
        jti: claims.jti,
        gen: claims.generation,
        hst: claims.hostname,
        act: claims.action,
        cts: claims.challengedAt,
        kee: claims.keepUntil,
        slc: seal(claims.sealed, key.seal, key.nextNonce(), boundTo(kid, claims.jti)),
        ...(claims.cdata !== undefined && { cda: claims.cdata }),
      }
      return signJws({ typ: RESPONSE, kid }, payload, key.response)
    },

    openResponse(token, sitekey, now) {
      const match = find(token, LONGEST_RESPONSE)
      if (!match) return 'invalid'
      const payload = open(match.jws, RESPONSE, match.key.response, OF_RESPONSE)
      if (payload?.aud !== sitekey || !isSoundResponse(payload)) return 'invalid'
      return over(payload, now) ?? readResponse(payload, match.key) ?? 'invalid'
    },

    sealTicket(claims) {
      const key = keyring.activeAt(claims.issuedAt)
      const { kid } = key
      const payload = {
        iss: issuer,
        aud: claims.sitekey,
        iat: claims.issuedAt,
        exp: claims.expiresAt,
        jti: claims.jti,
        gen: claims.generation,
        hst: claims.hostname,
        act: claims.action,
        kee: claims.keepUntil,
        slc: seal(claims.sealed, key.seal, key.nextNonce(), ticketBoundTo(kid, claims.jti)),
      }
      return signJws({ typ: TICKET, kid }, payload, key.ticket)
    },

    openTicket(ticket, sitekey, now) {
      const match = find(ticket, LONGEST_TICKET)
      if (!match) return 'invalid'
      const payload = open(match.jws, TICKET, match.key.ticket, OF_TICKET)
      if (payload?.aud !== sitekey || !isSoundTicket(payload)) return 'invalid'
      return over(payload, now) ?? readTicket(payload, match.key) ?? 'invalid'
    },

    markAddress(address, kid) {
      const key = kid === undefined ? keyring.activeAt(clock.now()) : keyring.byKid(kid)
      return key && markerOf(key)(address)
    },

    behaviourSeed(sitekey, kid) {
      const key = keyring.byKid(kid)
      if (!key) throw new RangeError('behaviourSeed wants the kid of an opened token')
      return seedsOf(key)(sitekey)
    },

    derive(purpose, input, kid) {
      const key = keyring.byKid(kid)
      if (!key) throw new RangeError('derive wants the kid of an opened token')
      return hmac(input, key[purpose])
    },

    activeKid: (now) => keyring.activeAt(now).kid,
  }
}

const boundTo = (kid: Kid, jti: string): string => `${kid}.${jti}`
/** A ticket has the id of a token: the sealed part of the one must not open in the other. */
const ticketBoundTo = (kid: Kid, jti: string): string => `${boundTo(kid, jti)}.ticket`

function over(payload: Payload, now: UnixSeconds): Unopened | undefined {
  return isExpired(unixSeconds(payload.exp), now, TOLERANCE) ? 'expired' : undefined
}

/** @param payload that is sound. */
function readChallenge(payload: Payload, kid: Kid): ChallengeClaims {
  const origin = payload['org'] as string
  return {
    jti: payload.jti as Jti,
    kid,
    sitekey: payload.aud as Sitekey,
    origin,
    hostname: parseOrigin(origin)!.hostname,
    action: payload['act'] as Action,
    cdata: payload['cda'] as string | undefined,
    generation: payload['gen'] as Generation,
    issuedAt: unixSeconds(payload.iat),
    expiresAt: unixSeconds(payload.exp),
    tokenLifetime: seconds(payload['tlt'] as number),
    pow: payload['pow'] as Pow,
    agent: (payload['agt'] as string | undefined) ?? '',
    address: readMark(payload['adr'] as string | undefined),
    proof: payload['prf'] as ProofVersion | undefined,
    ...(payload['stp'] !== undefined && { step: payload['stp'] as Jti }),
    namedAgent: payload['nam'] as string | undefined,
  }
}

function readResponse(payload: Payload, key: SigningKey): ResponseClaims | undefined {
  const jti = payload.jti as Jti
  const sealed = unseal(payload['slc'] as string, key.seal, boundTo(key.kid, jti))
  if (!sealed) return undefined
  return {
    jti,
    kid: key.kid,
    sitekey: payload.aud as Sitekey,
    hostname: payload['hst'] as Hostname,
    action: payload['act'] as Action,
    cdata: payload['cda'] as string | undefined,
    generation: payload['gen'] as Generation,
    challengedAt: unixSeconds(payload['cts'] as number),
    issuedAt: unixSeconds(payload.iat),
    expiresAt: unixSeconds(payload.exp),
    keepUntil: unixSeconds(payload['kee'] as number),
    sealed,
  }
}

function readTicket(payload: Payload, key: SigningKey): TicketClaims | undefined {
  const jti = payload.jti as Jti
  const sealed = unseal(payload['slc'] as string, key.seal, ticketBoundTo(key.kid, jti))
  if (!sealed) return undefined
  return {
    jti,
    kid: key.kid,
    sitekey: payload.aud as Sitekey,
    hostname: payload['hst'] as Hostname,
    action: payload['act'] as Action,
    generation: payload['gen'] as Generation,
    issuedAt: unixSeconds(payload.iat),
    expiresAt: unixSeconds(payload.exp),
    keepUntil: unixSeconds(payload['kee'] as number),
    sealed,
  }
}
