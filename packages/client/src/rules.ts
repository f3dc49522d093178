import { codesOf } from './ask.ts'
import type { Expectations } from './options.ts'
import { type LowScore, refused, type Rule, type Verification } from './verification.ts'

/** The rule behind each rejection; a code that is not here failed `success`. docs/api/api.md, "Every code". */
const RULE_OF: Readonly<Record<string, Rule>> = {
  'timeout-or-duplicate': 'fresh',
  'action-mismatch': 'action',
  'low-score': 'score',
}

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
  const answer = body as Record<string, unknown>
  const codes = codesOf(body)
  const facts = { ...reasonsIn(answer['reasons']), ...agentIn(answer['agent']) }
  const lowScore = lowScoreIn(answer)
  const { step_up: ticket } = answer
  const stepUp = typeof ticket === 'string' && ticket !== '' ? { stepUp: ticket } : {}
  const fails = (rule: Rule, why: string) => ({
    ...refused(rule, why, codes),
    ...(rule === 'score' && { ...(lowScore && { lowScore }), ...stepUp, ...facts }),
  })

  if (answer['success'] !== true) {
    const cause = codes.find((code) => Object.hasOwn(RULE_OF, code))
    const how = cause === 'low-score' && lowScore ? ` (${lowScore.score}, threshold ${lowScore.threshold})` : ''
    return fails(cause === undefined ? 'success' : RULE_OF[cause]!, `rejected: ${codes.join(', ') || 'no code'}${how}`)
  }
  const list = answer['error-codes']
  if (!Array.isArray(list) || list.length > 0) return fails('error-codes', 'error-codes is not an empty list')
  if (answer['action'] !== action) return fails('action', 'the token is for another action')
  const hostname = typeof answer['hostname'] === 'string' ? answer['hostname'].toLowerCase() : undefined
  if (hostname === undefined || !hostnames.some((own) => own.toLowerCase() === hostname)) {
    return fails('hostname', 'the widget ran on a hostname that is not yours')
  }
  const { score, score_threshold: siteThreshold } = answer
  if (!isShare(score) || !isShare(siteThreshold)) return fails('score', 'score or score_threshold is no number, 0 to 1')
  if (!(score >= siteThreshold && score >= threshold))
    return fails('score', `the score is ${score}; the site wants ${siteThreshold}, this handler ${threshold}`)
  const challengeTs = answer['challenge_ts']
  if (typeof challengeTs !== 'string' || !/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(challengeTs)) {
    return fails('shape', 'challenge_ts is not a time')
  }
  const cdata = typeof answer['cdata'] === 'string' ? answer['cdata'] : undefined
  return { accepted: true, score, hostname, action, challengeTs, cdata, ...facts }
}

/** A list of words, or nothing: no rule depends on it. */
const reasonsIn = (value: unknown): { readonly reasons?: readonly string[] } =>
  Array.isArray(value) && value.every((each) => typeof each === 'string') ? { reasons: value } : {}

/** A name, or nothing: no rule depends on it. */
const agentIn = (value: unknown): { readonly agent?: string } => (typeof value === 'string' ? { agent: value } : {})

/** The score and the site's threshold of a refusal, if both are numbers from 0 to 1. */
const lowScoreIn = ({ score, score_threshold: threshold }: Record<string, unknown>): LowScore | undefined =>
  isShare(score) && isShare(threshold) ? { score, threshold } : undefined

/** JSON has no NaN, but 1e999 is read as infinite, and that would pass every threshold. */
const isShare = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= 1
