/** Passes as a customer makes them, with a key pair of the tests. */
import { randomBytes } from 'node:crypto'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import type { PassKey } from '../../src/claims/pass.ts'
import { SITEKEY } from './app.ts'

const pair = await generateKeyPair('EdDSA', { extractable: true })

export const PASS_PRIVATE_KEY = { ...(await exportJWK(pair.privateKey)), kid: 'pass-1' }

export const PASS_KEY: PassKey = {
  kty: 'OKP',
  crv: 'Ed25519',
  kid: 'pass-1',
  x: (await exportJWK(pair.publicKey)).x!,
}

/** A genuine pass, but for what a test changes; `undefined` leaves a claim out. */
export function pass(
  change: Record<string, unknown> = {},
  now = Math.floor(Date.now() / 1000),
): Promise<string> {
  const jti = randomBytes(16).toString('base64url')
  const claims = {
    aud: SITEKEY,
    action: 'sign-up',
    hostname: 'shop.example.com',
    iat: now,
    exp: now + 1800,
    jti,
  }
  return new SignJWT({ ...claims, ...change })
    .setProtectedHeader({ alg: 'EdDSA', typ: 'pass+jwt', kid: PASS_KEY.kid })
    .sign(pair.privateKey)
}
