/**
 * Why a visitor was refused. The first six are rules 1 to 6 of SPEC.md, "Validation rules"; rule 7, no second try of a
 * token, needs no name: every call asks under a key of its own, so a second try is `fresh`. The others say that there
 * was nothing to apply the rules to.
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
  /** Status 200, but not SPEC.md's verification response. */
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
}

export interface Refusal {
  readonly accepted: false
  readonly rule: Rule
  /** What the service said, if anything. */
  readonly codes: readonly string[]
  /** A sentence for your log, never for the visitor; it holds no secret and no token. */
  readonly why: string
  /** With the rule `score`, where the site has `reasons: true`; never for the visitor. */
  readonly reasons?: readonly string[]
}

export type Verification = Human | Refusal

export const refused = (rule: Rule, why: string, codes: readonly string[] = []): Refusal => ({
  accepted: false,
  rule,
  codes,
  why,
})
