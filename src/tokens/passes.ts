import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { decodeProtectedHeader, SignJWT } from 'jose'
import type { PassClaims, PassKey } from '../domain/pass.ts'
import type { Action, Hostname, Jti, Sitekey, UnixSeconds } from '../domain/words.ts'
import type { OpenPass } from '../domain/ports/tokens.ts'
import { compile } from '../settings/json-schema.ts'
import { ID, MOMENT, openJwt, TEXT } from './tokens.ts'

/** The type of a pass in its header. docs/widget/refused.md, "The pass" */
const PASS_TYPE = 'pass+jwt'

interface Payload {
  readonly action: Action
  readonly hostname: string
  readonly iat: UnixSeconds
  readonly exp: UnixSeconds
  readonly jti: Jti
}

const CLAIMS = { action: TEXT, hostname: TEXT, iat: MOMENT, exp: MOMENT, jti: ID }
const checkPayload = compile<Payload>(
  { type: 'object', properties: CLAIMS, required: Object.keys(CLAIMS) },
  { all: false },
)

/** Verifies a pass by EdDSA with the public keys of its site: only the customer, who has the private one, makes them. */
export const openPass: OpenPass = async (response, { sitekey, passKeys }, now) => {
  if (!isPass(response)) return undefined
  return openJwt(response, {
    alg: 'EdDSA',
    typ: PASS_TYPE,
    keyOf: (kid) => passKeys.find((key) => key.kid === kid),
    read(payload) {
      const checked = checkPayload(payload)
      if (!checked.ok) return undefined
      const { action, hostname, iat, exp, jti } = checked.value
      return { jti, action, hostname: hostname.toLowerCase() as Hostname, issuedAt: iat, expiresAt: exp }
    },
    audience: sitekey,
    now,
  })
}

function isPass(response: string): boolean {
  try {
    return decodeProtectedHeader(response).typ === PASS_TYPE
  } catch {
    // jose's TypeError, for what has no header.
    return false
  }
}

/** The private key of passes, which only the customer has. */
export interface PrivatePassKey extends PassKey {
  /** 32 bytes, base64url. */
  readonly d: string
}

/** Makes a key pair. */
export function newPassKey(): PrivatePassKey {
  const { d, x } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  return { kty: 'OKP', crv: 'Ed25519', kid: randomBytes(6).toString('base64url'), x: x!, d: d! }
}

/** Makes a pass, as any JWT library does. */
export function signPass(
  { action, hostname, issuedAt, expiresAt }: Omit<PassClaims, 'jti'>,
  sitekey: Sitekey,
  key: PrivatePassKey,
): Promise<string> {
  return new SignJWT({ action, hostname })
    .setProtectedHeader({ alg: 'EdDSA', typ: PASS_TYPE, kid: key.kid })
    .setAudience(sitekey)
    .setIssuedAt(issuedAt)
    .setExpirationTime(expiresAt)
    .setJti(randomBytes(16).toString('base64url'))
    .sign({ ...key })
}
