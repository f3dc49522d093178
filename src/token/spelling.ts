/** The header of one of our tokens; exactly these three members. */
export interface Header {
  readonly alg: string
  readonly typ: string
  readonly kid: string
}

/** A token taken apart: nothing of it is believed yet but that this is how it must be spelled. */
export interface SpelledJws {
  readonly header: Header
  /** The text under the signature: header and payload as they are spelled. */
  readonly signed: string
  readonly payload: Buffer
  readonly signature: Buffer
}

/** Every token of one kind and key has the same header: its reading is kept, and all are forgotten when there are so many. */
const MOST_KEPT = 64
const headers = new Map<string, Header>()

/**
 * Takes a token apart, and refuses every spelling but the canonical one.
 *
 * A token is three base64url parts, and base64url lets several texts stand for the same bytes (unused bits of the last
 * character, padding, white space). Each part must re-encode to itself, so one token has one spelling (docs/design/threats.md#t14).
 * A header that names a key or an extension (`jwk`, `jku`, `x5c`, `crit`, `zip`, …) is refused: nothing but
 * `alg`, `typ` and `kid` is ever there in a token of ours.
 *
 * @param longest characters.
 */
export function readSpelling(token: string, longest: number): SpelledJws | undefined {
  if (token.length > longest) return undefined
  const first = token.indexOf('.')
  const last = token.lastIndexOf('.')
  const payload = decode(token.slice(first + 1, last))
  const signature = decode(token.slice(last + 1))
  const header = readHeader(token.slice(0, first))
  return payload && signature && header && { header, signed: token.slice(0, last), payload, signature }
}

/** @returns undefined for nothing, and for any spelling of the bytes but one. */
function decode(part: string): Buffer | undefined {
  const bytes = Buffer.from(part, 'base64url')
  return part.length > 0 && bytes.toString('base64url') === part ? bytes : undefined
}

function readHeader(part: string): Header | undefined {
  const hit = headers.get(part)
  if (hit) return hit
  const header = parseHeader(decode(part))
  if (!header) return undefined
  if (headers.size >= MOST_KEPT) headers.clear()
  headers.set(part, header)
  return header
}

function parseHeader(bytes: Buffer | undefined): Header | undefined {
  let header: unknown
  const text = String(bytes)
  try {
    header = JSON.parse(text)
  } catch {
    return undefined
  }
  // A member that is there twice, and any blank, is lost on the way there and back.
  if (header === null || typeof header !== 'object' || JSON.stringify(header) !== text) return undefined
  const { alg, typ, kid, ...others } = header as Record<string, unknown>
  if (typeof alg !== 'string' || typeof typ !== 'string' || typeof kid !== 'string') return undefined
  return Object.keys(others).length === 0 ? { alg, typ, kid } : undefined
}
