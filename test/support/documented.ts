import { CODES, type Code } from '../../src/domain/codes.ts'

/** An answer of the service, by whatever client it was fetched. */
export interface AnyAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

const REJECTED: Readonly<Record<string, readonly string[]>> = {
  'timeout-or-duplicate': [],
  'remoteip-mismatch': [],
  'action-mismatch': ['action'],
  'low-score': ['score', 'score_threshold'],
}
/** Fields that only some sites switch on, by code. */
const OPTED_IN: Readonly<Record<string, readonly string[]>> = { 'low-score': ['step_up', 'agent'] }
const ACCEPTED = ['action', 'challenge_ts', 'error-codes', 'hostname', 'score', 'score_threshold', 'success']

/**
 * What of an answer of the JSON API is not as docs/api/api.md documents it.
 *
 * @returns a sentence, or undefined: every field, the status and the headers are as documented.
 */
export function undocumented({ status, headers, text }: AnyAnswer): string | undefined {
  const says = (what: string): string => `${what}: ${status} ${text.slice(0, 300)}`
  if (headers.get('content-type') !== 'application/json; charset=utf-8') return says('not JSON')
  if (headers.get('cache-control') !== 'no-store') return says('may be kept')
  const body = readObject(text)
  if (!body) return says('not one JSON object')
  const { success, 'error-codes': codes } = body
  if (success === false) return failure(body, codes, status, headers, says)
  if (success === true) return isVerdict(body) && status === 200 ? undefined : says('not an acceptance as documented')
  // A challenge, a token or a state of health: none of them says "success".
  const known = [
    'challenge expires_in key work',
    'challenge expires_in key proof work',
    'expires_in token',
    'expires_in ticket',
    'status',
    'error-codes status',
  ]
  if (!known.includes(Object.keys(body).toSorted().join(' '))) return says('fields that are nowhere documented')
  return status === (body['status'] === 'unavailable' ? 503 : 200) ? undefined : says('another status')
}

function failure(
  body: Record<string, unknown>,
  codes: unknown,
  status: number,
  headers: Headers,
  says: (what: string) => string,
): string | undefined {
  if (!Array.isArray(codes) || codes.length === 0) return says('no error-codes')
  if (!codes.every((code) => Object.hasOwn(CODES, code as string) && CODES[code as Code] === status)) {
    return says('a code that does not travel on this status')
  }
  const optional = new Set(['success', 'error-codes', ...(OPTED_IN[codes[0] as string] ?? [])])
  const extra = Object.keys(body).filter((field) => !optional.has(field))
  if (extra.toSorted().join() !== (REJECTED[codes[0] as string] ?? []).join()) return says('other fields')
  const retries = status === 429 || status === 503
  if (retries !== /^[1-9]\d*$/.test(headers.get('retry-after') ?? '')) return says('Retry-After missing or idle')
  return undefined
}

const isVerdict = (body: Record<string, unknown>): boolean =>
  Object.keys(body)
    .filter((field) => field !== 'cdata')
    .toSorted()
    .join() === ACCEPTED.join() && JSON.stringify(body['error-codes']) === '[]'

function readObject(text: string): Record<string, unknown> | undefined {
  try {
    const body: unknown = JSON.parse(text)
    return body !== null && typeof body === 'object' && !Array.isArray(body) ? { ...body } : undefined
  } catch {
    return undefined
  }
}
