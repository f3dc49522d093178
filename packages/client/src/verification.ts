import { codesOf } from './ask.ts'
import type { Expectations } from './options.ts'

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
  /** With `retryable`: what happened. */
  readonly trouble?: Trouble
  /** With `retryable`, where the service says it: seconds until a new try makes sense. */
  readonly retryAfter?: number
  /** With the rule `score`, where the service says it. For your log, never for the visitor. */
  readonly lowScore?: LowScore
  /** With the rule `score`, where the site has `step_up: ticket`: for the visitor's second try. docs/widget/refused.md */
  readonly stepUp?: string
  /** With the rule `score`, where the site has `reasons: true`; never for the visitor. */
  readonly reasons?: readonly string[]
  /** With the rule `score`, where the site has `agents: true` and a named agent was refused. */
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
export const troubled = (refusal: Refusal, trouble: Trouble, retryAfter?: number): Refusal => ({
  ...refusal,
  retryable: true,
  trouble,
  ...(retryAfter !== undefined && { retryAfter }),
})

/** The rule behind each rejection; a code that is not here failed `success`. docs/api/api.md, "Every code". */
const RULE_OF = {
  'timeout-or-duplicate': 'fresh',
  'action-mismatch': 'action',
  'low-score': 'score',
} as const

/**
 * The rules in the order of docs/api/api.md, "Validation rules", on the body of a 200. Each looks at its own
 * field and passes on nothing but the exact value: a field that is missing or of another type fails its rule.
 *
 * @param body JSON that was parsed; undefined when it was none.
 */
export function applyRules(
  body: unknown,
  { action, hostnames, threshold }: Expectations & { readonly threshold: number },
): Verification {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) {
    return refused('shape', 'the service did not answer with a JSON object')
  }
  const codes = codesOf(body)
  // Nothing is certain of a member.
  const answer = body as Readonly<Record<string, unknown>>
  const {
    success,
    hostname,
    score,
    score_threshold: siteThreshold,
    challenge_ts: challengeTs,
    cdata,
  } = answer
  const { reasons, agent, step_up: ticket } = answer
  const facts = { ...(isList(reasons) && { reasons }), ...(typeof agent === 'string' && { agent }) }
  const lowScore =
    isShare(score) && isShare(siteThreshold) ? { score, threshold: siteThreshold } : undefined
  const stepUp = typeof ticket === 'string' && ticket !== '' ? { stepUp: ticket } : {}
  const fails = (rule: Rule, why: string) => ({
    ...refused(rule, why, codes),
    ...(rule === 'score' && { ...(lowScore && { lowScore }), ...stepUp, ...facts }),
  })

  if (success !== true) {
    const cause = codes.find((code): code is keyof typeof RULE_OF => Object.hasOwn(RULE_OF, code))
    const how =
      cause === 'low-score' && lowScore
        ? ` (${lowScore.score}, threshold ${lowScore.threshold})`
        : ''
    return fails(
      cause === undefined ? 'success' : RULE_OF[cause],
      `rejected: ${codes.join(', ') || 'no code'}${how}`,
    )
  }
  const list = answer['error-codes']
  if (!Array.isArray(list) || list.length > 0)
    return fails('error-codes', 'error-codes is not an empty list')
  if (answer['action'] !== action) return fails('action', 'the token is for another action')
  const own = typeof hostname === 'string' ? hostname.toLowerCase() : undefined
  if (own === undefined || !hostnames.some((each) => each.toLowerCase() === own)) {
    return fails('hostname', 'the widget ran on a hostname that is not yours')
  }
  if (!isShare(score) || !isShare(siteThreshold))
    return fails('score', 'score or score_threshold is no number, 0 to 1')
  if (!(score >= siteThreshold && score >= threshold))
    return fails(
      'score',
      `the score is ${score}; the threshold of the site is ${siteThreshold}, of this handler ${threshold}`,
    )
  if (typeof challengeTs !== 'string' || !/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(challengeTs)) {
    return fails('shape', 'challenge_ts is not a time')
  }
  const given = typeof cdata === 'string' ? cdata : undefined
  return { accepted: true, score, hostname: own, action, challengeTs, cdata: given, ...facts }
}

const isList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string')

/** JSON has no NaN, but 1e999 is read as infinite, and that would pass every threshold. */
const isShare = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && value <= 1
