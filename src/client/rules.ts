import { codesOf } from './codes-of.ts'
import type { Expectations } from './options.ts'
import { refused, type Rule, type Verification } from './verification.ts'

/** The rule behind each rejection of SPEC.md's table; a code that is not here failed `success`. */
const RULE_OF: Readonly<Record<string, Rule>> = {
  'timeout-or-duplicate': 'fresh',
  'action-mismatch': 'action',
  'low-score': 'score',
}

/**
 * The rules, in SPEC.md's order, on the body of a 200. Each looks at its own field and passes on nothing but the exact
 * value: a field that is missing or of another type fails its rule.
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
  const answer = body as Record<string, unknown>
  const codes = codesOf(body)
  const reasons = reasonsIn(answer['reasons'])
  const fails = (rule: Rule, why: string) => ({ ...refused(rule, why, codes), ...(rule === 'score' && reasons) })

  if (answer['success'] !== true) {
    const known = codes.find((code) => Object.hasOwn(RULE_OF, code))
    return fails(known === undefined ? 'success' : RULE_OF[known]!, `rejected: ${codes.join(', ') || 'no code'}`)
  }
  const given = answer['error-codes']
  if (!Array.isArray(given) || given.length > 0) return fails('error-codes', 'error-codes is not an empty list')
  if (answer['action'] !== action) return fails('action', 'the token is for another action')
  const hostname = typeof answer['hostname'] === 'string' ? answer['hostname'].toLowerCase() : undefined
  if (hostname === undefined || !hostnames.some((own) => own.toLowerCase() === hostname)) {
    return fails('hostname', 'the widget ran on a hostname that is not yours')
  }
  const { score, score_threshold: siteThreshold } = answer
  if (!isShare(score) || !isShare(siteThreshold)) return fails('score', 'score or score_threshold is no number, 0 to 1')
  if (!(score >= siteThreshold && score >= threshold)) return fails('score', `the score is ${score}`)
  const challengeTs = answer['challenge_ts']
  if (typeof challengeTs !== 'string' || !/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(challengeTs)) {
    return fails('shape', 'challenge_ts is not a time')
  }
  const cdata = typeof answer['cdata'] === 'string' ? answer['cdata'] : undefined
  return { accepted: true, score, hostname, action, challengeTs, cdata, ...reasons }
}

/** A list of words, or nothing: no rule depends on it. */
const reasonsIn = (given: unknown): { readonly reasons?: readonly string[] } =>
  Array.isArray(given) && given.every((each) => typeof each === 'string') ? { reasons: given } : {}

/** JSON has no NaN, but 1e999 is read as infinite, and that would pass every threshold. */
const isShare = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= 1
