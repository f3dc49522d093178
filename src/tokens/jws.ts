/** Signs and opens JSON Web Signatures (RFC 7515) by jose: all that are the service's own, and the passes of its customers. */
import { type CryptoKey, errors, type JWK, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import type { Unopened } from '../claims/tokens.ts'
import { hasOneSpelling } from '../domain/one-spelling.ts'
import type { Kid, UnixSeconds } from '../domain/words.ts'

/** Characters of the longest token. docs/api/api.md, "Tokens" */
export const LONGEST_TOKEN = 2048
/** Seconds our own clocks may differ; the ledger judges exactly, by its own. */
const TOLERANCE = 5

/** The header of a token: it has these members and no others. */
export interface JwsHeader {
  readonly alg: 'HS256' | 'EdDSA'
  /** The kind of token: one kind never opens as another. */
  readonly typ: `${string}+jwt`
  readonly kid: string
}

type Key = CryptoKey | JWK

export const signJws = (payload: JWTPayload, header: JwsHeader, key: Key): Promise<string> =>
  new SignJWT(payload).setProtectedHeader({ ...header }).sign(key)

/** What a token has to be. The algorithm, the kind and the key are ours, never the token's choice. */
export interface Expected extends Pick<JwsHeader, 'alg' | 'typ'> {
  /** Returns the key with this id; undefined if there is none. */
  readonly keyOf: (kid: string) => Key | Promise<Key> | undefined
  /** If omitted: any, or none. */
  readonly issuer?: string | undefined
  /** If omitted: any, or none. */
  readonly audience?: string | undefined
}

/**
 * Verifies the signature of a token, its header, issuer, audience and times. jose does what a JWS asks for; the length, the
 * members of the header and the spelling are stricter here than the standard.
 */
export async function openJws(
  token: string,
  { alg, typ, keyOf, issuer, audience }: Expected,
  now: UnixSeconds,
): Promise<{ readonly payload: JWTPayload; readonly kid: Kid } | Unopened> {
  if (token.length > LONGEST_TOKEN || !hasOneSpelling(token)) return 'invalid'
  try {
    const { payload, protectedHeader } = await jwtVerify(
      token,
      (header) => {
        const key =
          header.typ === typ && Object.keys(header).length === 3 ? keyOf(header.kid!) : undefined
        if (!key) throw new errors.JWSInvalid('not a header of ours')
        return key
      },
      {
        algorithms: [alg],
        ...(issuer !== undefined && { issuer }),
        ...(audience !== undefined && { audience }),
        clockTolerance: TOLERANCE,
        currentDate: dateOf(now),
      },
    )
    return { payload, kid: protectedHeader.kid as Kid }
  } catch (error) {
    if (error instanceof errors.JWTExpired) return 'expired'
    if (error instanceof errors.JOSEError) return 'invalid'
    throw error
  }
}

/** If the clock is not a number, every token counts as expired. */
const dateOf = (now: UnixSeconds): Date => new Date(Number.isFinite(now) ? now * 1000 : 8.64e15)
