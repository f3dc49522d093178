import { codesOf } from './ask.ts'
import { type Expectations, isShare } from './options.ts'
import { type Human, type LowScore, refused, type Rule, type Verification } from './verification.ts'

interface Expected extends Expectations {
  /** 0 to 1. */
  readonly threshold: number
}

/** An answer of siteverify. Nothing is certain of a member. */
type Answer = Readonly<Record<string, unknown>>

interface Failure {
  readonly rule: Rule
  readonly why: string
}

/**
 * The rules 2 to 5 of docs/api/api.md, "Validation rules", in their order, and the last, that the rest is as documented. Each looks
 * at its own field and passes on nothing but the exact value: a field that is missing or of another type fails its rule.
 */
const RULES: readonly {
  readonly rule: Rule
  /** Returns why the answer fails the rule; undefined if it passes. */
  readonly failure: (answer: Answer, expected: Expected) => string | undefined
}[] = [
  {
    rule: 'error-codes',
    failure: ({ 'error-codes': codes }) =>
      Array.isArray(codes) && codes.length === 0 ? undefined : 'error-codes is not an empty list',
  },
  {
    rule: 'action',
    failure: ({ action }, expected) =>
      action === expected.action ? undefined : 'the token is for another action',
  },
  {
    rule: 'hostname',
    failure: ({ hostname }, { hostnames }) =>
      typeof hostname === 'string' &&
      hostnames.some((each) => each.toLowerCase() === hostname.toLowerCase())
        ? undefined
        : 'the widget ran on a hostname that is not yours',
  },
  {
    rule: 'score',
    failure({ score, score_threshold: ofSite }, { threshold }) {
      if (!isShare(score) || !isShare(ofSite))
        return 'score or score_threshold is no number, 0 to 1'
      return score >= ofSite && score >= threshold
        ? undefined
        : `the score is ${score}; the threshold of the site is ${ofSite}, of this handler ${threshold}`
    },
  },
  {
    rule: 'shape',
    failure: ({ challenge_ts: time }) =>
      typeof time === 'string' && /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(time)
        ? undefined
        : 'challenge_ts is not a time',
  },
]

/**
 * Judges the body of a 200 by the rules. `success` comes first: everything else counts only with it.
 *
 * @param body JSON that was parsed; undefined when it was none.
 */
export function applyRules(body: unknown, expected: Expected): Verification {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) {
    return refused('shape', 'the service did not answer with a JSON object')
  }
  const answer = body as Answer
  const codes = codesOf(body)
  const failure =
    answer['success'] === true ? failureOf(answer, expected) : rejectionOf(answer, codes)
  if (!failure) return humanOf(answer)
  const { rule, why } = failure
  return { ...refused(rule, why, codes), ...(rule === 'score' && lowScoreFacts(answer)) }
}

function failureOf(answer: Answer, expected: Expected): Failure | undefined {
  for (const { rule, failure } of RULES) {
    const why = failure(answer, expected)
    if (why !== undefined) return { rule, why }
  }
  return undefined
}

/** The rule behind each rejection; a code that is not here failed `success`. docs/api/api.md, "Every code". */
const RULE_OF = {
  'timeout-or-duplicate': 'fresh',
  'action-mismatch': 'action',
  'low-score': 'score',
} as const

function rejectionOf(answer: Answer, codes: readonly string[]): Failure {
  const cause = codes.find((code): code is keyof typeof RULE_OF => Object.hasOwn(RULE_OF, code))
  const rule = cause === undefined ? 'success' : RULE_OF[cause]
  const low = rule === 'score' ? lowScoreOf(answer) : undefined
  const how = low ? ` (${low.score}, threshold ${low.threshold})` : ''
  return { rule, why: `rejected: ${codes.join(', ') || 'no code'}${how}` }
}

function lowScoreOf({ score, score_threshold: threshold }: Answer): LowScore | undefined {
  return isShare(score) && isShare(threshold) ? { score, threshold } : undefined
}

/** What a site may have siteverify add to a verdict: `reasons: true`, `agents: true`. */
function factsOf({ reasons, agent }: Answer): Pick<Human, 'reasons' | 'agent'> {
  return { ...(isList(reasons) && { reasons }), ...(typeof agent === 'string' && { agent }) }
}

function lowScoreFacts(answer: Answer) {
  const lowScore = lowScoreOf(answer)
  const { step_up: ticket } = answer
  return {
    ...(lowScore && { lowScore }),
    ...(typeof ticket === 'string' && ticket !== '' && { stepUp: ticket }),
    ...factsOf(answer),
  }
}

/** @param answer has passed every rule, so that these members are what their rules say. */
function humanOf(answer: Answer): Human {
  const { hostname, score, action, challenge_ts: challengeTs, cdata } = answer
  return {
    accepted: true,
    score: score as number,
    hostname: (hostname as string).toLowerCase(),
    action: action as string,
    challengeTs: challengeTs as string,
    cdata: typeof cdata === 'string' ? cdata : undefined,
    ...factsOf(answer),
  }
}

const isList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string')
