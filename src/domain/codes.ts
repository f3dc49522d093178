import type { Seconds } from './words.ts'

/** Every code the API can answer, with the one HTTP status it travels on. docs/api/api.md, "Every code". */
export const CODES = {
  'timeout-or-duplicate': 200,
  'action-mismatch': 200,
  'remoteip-mismatch': 200,
  'low-score': 200,
  'invalid-input-response': 200,
  'missing-input-secret': 400,
  'invalid-input-secret': 400,
  'missing-input-response': 400,
  'missing-input-sitekey': 400,
  'invalid-input-sitekey': 400,
  'hostname-not-allowed': 400,
  'action-not-allowed': 400,
  'invalid-input-challenge': 400,
  'challenge-expired': 400,
  'invalid-input-solution': 400,
  'invalid-input-ticket': 400,
  'ticket-expired': 400,
  'bad-request': 400,
  'not-found': 404,
  'method-not-allowed': 405,
  'payload-too-large': 413,
  'unsupported-media-type': 415,
  'rate-limit-exceeded': 429,
  'internal-error': 500,
  'database-unavailable': 503,
  'database-schema-outdated': 503,
  'rate-limiter-unavailable': 503,
} as const

export type Code = keyof typeof CODES
/** Judged and refused: half of a verdict, always HTTP 200. */
export type Rejection = { [C in Code]: (typeof CODES)[C] extends 200 ? C : never }[Code]
/** Could not be judged: every other status. */
export type FaultCode = Exclude<Code, Rejection>

export interface FaultOptions extends ErrorOptions {
  /** Seconds until asking again makes sense; sent as `Retry-After` with 429 and 503. */
  readonly retryAfter?: Seconds
}

/**
 * Could not be judged: 400 to 503. `cause` is for our log, never for the customer.
 *
 * Several codes only when several required fields are missing.
 */
export class Fault extends Error {
  readonly codes: readonly [FaultCode, ...FaultCode[]]
  readonly status: number
  readonly retryAfter: Seconds | undefined

  constructor(code: FaultCode | readonly [FaultCode, ...FaultCode[]], options: FaultOptions = {}) {
    const codes = typeof code === 'string' ? ([code] as const) : code
    super(codes.join(', '), options)
    this.name = 'Fault'
    this.codes = codes
    this.status = CODES[codes[0]]
    this.retryAfter = options.retryAfter
  }

  get code(): FaultCode {
    return this.codes[0]
  }
}
