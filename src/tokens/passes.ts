import { randomBytes } from 'node:crypto'
import { errors, jwtVerify, SignJWT } from 'jose'
import type { PassClaims, PassKey } from '../claims/pass.ts'
import type { OpenPass } from '../claims/tokens.ts'
import type { Hostname, Jti, Kid, Sitekey } from '../domain/words.ts'
import { ID, LONGEST_TOKEN, MOMENT, TEXT, TOLERANCE, tokenKind } from './token-kind.ts'

/** As docs/widget/refused.md, "The pass", has it: a customer's library may add claims. */
const PASS = tokenKind<PassClaims>(
  'pass',
  {
    jti: ['jti', ID],
    action: ['action', TEXT],
    hostname: ['hostname', TEXT],
    issuedAt: ['iat', MOMENT],
    expiresAt: ['exp', MOMENT],
  },
  { additionalProperties: true },
)
const [alg, typ] = ['EdDSA', 'pass+jwt']

/** The private key of passes, which only the customer has. */
export interface PrivatePassKey extends PassKey {
  /** 32 bytes, base64url. */
  readonly d: string
}

/** Makes a pass, as any JWT library does. */
export function signPass(
  claims: Omit<PassClaims, 'jti'>,
  sitekey: Sitekey,
  { ...key }: PrivatePassKey,
): Promise<string> {
  const jti = randomBytes(16).toString('base64url') as Jti
  const payload = PASS.payloadOf({ ...claims, jti }, { aud: sitekey })
  return new SignJWT(payload).setProtectedHeader({ alg, typ, kid: key.kid }).sign(key)
}

/**
 * Verifies a pass by EdDSA with the public keys of its site: only the customer, who has the private one, makes them. The algorithm,
 * the type and the key are ours, never the token's choice; the header has exactly `alg`, `typ` and `kid`.
 */
export const openPass: OpenPass = async (token, { sitekey, passKeys }, now) => {
  if (token.length > LONGEST_TOKEN || !isCanonical(token.slice(token.lastIndexOf('.') + 1))) return 'invalid'
  // If the clock is not a number, every pass counts as expired.
  const currentDate = new Date(Number.isFinite(now) ? now * 1000 : 8.64e15)
  try {
    const { payload, protectedHeader } = await jwtVerify(
      token,
      (header) => {
        const key = passKeys.find(({ kid }) => kid === header.kid)
        if (!key || header.typ !== typ || Object.keys(header).length !== 3)
          throw new errors.JWSInvalid('not a header of ours')
        return key
      },
      { algorithms: [alg], audience: sitekey, clockTolerance: TOLERANCE, currentDate },
    )
    const claims = PASS.claimsIn(payload, protectedHeader.kid as Kid)
    return claims ? { ...claims, hostname: claims.hostname.toLowerCase() as Hostname } : 'invalid'
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
