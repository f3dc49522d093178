import { SignJWT } from 'jose'
import { later } from '../domain/words.ts'
import type { Receipts } from '../ports/tokens.ts'
import type { Keyring } from './keyring.ts'

const ALGORITHM = 'EdDSA'
const TYPE = 'hv-receipt+jwt'
/** Version of the claims; a change that a checker could misread takes the next number. docs/api/receipt.md */
const VERSION = 1
/** Seconds a receipt outlives the response token it is for: time to hand it on. */
const HANDOVER = 60

interface Parts {
  readonly keyring: Keyring
  /** As in the tokens. */
  readonly issuer: string
}

/**
 * Receipts with Ed25519: every holder of the public keys can check them, and nobody but us can make them.
 *
 * Nothing in a receipt depends on when it is signed, so a repeat of a siteverify request (`idempotency_key`) gives the
 * very same one. It is signed with the key that sealed the response token.
 */
export function jwsReceipts({ keyring, issuer }: Parts): Receipts {
  return {
    sign(claims) {
      const key = keyring.byKid(claims.kid) ?? keyring.activeAt(claims.issuedAt)
      return new SignJWT({
        v: VERSION,
        iss: issuer,
        aud: claims.sitekey,
        iat: claims.issuedAt,
        exp: later(claims.expiresAt, HANDOVER),
        jti: claims.jti,
        hostname: claims.hostname,
        action: claims.action,
        score: claims.sealed.decision.score,
        ...(claims.cdata !== undefined && { cdata: claims.cdata }),
      })
        .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, kid: key.kid })
        .sign(key.receipt.signs)
    },
    keys: () => ({ keys: keyring.all().map((key) => key.receipt.published) }),
  }
}
