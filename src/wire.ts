/**
 * THE table of the wire: what each operation is asked, and what it answers. Types, checks of requests, openapi.json and the
 * tables of docs/api/api.md are made from it. The widget imports its types, and nothing else of the
 * service. Spelled as on the wire (docs/api/api.md, "What every operation shares").
 */
import { type Static, type TProperties, type TSchema, Type } from '@sinclair/typebox'
import { type Algorithm, ALGORITHMS } from './work/pow.ts'
import type { Code, FaultCode, Rejection } from './domain/codes.ts'
import { AGENT_NAME } from './domain/named-agent.ts'
import type { WireProof } from './proof/task.ts'
import { type Reason, REASONS } from './score/rules.ts'
import { type Signals, SIGNALS } from './score/signals.ts'

export type { BoxTask, PathTask, WireProof, WireProofTask } from './proof/task.ts'

/** Bytes of a body. */
export const BODY_LIMIT = 16 * 1024
/** Bytes of the summary of a visit, as JSON. */
export const SIGNALS_LIMIT = 4096

const text = (description: string, more: object = {}) => Type.String({ ...more, description })
const jws = (description: string) =>
  text(description, {
    pattern: '^[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+$',
    maxLength: 2048,
  })
const count = (description: string) => Type.Integer({ minimum: 1, description })
const score = (description: string) => Type.Number({ minimum: 0, maximum: 1, description })
const choice = <T extends string>(values: readonly T[], description: string) =>
  Type.Unsafe<T>({ type: 'string', enum: values, description })
const maybe = <T extends TSchema>(schema: T) =>
  Type.Optional(Type.Unsafe<Static<T> | undefined>(schema))
/** An object with these members and no others. */
const exactly = <P extends TProperties>(properties: P, description?: string) =>
  Type.Object(properties, {
    additionalProperties: false,
    ...(description !== undefined && { description }),
  })
/** One code or, of the required fields that are missing, several. */
const codes = <C extends Code>(list: readonly C[], most = 1) =>
  Type.Unsafe<[C, ...C[]]>({
    type: 'array',
    items: { type: 'string', enum: list },
    minItems: 1,
    maxItems: most,
    uniqueItems: true,
  })

/** What the browser says of a visit. Other members are ignored, so that an older or newer cached widget still works. */
const signals = Type.Unsafe<Signals | undefined>({
  type: 'object',
  properties: {
    v: { type: 'integer', const: 1 },
    // Answers of the browser proof: as short as the longest that any version asks for.
    proof: {
      type: 'array',
      maxItems: 16,
      items: {
        type: 'array',
        maxItems: 24,
        items: { type: 'integer', minimum: -99_999, maximum: 99_999 },
      },
    },
    ...Object.fromEntries(
      Object.entries(SIGNALS).map(([family, members]) => [family, familyOf(members)]),
    ),
  },
  description: 'The summary of the visit, made by the browser; at most 4 KiB. If omitted: as `{}`.',
})

function familyOf(members: Readonly<Record<string, { readonly max: number }>>): object {
  const properties = Object.entries(members).map(([name, { max }]) => [
    name,
    { type: 'integer', minimum: 0, maximum: max },
  ])
  return { type: 'object', properties: Object.fromEntries(properties) }
}

const work = exactly(
  {
    a: choice<Algorithm>(ALGORITHMS, 'The algorithm, versioned: the one that was asked for.'),
    s: count('Steps per unit; of `pb.1`, iterations.'),
    n: count('Units.'),
    b: count(
      'Milliseconds of work after which the part that is done may be handed in, for a lower score.',
    ),
  },
  'The work it asks for; the same is signed inside.',
)
const proof = Type.Unsafe<WireProof | undefined>({
  ...exactly({
    v: Type.Literal(1, {
      type: 'integer',
      description: 'The version: which words the tasks are written in.',
    }),
    tasks: Type.Array(
      Type.Array(Type.Any(), {
        minItems: 2,
        description: 'The kind of task, and what it needs; docs/design/work.md#the-browser-proof.',
      }),
      { minItems: 1, maxItems: 16 },
    ),
  }),
  description:
    'Only where the request named a version of the browser proof: its tasks, answered in `signals.proof`.',
})

const reasons = maybe(
  Type.Unsafe<readonly Reason[]>({
    type: 'array',
    items: { type: 'string', enum: REASONS },
    maxItems: REASONS.length,
    uniqueItems: true,
    description:
      'Only for a site with `reasons: true`: why the score is no higher (docs/design/scoring.md).',
  }),
)
const agent = maybe(
  text(
    'Only for a site with `agents: true`, of a named agent: its name in the configuration (docs/operate/agents.md).',
    { pattern: AGENT_NAME.source },
  ),
)
const scores = {
  score: score('Higher is more likely human; two decimals.'),
  score_threshold: score(
    'The threshold that decided: the action’s, if it has one, else the site’s.',
  ),
}

