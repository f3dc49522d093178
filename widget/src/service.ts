import type {
  ChallengeAnswer,
  ChallengeRequest,
  SolveAnswer,
  TicketAnswer,
} from '../../src/wire.ts'
import { after, request } from './clock.ts'
import type { ErrorNumber } from './errors.ts'
import { bare } from './options.ts'

/** The result of a call. `again`: the challenge has expired; request another one. */
export type Reply<T> =
  | { readonly is: 'answer'; readonly answer: T }
  | { readonly is: 'again' }
  /** 429 and 503; `waitMs` is undefined where the page may not read `Retry-After`. */
  | { readonly is: 'busy'; readonly waitMs: number | undefined; readonly code: ErrorNumber }
  | { readonly is: 'unreachable'; readonly code: ErrorNumber }
  | { readonly is: 'refused'; readonly code: ErrorNumber }

/** The body of a solve request. The service answers the same body with the same token, and refuses others for that challenge. */
export interface SolveBody {
  readonly challenge: string
  readonly solution: string
  /** JSON text. */
  readonly signals: string
  /** The ticket of a second try; empty: none. */
  readonly ticket: string
  /** `1`: the service may answer with a ticket instead of a token. */
  readonly step_up: '1' | ''
}

export type Service = ReturnType<typeof serviceAt>

/** A token, or a ticket. */
export type Solved = Partial<SolveAnswer & TicketAnswer> & Pick<SolveAnswer, 'expires_in'>

const TIMEOUT_MS = 10_000

/** Calls the service at an address that ends with a slash. */
export function serviceAt(base: string) {
  async function call<T>(
    path: string,
    fields: object,
    stop: AbortSignal,
    fault: Check<T>,
  ): Promise<Reply<T>> {
    await whenShown()
    const timeout = new AbortController()
    const abort = (): void => timeout.abort()
    const cancel = after(TIMEOUT_MS, abort)
    stop.addEventListener('abort', abort)
    // A retry after the abort: there is no second event.
    if (stop.aborted) abort()
    try {
      const response = await request(`${base}api/v1/${path}`, {
        method: 'POST',
        // A form needs no preflight.
        body: new URLSearchParams(Object.entries(fields).filter(([, value]) => value)),
        mode: 'cors',
        credentials: 'omit',
        cache: 'no-store',
        redirect: 'error',
        // With `no-referrer` some browsers send `Origin: null`.
        referrerPolicy: 'origin',
        signal: timeout.signal,
      })
      const body: unknown = await response.json().catch(() => undefined)
      return readReply(response.status, response.headers.get('retry-after'), body, fault)
    } catch {
      return { is: 'unreachable', code: timeout.signal.aborted ? 201 : 200 }
    } finally {
      cancel()
      stop.removeEventListener('abort', abort)
    }
  }
  return {
    challenge: (fields: ChallengeRequest, stop: AbortSignal) =>
      call('challenge', fields, stop, challengeFault),
    solve: (fields: SolveBody, stop: AbortSignal) => call('solve', fields, stop, tokenFault),
  }
}

/** Waits until a prerendered page is shown, since it may never be. */
async function whenShown(): Promise<void> {
  const page = globalThis.document as (Document & { readonly prerendering?: boolean }) | undefined
  if (page?.prerendering)
    await new Promise((seen) => page.addEventListener('prerenderingchange', seen, { once: true }))
}

/** Returns the error of a body; undefined if it is valid. */
type Check<T> = (body: Partial<T>) => ErrorNumber | undefined

/** A compact JWS. */
export const JWS = /^[\w-]+\.[\w-]+\.[\w-]+$/

/** A challenge of an unknown shape or algorithm comes from a service that is newer than this script. */
const challengeFault: Check<ChallengeAnswer> = ({ challenge, work, expires_in }) => {
  if (typeof challenge !== 'string') return 204
  const isKnown =
    /^(s32\.1|pb\.1)$/.test(String(work?.a)) && work!.n > 0 && work!.s > 0 && expires_in! > 0
  return isKnown ? undefined : 105
}
const tokenFault: Check<Solved> = ({ token, ticket, expires_in }) =>
  JWS.test(String(ticket ?? token)) && expires_in! > 0 ? undefined : 204

const REFUSALS = bare({
  'missing-input-sitekey': 100,
  'invalid-input-sitekey': 102,
  'hostname-not-allowed': 103,
  'action-not-allowed': 104,
  'invalid-input-solution': 301,
}) as Readonly<Record<string, ErrorNumber>>

/** Reads a response. docs/api/api.md, "Every code" */
export function readReply<T>(
  status: number,
  retryAfter: string | null,
  body: unknown,
  fault: Check<T>,
): Reply<T> {
  const answer = bare(body) as Partial<T> & { 'error-codes'?: unknown }
  if (status === 200) {
    const code = fault(answer)
    return code ? { is: 'refused', code } : { is: 'answer', answer: answer as T }
  }
  if (status === 429 || status === 503)
    return { is: 'busy', waitMs: waitMsIn(retryAfter), code: status === 429 ? 202 : 203 }
  const codes = answer['error-codes']
  const code = Array.isArray(codes) ? String(codes[0]) : ''
  if (/(challenge|ticket)(-expired)?$/.test(code)) return { is: 'again' }
  // 500 to 504, such as from a proxy while the service restarts.
  if (status >= 500) return { is: 'unreachable', code: 203 }
  return { is: 'refused', code: REFUSALS[code] ?? (code ? 105 : 204) }
}

function waitMsIn(retryAfter: string | null): number | undefined {
  const seconds = retryAfter === null ? NaN : Number(retryAfter)
  return seconds >= 0 ? seconds * 1000 : undefined
}
