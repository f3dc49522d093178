import { ALGORITHMS } from '../domain/challenge.ts'
import { CODES, type Code } from '../domain/codes.ts'
import { AGENT_NAME } from '../domain/named-agent.ts'
import { REASONS } from '../score/rules.ts'
import type { JsonSchema } from '../settings/json-schema.ts'
import type {
  AcceptedAnswer,
  ChallengeAnswer,
  HealthAnswer,
  RejectedAnswer,
  SolveAnswer,
  TicketAnswer,
  WireProof,
  WireWork,
} from '../wire.ts'

/** JSON Schema 2020-12, the dialect of OpenAPI 3.1, as far as we use it. */
export interface Schema extends Omit<JsonSchema, 'properties' | 'items' | 'description'> {
  readonly description?: string | undefined
  readonly $ref?: string
  readonly oneOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly contentMediaType?: string
  readonly contentSchema?: Schema
}

/** An object with these members and no others; all of them but `optional` are always there. */
function exactly(properties: Readonly<Record<string, Schema>>, optional: readonly string[] = []): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name))
  return { type: 'object', additionalProperties: false, properties, required }
}

const text = (description: string, more: Schema = {}): Schema => ({ type: 'string', description, ...more })
const score = (description: string): Schema => ({ type: 'number', minimum: 0, maximum: 1, description })
const seconds = (description: string): Schema => ({ type: 'integer', minimum: 1, description })
const codes = (list: readonly Code[], most: number): Schema => ({
  type: 'array',
  items: { type: 'string', enum: list },
  minItems: 1,
  maxItems: most,
  uniqueItems: true,
})
const none: Schema = { type: 'array', maxItems: 0 }
const JWS = '^[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+$'

const work = {
  a: { type: 'string', enum: ALGORITHMS, description: 'The algorithm, versioned: the one that was asked for.' },
  s: { type: 'integer', minimum: 1, description: 'Steps per unit; of `pb.1`, iterations.' },
  n: { type: 'integer', minimum: 1, description: 'Units.' },
  b: {
    type: 'integer',
    minimum: 1,
    description: 'Milliseconds of work after which the part that is done may be handed in, for a lower score.',
  },
} satisfies Record<keyof WireWork, Schema>

const proof = {
  v: { type: 'integer', const: 1, description: 'The version: which words the tasks are written in.' },
  tasks: {
    type: 'array',
    minItems: 1,
    maxItems: 16,
    items: { type: 'array', minItems: 2, description: 'The kind of task, and what it needs; docs/design/proof.md.' },
  },
} satisfies Record<keyof WireProof, Schema>

const challenge = {
  challenge: text('The challenge token.', { pattern: JWS, maxLength: 2048 }),
  work: { ...exactly(work), description: 'The work it asks for; the same is signed inside.' },
  key: {
    type: 'array',
    minItems: 8,
    maxItems: 8,
    items: { type: 'integer', minimum: -(2 ** 31), maximum: 2 ** 31 - 1 },
    description: 'The key of the work, made from the challenge token (docs/design/proof-of-work.md).',
  },
  proof: {
    ...exactly(proof),
    description: 'Tasks for a browser, answered in `signals.proof`. Only where the request named a version of them.',
  },
  expires_in: seconds('Seconds.'),
} satisfies Record<keyof ChallengeAnswer, Schema>

const solve = {
  token: text('The response token.', { pattern: JWS, maxLength: 2048 }),
  expires_in: seconds('Seconds.'),
} satisfies Record<keyof SolveAnswer, Schema>

const ticketInstead = {
  ticket: text('Only for a site with `step_up: managed`, in place of the token (docs/widget/refused.md).', {
    pattern: JWS,
    maxLength: 2048,
  }),
  expires_in: seconds('Seconds.'),
} satisfies Record<keyof TicketAnswer, Schema>

const reasons: Schema = {
  type: 'array',
  items: { type: 'string', enum: REASONS },
  maxItems: REASONS.length,
  uniqueItems: true,
  description: 'Only for a site with `reasons: true`: why the score is no higher (docs/design/scoring.md).',
}

const stepUp = text('Only for a site with `step_up: ticket`: for the visitor’s second try (docs/widget/refused.md).', {
  pattern: JWS,
  maxLength: 2048,
})
const agent = text(
  'Only of a named agent, for a site with `agents: true`: its name in the configuration (docs/operate/agents.md).',
  { pattern: AGENT_NAME.source },
)

const accepted = {
  success: { type: 'boolean', const: true },
  challenge_ts: text('UTC, when the challenge was issued.', {
    pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}$',
  }),
  hostname: text('Where the widget ran.'),
  score: score('Higher is more likely human.'),
  score_threshold: score('The site’s; `score` is at least this.'),
  action: text('Bound to the token.'),
  cdata: text('Only when the page gave one.', { maxLength: 255 }),
  reasons,
  agent,
  'error-codes': none,
} satisfies Record<keyof AcceptedAnswer, Schema>

const rejected = {
  success: { type: 'boolean', const: false },
  score: score('With `low-score`.'),
  score_threshold: score('With `low-score`.'),
  reasons,
  step_up: stepUp,
  agent,
  action: text('With `action-mismatch`: the token’s.'),
  'error-codes': codes([], 1),
} satisfies Record<keyof RejectedAnswer, Schema>

/** A rejection has one code and what belongs to it. docs/design/contract.md, "POST /api/v1/siteverify". */
function rejection(list: readonly Code[], ...members: readonly (keyof RejectedAnswer)[]): Schema {
  const own = members.map((name) => [name, rejected[name]])
  return exactly({ success: rejected.success, ...Object.fromEntries(own), 'error-codes': codes(list, 1) })
}

const lowScore = {
  success: rejected.success,
  score: rejected.score,
  score_threshold: rejected.score_threshold,
  reasons,
  step_up: stepUp,
  agent,
  'error-codes': codes(['low-score'], 1),
} satisfies Partial<Record<keyof RejectedAnswer, Schema>>

/** A failure with some of these codes; several only when several required fields are missing. */
export const failureOf = (list: readonly Code[]): Schema =>
  exactly({ success: { type: 'boolean', const: false }, 'error-codes': codes(list, list.length) })

const status = (is: HealthAnswer['status']): Schema => ({ type: 'string', const: is })
const unavailable = (Object.keys(CODES) as Code[]).filter((code) => CODES[code] === 503)

/** What is answered with 200, and by an unhealthy service; every other failure has one shape. */
export const ANSWERS = {
  ChallengeAnswer: exactly(challenge, ['proof']),
  SolveAnswer: { oneOf: [exactly(solve), exactly(ticketInstead)] },
  SiteverifyAnswer: {
    oneOf: [
      exactly(accepted, ['cdata', 'reasons', 'agent']),
      rejection(['timeout-or-duplicate', 'invalid-input-response', 'remoteip-mismatch']),
      rejection(['action-mismatch'], 'action'),
      exactly(lowScore, ['reasons', 'step_up', 'agent']),
    ],
  },
  HealthAnswer: exactly({ status: status('ok') }),
  UnhealthyAnswer: exactly({
    status: status('unavailable'),
    'error-codes': codes([...unavailable, 'internal-error'], 1),
  }),
} as const satisfies Record<string, Schema>