const accepted = exactly({
  success: Type.Literal(true, { type: 'boolean', description: 'Whether the visitor is accepted.' }),
  challenge_ts: text('When the challenge was issued: UTC, `YYYY-MM-DD HH:MM:SS`.', {
    pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}$',
  }),
  hostname: text(
    'Where the widget ran; in an app’s own page its whole origin, `capacitor://localhost`.',
  ),
  ...scores,
  action: text('Bound to the token.'),
  cdata: maybe(text('Only where the page gave one.', { maxLength: 255 })),
  reasons,
  agent,
  'error-codes': Type.Unsafe<readonly []>({
    type: 'array',
    maxItems: 0,
    description: 'Empty where accepted.',
  }),
})
/** A rejection has one code and what belongs to it. */
const rejection = <C extends Rejection, P extends TProperties>(list: readonly C[], members: P) =>
  exactly({ success: Type.Literal(false), ...members, 'error-codes': codes(list) })

/** A failure with some of these codes; several only when several required fields are missing. */
export const failureOf = (list: readonly FaultCode[]) =>
  exactly({ success: Type.Literal(false), 'error-codes': codes(list, list.length) })

const UNAVAILABLE = [
  'database-unavailable',
  'database-schema-outdated',
  'rate-limiter-unavailable',
] as const
/** Failures of every operation that reads a body. */
const OF_A_BODY = [
  'bad-request',
  'payload-too-large',
  'unsupported-media-type',
  'rate-limit-exceeded',
  ...UNAVAILABLE,
] as const

export const OPERATIONS = {
  challenge: {
    path: '/api/v1/challenge',
    tag: 'page',
    summary: 'A challenge for a page',
    description: 'Sent as a form, so the browser makes no CORS preflight.',
    request: Type.Object({
      sitekey: text('Public name of the site, `data-sitekey`.'),
      action: maybe(
        text(
          'The workflow, `data-action`: 1 to 64 of `A-Z a-z 0-9 _ - / .`. If omitted: the site’s `default_action`; without one it is `bad-request`.',
        ),
      ),
      cdata: maybe(
        text(
          'Anything of the page’s, handed to your server on success: 255 characters and 510 bytes of JSON at most (a quote takes two), no control characters.',
          { maxLength: 255 },
        ),
      ),
      proof: maybe(
        Type.Integer({
          minimum: 1,
          maximum: 9999,
          description:
            'The newest version of the browser proof that the widget knows (docs/design/work.md#the-browser-proof). If omitted: none is asked for.',
        }),
      ),
      algorithm: maybe(
        choice<Algorithm>(
          ALGORITHMS,
          'The work. If omitted: `s32.1`. `pb.1`, for browsers without a JIT, has a capped score and its own limit; a site may refuse it.',
        ),
      ),
      ticket: maybe(
        text(
          'A ticket of `solve`, or the `step_up` of siteverify: the challenge is for the second try after a low score (docs/widget/refused.md).',
        ),
      ),
    }),
    missing: { sitekey: 'missing-input-sitekey' },
    success: 'Issued.',
    answer: exactly({
      challenge: jws('The challenge token.'),
      work,
      // Browsers have no SHA-256 on plain http.
      key: Type.Array(Type.Integer({ minimum: -(2 ** 31), maximum: 2 ** 31 - 1 }), {
        minItems: 8,
        maxItems: 8,
        description: 'The key of the work, made from the challenge token (docs/design/work.md).',
      }),
      proof: Type.Optional(proof),
      expires_in: count('Seconds.'),
    }),
    codes: [
      'missing-input-sitekey',
      'invalid-input-sitekey',
      'hostname-not-allowed',
      'action-not-allowed',
      'invalid-input-ticket',
      'ticket-expired',
      ...OF_A_BODY,
    ],
  },
  solve: {
    path: '/api/v1/solve',
    tag: 'page',
    summary: 'A response token for a solved challenge',
    description:
      'The first body consumes the challenge; the same body again is answered again. A ticket replaces the token only if the request had `step_up`.',
    request: Type.Object({
      challenge: text('The challenge token as it was issued, with no character escaped.'),
      solution: text('The work, base64url (docs/design/work.md).'),
      signals: Type.Optional(signals),
      ticket: maybe(text('The ticket that the challenge was issued for, if any.')),
      step_up: maybe(
        choice<'1'>(
          ['1'],
          '`1`: your page can show the step of a second try. Without it the answer is a token, whatever the score.',
        ),
      ),
    }),
    missing: { challenge: 'invalid-input-challenge', solution: 'invalid-input-solution' },
    success: 'Solved.',
    answer: Type.Union([
      exactly({ token: jws('The response token.'), expires_in: count('Seconds.') }),
      exactly({
        ticket: jws(
          'Only for a site with `step_up: managed`, instead of the token (docs/widget/refused.md).',
        ),
        expires_in: count('Seconds.'),
      }),
    ]),
    codes: [
      'invalid-input-challenge',
      'challenge-expired',
      'invalid-input-solution',
      'invalid-input-ticket',
      'ticket-expired',
      ...OF_A_BODY,
    ],
  },
  siteverify: {
    path: '/api/v1/siteverify',
    tag: 'customer',
    summary: 'The verdict about a response token',
    description:
      'Every verdict consumes the token. Require all seven validation rules (docs/api/api.md); when in doubt, refuse.',
    request: Type.Object({
      secret: text('Private secret of the site. From your server only.'),
      response: text('The response token that the form carried in `svc-response`.'),
      remoteip: maybe(
        text(
          'The visitor’s address, only if you can resolve it safely; of a list the last address that is not private. An IPv4 /24 or IPv6 /48 in its place: any address in it. If the challenge was solved from another address: `remoteip-mismatch`.',
        ),
      ),
      action: maybe(
        text(
          'The action this handler protects: always send it. If the token is for another action: `action-mismatch`.',
        ),
      ),
      // UUID of version 4 or 7 only: a name-based one, made of the token, would re-open replay (docs/api/api.md, "idempotency_key").
      idempotency_key: maybe(
        text(
          'UUID, version 4 or 7, a new one for each form submission received: the same request with the same key is answered the same again.',
          {
            pattern:
              '^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[47][0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}$',
          },
        ),
      ),
    }),
    missing: { secret: 'missing-input-secret', response: 'missing-input-response' },
    success: 'Judged: accepted, or rejected with one code.',
    answer: Type.Union([
      accepted,
      rejection(['timeout-or-duplicate', 'invalid-input-response', 'remoteip-mismatch'], {}),
      rejection(['action-mismatch'], { action: text('The token’s.') }),
      rejection(['low-score'], {
        ...scores,
        reasons,
        agent,
        step_up: maybe(
          jws(
            'Only for a site with `step_up: ticket`, while the address has one left: for the second try (docs/widget/refused.md).',
          ),
        ),
      }),
    ]),
    codes: ['missing-input-secret', 'invalid-input-secret', 'missing-input-response', ...OF_A_BODY],
  },
} as const satisfies Record<string, Operation>

