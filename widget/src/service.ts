import type { ChallengeAnswer, ChallengeRequest, SolveAnswer, TicketAnswer } from '../../src/wire.ts'
import { after, request } from './clock.ts'
import type { ErrorNumber } from './errors.ts'
import { bare } from './options.ts'

/** Outcome of a call. `again`: the challenge has expired, a new one will do. */
export type Reply<T> =
  | { readonly is: 'answer'; readonly answer: T }
  | { readonly is: 'again' }
  /** 429 and 503; `waitMs` is undefined where the page may not read `Retry-After`. */
  | { readonly is: 'busy'; readonly waitMs: number | undefined; readonly code: ErrorNumber }
  | { readonly is: 'unreachable'; readonly code: ErrorNumber }
  | { readonly is: 'refused'; readonly code: ErrorNumber }

/** Body of a solve. The same text again gives the same token again; anything else would be refused. */
export interface SolveBody {
  readonly challenge: string
  readonly solution: string
  /** JSON text. */
  readonly signals: string
  /** The ticket of a second try, which its challenge was issued for; empty: none. */
  readonly ticket: string
  /** `1`: a ticket may come in place of a token. */
  readonly step_up: '1' | ''
}

export type Service = ReturnType<typeof serviceAt>

/** A token, or a ticket in its place. */
export type Solved = Partial<SolveAnswer & TicketAnswer> & Pick<SolveAnswer, 'expires_in'>

/** Milliseconds after which a call counts as lost. */
const TIMEOUT_MS = 10_000

/**
 * The service as a page can reach it.
 *
 * @param base its address, with a slash at the end.
 */
export function serviceAt(base: string) {
  async function call<T>(path: string, fields: object, stop: AbortSignal, fault: Check<T>): Promise<Reply<T>> {
    await shown()
    const timeout = new AbortController()
    const abort = (): void => timeout.abort()
    const cancel = after(TIMEOUT_MS, abort)
    stop.addEventListener('abort', abort)
    // A repeat of a call that was stopped: `abort` does not come again.
    if (stop.aborted) abort()
    try {
      const response = await request(`${base}api/v1/${path}`, {
        method: 'POST',
        // A form needs no preflight; JSON would.
        body: new URLSearchParams(Object.entries(fields).filter(([, value]) => value)),
        mode: 'cors',
        credentials: 'omit',
        cache: 'no-store',
        redirect: 'error',
        // The origin is sent anyway; with `no-referrer` some browsers write `Origin: null`.
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
    challenge: (fields: ChallengeRequest, stop: AbortSignal) => call('challenge', fields, stop, challengeFault),
    solve: (fields: SolveBody, stop: AbortSignal) => call('solve', fields, stop, tokenFault),
  }
}

/** A page that is prerendered may never be seen: nothing is asked before it is. */
async function shown(): Promise<void> {
  const page = globalThis.document as (Document & { readonly prerendering?: boolean }) | undefined
  if (page?.prerendering) await new Promise((seen) => page.addEventListener('prerenderingchange', seen, { once: true }))
}

/** @returns what is wrong with the body of an answer; undefined: nothing. */
type Check<T> = (body: Partial<T>) => ErrorNumber | undefined

/** The shape of a compact JWS: whatever the page does with a token, it is no code. */
export const JWS = /^[\w-]+\.[\w-]+\.[\w-]+$/

/** A challenge of a shape or an algorithm that is unknown here comes of a service that is newer than this script. */
const challengeFault: Check<ChallengeAnswer> = ({ challenge, work, expires_in }) => {
  if (typeof challenge !== 'string') return 204
  const isKnown = /^(s32\.1|pb\.1)$/.test(String(work?.a)) && work!.n > 0 && work!.s > 0 && expires_in! > 0
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

/** Reads an answer of the service: docs/api/api.md, "Every code". */
export function readReply<T>(status: number, retryAfter: string | null, body: unknown, fault: Check<T>): Reply<T> {
  const answer = bare(body) as Partial<T> & { 'error-codes'?: unknown }
  if (status === 200) {
    const code = fault(answer)
    return code ? { is: 'refused', code } : { is: 'answer', answer: answer as T }
  }
  if (status === 429 || status === 503) {
    const seconds = retryAfter === null ? NaN : Number(retryAfter)
    return { is: 'busy', waitMs: seconds >= 0 ? seconds * 1000 : undefined, code: status === 429 ? 202 : 203 }
  }
  const codes = answer['error-codes']
  const code = Array.isArray(codes) ? String(codes[0]) : ''
  if (/(challenge|ticket)(-expired)?$/.test(code)) return { is: 'again' }
  // 500 to 504: a proxy whose service is being replaced answers like this for a moment.
  if (status >= 500) return { is: 'unreachable', code: 203 }
  return { is: 'refused', code: REFUSALS[code] ?? (code ? 105 : 204) }
}
