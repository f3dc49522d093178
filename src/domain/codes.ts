import { memoize } from './memoize.ts'
import type { Seconds } from './words.ts'

/** Every code that the API can return, with its HTTP status. docs/api/api.md, "Every code". */
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
/** Codes of requests that were judged and refused: always HTTP 200. */
export type Rejection = { [C in Code]: (typeof CODES)[C] extends 200 ? C : never }[Code]
/** Codes of requests that could not be judged: every other status. */
export type FaultCode = Exclude<Code, Rejection>

export interface FaultOptions extends ErrorOptions {
  /** Seconds until a retry makes sense; sent as `Retry-After` with 429 and 503. */
  readonly retryAfter?: Seconds
}

/**
 * A request that could not be judged: 400 to 503. `cause` is for our log, never for the customer. It has several codes only if
 * several required fields are missing.
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

  /**
   * Returns the one fault of a code, for refusals without a cause: capturing a stack takes 20 µs. It is frozen, and its stack
   * names no caller, since it would be the first one's.
   */
  static readonly of = memoize(sharedFault, Object.keys(CODES).length)
}

function sharedFault(code: FaultCode): Fault {
  const fault = new Fault(code)
  fault.stack = String(fault)
  return Object.freeze(fault)
}