interface Operation {
  readonly path: string
  readonly tag: 'page' | 'customer'
  readonly summary: string
  readonly description: string
  readonly request: TSchema
  /** The fields that must be there, and the code each lacks with; whatever else is wrong is `bad-request`. */
  readonly missing: Readonly<Record<string, FaultCode>>
  /** What 200 says. */
  readonly success: string
  readonly answer: TSchema
  readonly codes: readonly FaultCode[]
}

/** GET /health: what is known already. */
export const HEALTH = {
  path: '/health',
  answer: exactly({ status: Type.Literal('ok') }),
  unhealthy: exactly({
    status: Type.Literal('unavailable'),
    'error-codes': codes<Code>([...UNAVAILABLE, 'internal-error']),
  }),
}

/** GET /assets/NAME: the widget's files. */
export const ASSETS = '/assets/'

/** Every path that the service answers, the names of the assets apart. */
export const PATHS: ReadonlySet<string> = new Set(
  [...Object.values(OPERATIONS), HEALTH].map(({ path }) => path),
)

/** A value that is never changed: what was read, and what will be sent. */
type Frozen<T> = T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T
type Asked<O extends keyof typeof OPERATIONS> = Frozen<Static<(typeof OPERATIONS)[O]['request']>>
type Answered<O extends keyof typeof OPERATIONS> = Frozen<Static<(typeof OPERATIONS)[O]['answer']>>

/** The summary made in the browser; score/signals.ts says what each member means. */
export type WireSignals = Signals
/** The work a challenge asks for. docs/design/work.md, "The protocol". */
export type WireWork = Frozen<Static<typeof work>>

export type ChallengeRequest = Asked<'challenge'>
export type ChallengeAnswer = Answered<'challenge'>
export type SolveRequest = Asked<'solve'> & { readonly signals: WireSignals }
export type SolveAnswer = Extract<Answered<'solve'>, { token: string }>
export type TicketAnswer = Extract<Answered<'solve'>, { ticket: string }>
export type SiteverifyRequest = Asked<'siteverify'>
export type SiteverifyAnswer = Answered<'siteverify'>
/** Every failure that could not be judged. */
export type FailureAnswer = Frozen<Static<ReturnType<typeof failureOf>>>
export type HealthAnswer = Frozen<Static<typeof HEALTH.answer> | Static<typeof HEALTH.unhealthy>>

export interface Requests {
  readonly challenge: ChallengeRequest
  readonly solve: SolveRequest
  readonly siteverify: SiteverifyRequest
}
