import { randomBytes } from 'node:crypto'
import type { PassClaims, PassKey } from '../domain/pass.ts'
import type { Hostname, Jti, Sitekey } from '../domain/words.ts'
import type { OpenPass } from '../domain/ports/tokens.ts'
import { ID, MOMENT, TEXT, tokenKind } from './tokens.ts'

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
  { alg: 'EdDSA', additionalProperties: true },
)

/** Verifies a pass by EdDSA with the public keys of its site: only the customer, who has the private one, makes them. */
export const openPass: OpenPass = async (response, { sitekey, passKeys }, now) => {
  const keyOf = (kid: string): PassKey | undefined => passKeys.find((key) => key.kid === kid)
  const claims = await PASS.open(response, { keyOf, now, audience: sitekey })
  return typeof claims === 'string' ? claims : { ...claims, hostname: claims.hostname.toLowerCase() as Hostname }
}

/** The private key of passes, which only the customer has. */
export interface PrivatePassKey extends PassKey {
  /** 32 bytes, base64url. */
  readonly d: string
}

/** Makes a pass, as any JWT library does. */
export function signPass(claims: Omit<PassClaims, 'jti'>, sitekey: Sitekey, key: PrivatePassKey): Promise<string> {
  const jti = randomBytes(16).toString('base64url') as Jti
  return PASS.sign({ ...claims, jti }, { aud: sitekey }, key.kid, { ...key })
}
