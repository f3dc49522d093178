import { randomBytes } from 'node:crypto'
import type { PassClaims, PassKey } from '../claims/pass.ts'
import type { OpenPass } from '../claims/tokens.ts'
import type { Hostname, Jti, Sitekey } from '../domain/words.ts'
import { openJws, signJws } from './jws.ts'
import { ID, MOMENT, TEXT, tokenKind } from './token-kind.ts'

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
const HEADER = { alg: 'EdDSA', typ: 'pass+jwt' } as const

/** The private key of passes, which only the customer has. */
export interface PrivatePassKey extends PassKey {
  /** 32 bytes, base64url. */
  readonly d: string
}

/** Makes a pass, as any JWT library does. */
export function signPass(
  claims: Omit<PassClaims, 'jti'>,
  sitekey: Sitekey,
  key: PrivatePassKey,
): Promise<string> {
  const jti = randomBytes(16).toString('base64url') as Jti
  const payload = PASS.payloadOf({ ...claims, jti }, { aud: sitekey })
  return signJws(payload, { ...HEADER, kid: key.kid }, key)
}

/** Verifies a pass by EdDSA with the public keys of its site: only the customer, who has the private one, makes them. */
export const openPass: OpenPass = async (token, { sitekey, passKeys }, now) => {
  const keyOf = (kid: string) => passKeys.find((key) => key.kid === kid)
  const opened = await openJws(token, { ...HEADER, keyOf, audience: sitekey }, now)
  if (typeof opened === 'string') return opened
  const claims = PASS.claimsIn(opened.payload, opened.kid)
  return claims ? { ...claims, hostname: claims.hostname.toLowerCase() as Hostname } : 'invalid'
}
