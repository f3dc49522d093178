import { createHmac, type webcrypto } from 'node:crypto'
import { errors, type JWTPayload, type JWTVerifyOptions, jwtVerify, SignJWT } from 'jose'
import { type AddressMark, parseAddress } from '../domain/address.ts'
import type { ChallengeClaims, Pow } from '../domain/challenge.ts'
import type { ProofVersion } from '../domain/proof/proof.ts'
import type { ResponseClaims } from '../domain/response.ts'
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
import type { Clock, Tokens, Unopened } from '../ports.ts'
import type { SigningKey, Keyring } from './keyring.ts'
import { seal, unseal } from './sealed.ts'
import { type Header, readHeader } from './spelling.ts'

const ALGORITHM = 'HS256'
const CHALLENGE = 'hv-challenge+jwt'
const RESPONSE = 'hv-response+jwt'
/** The issuer of instances without a `public_url`: they share a keyring, so they must share this too. */
export const DEFAULT_ISSUER = 'human-verification'
/** CONTRACT.md, section 4. */
export const LONGEST_RESPONSE = 2048
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

const sign = (key: webcrypto.CryptoKey, typ: string, kid: Kid, claims: JWTPayload): Promise<string> =>
  new SignJWT(claims).setProtectedHeader({ alg: ALGORITHM, typ, kid }).sign(key)

/** Seals and opens tokens with the keyring. HS256: the service is both issuer and verifier. */
export function jwsTokens({ keyring, issuer, clock }: Parts): Tokens {
  /** Signature, algorithm, type, issuer and required claims. Everything is fixed here; nothing is the token's choice. */
  async function open(
    token: string,
    header: Header,
    key: webcrypto.CryptoKey,
    options: JWTVerifyOptions,
  ): Promise<JWTPayload | undefined> {
    if (header.alg !== ALGORITHM || header.typ !== options.typ) return undefined
    try {
      // Expiry is judged by the caller, so that "over" and "not ours" are told apart; 'exp' is required all the same.
      const { payload } = await jwtVerify(token, key, {
        ...options,
        algorithms: [ALGORITHM],
        issuer,
        currentDate: new Date(0),
      })
      return payload
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined
      throw error
    }
  }

  function find(token: string, longest: number): { header: Header; key: SigningKey } | undefined {
    const header = readHeader(token, longest)
    const key = header && keyring.byKid(header.kid)
    return header && key && { header, key }
  }

  return {
    sealChallenge(claims) {
      const key = keyring.activeAt(claims.issuedAt)
      return sign(key.challenge, CHALLENGE, key.kid, {
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
        ...(claims.suspected > 0 && { sus: claims.suspected }),
        ...(claims.cdata !== undefined && { cda: claims.cdata }),
        ...(claims.proof !== undefined && { prf: claims.proof }),
      })
    },

    async openChallenge(token, now) {
      const found = find(token, LONGEST_CHALLENGE)
      if (!found) return 'invalid'
      const payload = await open(token, found.header, found.key.challenge, {
        typ: CHALLENGE,
        requiredClaims: ['iss', 'aud', 'iat', 'exp', 'jti', 'gen', 'org', 'act', 'tlt', 'pow'],
      })
      if (!payload) return 'invalid'
      return over(payload, now) ?? readChallenge(payload, found.key.kid)
    },

    sealResponse(claims) {
      const key = keyring.activeAt(claims.issuedAt)
      return sign(key.response, RESPONSE, key.kid, {
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
        slc: seal(claims.sealed, key.seal, boundTo(key.kid, claims.jti)),
        ...(claims.cdata !== undefined && { cda: claims.cdata }),
      })
    },

    async openResponse(token, sitekey, now) {
      const found = find(token, LONGEST_RESPONSE)
      if (!found) return 'invalid'
      const payload = await open(token, found.header, found.key.response, {
        typ: RESPONSE,
        audience: sitekey,
        requiredClaims: ['iss', 'aud', 'iat', 'exp', 'jti', 'gen', 'hst', 'act', 'cts', 'kee', 'slc'],
      })
      if (!payload) return 'invalid'
      return over(payload, now) ?? readResponse(payload, found.key) ?? 'invalid'
    },

    markAddress(address, kid) {
      const parsed = parseAddress(address)
      const key = kid === undefined ? keyring.activeAt(clock.now()) : keyring.byKid(kid)
      if (!parsed || !key) return undefined
      const keyed = (text: string): Buffer => createHmac('sha256', key.address).update(text).digest()
      const hash = Buffer.concat([keyed(`around ${parsed.truncated}`).subarray(0, 6), keyed(parsed.network)], 16)
      return { family: parsed.family, scope: parsed.scope, hash: hash.toString('base64url') } satisfies AddressMark
    },

    markBehaviour(text, kid) {
      const key = keyring.byKid(kid)
      if (!key) throw new RangeError('markBehaviour wants the kid of an opened token')
      return createHmac('sha256', key.behaviour).update(text).digest().toString('base64url', 0, 6)
    },

    derive(purpose, input, kid) {
      const key = keyring.byKid(kid)
      if (!key) throw new RangeError('derive wants the kid of an opened token')
      return createHmac('sha256', key[purpose]).update(input).digest()
    },

    activeKid: (now) => keyring.activeAt(now).kid,
  }
}

const boundTo = (kid: Kid, jti: string): string => `${kid}.${jti}`

function over(payload: JWTPayload, now: UnixSeconds): Unopened | undefined {
  return isExpired(unixSeconds(payload.exp!), now, TOLERANCE) ? 'expired' : undefined
}

/** What we signed has the shape we gave it; the signature is the check. */
function readChallenge(payload: JWTPayload, kid: Kid): ChallengeClaims {
  const origin = payload['org'] as string
  return {
    jti: payload.jti as Jti,
    kid,
    sitekey: payload.aud as Sitekey,
    origin,
    hostname: new URL(origin).hostname as Hostname,
    action: payload['act'] as Action,
    cdata: payload['cda'] as string | undefined,
    generation: payload['gen'] as Generation,
    issuedAt: unixSeconds(payload.iat!),
    expiresAt: unixSeconds(payload.exp!),
    tokenLifetime: seconds(payload['tlt'] as number),
    pow: payload['pow'] as Pow,
    suspected: (payload['sus'] as number | undefined) ?? 0,
    proof: payload['prf'] as ProofVersion | undefined,
  }
}

function readResponse(payload: JWTPayload, key: SigningKey): ResponseClaims | undefined {
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
    issuedAt: unixSeconds(payload.iat!),
    expiresAt: unixSeconds(payload.exp!),
    keepUntil: unixSeconds(payload['kee'] as number),
    sealed,
  }
}
