/** The header of one of our tokens; exactly these three members. */
export interface Header {
  readonly alg: string
  readonly typ: string
  readonly kid: string
}

/**
 * Reads a token's header, and refuses every spelling but the canonical one.
 *
 * A token is three base64url parts, and base64url lets several texts stand for the same bytes (unused bits of the last
 * character, padding, white space). Each part must re-encode to itself, so one token has one spelling (THREATS.md, T14).
 * A header that names a key or an extension (`jwk`, `jku`, `x5c`, `crit`, `zip`, …) is refused: nothing but
 * `alg`, `typ` and `kid` is ever there in a token of ours.
 *
 * @param longest characters.
 */
export function readHeader(token: string, longest: number): Header | undefined {
  if (token.length > longest) return undefined
  const parts = token.split('.')
  if (parts.length !== 3 || !parts.every(isCanonical)) return undefined
  let header: unknown
  try {
    header = JSON.parse(Buffer.from(parts[0]!, 'base64url').toString('utf8'))
  } catch {
    return undefined
  }
  if (header === null || typeof header !== 'object') return undefined
  const { alg, typ, kid, ...others } = header as Record<string, unknown>
  if (typeof alg !== 'string' || typeof typ !== 'string' || typeof kid !== 'string') return undefined
  return Object.keys(others).length === 0 ? { alg, typ, kid } : undefined
}

const isCanonical = (part: string): boolean =>
  part.length > 0 && Buffer.from(part, 'base64url').toString('base64url') === part
