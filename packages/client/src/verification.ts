/**
 * Why a visitor was refused. The first six are rules 1 to 6 of docs/api/api.md, "Validation rules"; rule 7, no second try of a
 * token, needs no name: every call has its own idempotency key, so a second try fails `fresh`. The others say why no rule applied.
 */
export type Rule =
  | 'success'
  | 'error-codes'
  | 'action'
  | 'hostname'
  | 'score'
  | 'fresh'
  /** The call lacks something; no request was made. */
  | 'options'
  /** The form carried no token; no request was made. */
  | 'response'
  /** No whole answer in time. */
  | 'transport'
  /** Another status than 200. */
  | 'status'
  /** Status 200, but not the answer of docs/api/api.md, "POST /api/v1/siteverify". */
  | 'shape'

/** A visitor who passed every rule. */
export interface Human {
  readonly accepted: true
  /** 0 to 1, higher is more likely human. */
  readonly score: number
  /** Where the widget ran: one of yours, lowercase. */
  readonly hostname: string
  readonly action: string
  /** `YYYY-MM-DD HH:MM:SS`, UTC: when the challenge was issued. */
  readonly challengeTs: string
  /** What the page gave in `data-cdata`. */
  readonly cdata: string | undefined
  /** Why the score is no higher, where the site has `reasons: true`; never for the visitor. */
  readonly reasons?: readonly string[]
  /** Name of the agent that asked, where the site has `agents: true` and it is one of the configuration's. */
  readonly agent?: string
}

/**
 * Why the service could not judge. `busy`: it was asked too often (429). `unavailable`: it, or its store, is out of order
 * (500 to 599). `time-out`: no answer within `timeout`. `unreachable`: no connection, or it broke off.
 */
export type Trouble = 'busy' | 'unavailable' | 'time-out' | 'unreachable'

/** How close a refused visitor came. Not named `score`, lest it be compared without checking `accepted`. */
export interface LowScore {
  /** 0 to 1, higher is more likely human. */
  readonly score: number
  /** The site's threshold, 0 to 1; a handler's own `threshold` may be higher. */
  readonly threshold: number
}

export interface Refusal {
  readonly accepted: false
  readonly rule: Rule
  /** What the service said, if anything. */
  readonly codes: readonly string[]
  /** A sentence for your log, never for the visitor; it has no secret and no token. */
  readonly why: string
  /**
   * True if the service could not judge, and a new try may pass: say "temporarily unavailable" with status 503 instead of
   * "could not process" with 422. The operation must not run either way.
   */
  readonly retryable: boolean
  /** What happened, if `retryable`. */
  readonly trouble?: Trouble
  /** Seconds until a new try makes sense, if `retryable` and the service says it. */
  readonly retryAfter?: number
  /** Comes with the rule `score`, if the service says it. For your log, never for the visitor. */
  readonly lowScore?: LowScore
  /** Comes with the rule `score`, if the site has `step_up: ticket`: for the visitor's second try. docs/widget/refused.md */
  readonly stepUp?: string
  /** Comes with the rule `score`, if the site has `reasons: true`; never for the visitor. */
  readonly reasons?: readonly string[]
  /** Comes with the rule `score`, if the site has `agents: true` and a named agent was refused. */
  readonly agent?: string
}

export type Verification = Human | Refusal

export const refused = (rule: Rule, why: string, codes: readonly string[] = []): Refusal => ({
  accepted: false,
  rule,
  codes,
  why,
  retryable: false,
})

/** The service could not judge: the visitor may try again. @param retryAfter seconds. */
export const withTrouble = (refusal: Refusal, trouble: Trouble, retryAfter?: number): Refusal => ({
  ...refusal,
  retryable: true,
  trouble,
  ...(retryAfter !== undefined && { retryAfter }),
})
