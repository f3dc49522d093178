/**
 * Reports whether the signature of a token is the one base64url spelling of its bytes: decoders ignore the unused bits of the
 * last character. The other parts are what is signed, so such a token has one spelling, and what is counted by the token is
 * counted once (docs/design/threats.md#t14).
 */
export function hasOneSpelling(token: string): boolean {
  const signature = token.slice(token.lastIndexOf('.') + 1)
  return Buffer.from(signature, 'base64url').toString('base64url') === signature
}
