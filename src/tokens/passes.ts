import type { PassClaims, PassKey } from '../claims/pass.ts'
import type { Hostname } from '../domain/words.ts'
import type { OpenPass } from '../claims/tokens.ts'
import { ID, MOMENT, TEXT, tokenKind } from './tokens.ts'

/** As docs/widget/refused.md, "The pass", has it: a customer's library may add claims. */
export const PASS = tokenKind<PassClaims>(
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
