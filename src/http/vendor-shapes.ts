/**
 * THE table of vendors' shapes: siteverify on the path, and in the fields, of other services, for products whose operator can type
 * in an address and nothing else. The judgement is that of siteverify, and so are its limits, log line and metrics; a shape only
 * spells the answer.
 *
 * @see docs/api/api.md, "The paths of other services"
 */
import type { Request, RequestHandler } from 'express'
import { verdictCode } from '../claims/verdict.ts'
import type { VerifyResponse } from '../operations/verify-response.ts'
import type { FailureAnswer, SiteverifyAnswer } from '../wire.ts'
import { fieldsIn, takeBody } from './body.ts'
import { spellFaults } from './faults.ts'
import type { Fields } from './fields.ts'
import { callerOf, type Front, inTime, siteverifyAnswer } from './handlers.ts'
import { note } from './request-log.ts'
import { parser } from './requests.ts'

type Accepted = Extract<SiteverifyAnswer, { success: true }>
type Refused = Exclude<SiteverifyAnswer, Accepted> | FailureAnswer

export interface Shape {
  /** The path; `{sitekey}` stands for any sitekey. */
  readonly path: string
  /** The path of the service's script, on which compat.js is served; undefined: a page names compat.js. */
  readonly script?: string
  readonly accepted: (answer: Accepted) => object
  readonly refused: (answer: Refused) => object
  /** Returns the sitekey that the request names; undefined if it names none. */
  readonly sitekey?: (path: string, fields: Fields) => unknown
}

/** Spells a time of siteverify as ISO 8601. */
const iso = (time: string, fraction = ''): string => `${time.replace(' ', 'T')}${fraction}Z`

const bare = ({ 'error-codes': codes }: Refused): object => ({
  success: false,
  'error-codes': codes,
})

/** The words that hCaptcha has instead of ours. */
const OF_HCAPTCHA: Readonly<Record<string, string>> = {
  'timeout-or-duplicate': 'invalid-or-already-seen-response',
}

export const SHAPES = {
  /** reCAPTCHA v2 and v3; an accepted answer has no `error-codes`, and its `score` is that of v3. */
  recaptcha: {
    path: '/recaptcha/api/siteverify',
    script: '/recaptcha/api.js',
    accepted: ({ challenge_ts, hostname, score, action }) => ({
      success: true,
      challenge_ts: iso(challenge_ts),
      hostname,
      score,
      action,
    }),
    refused: (answer) => ({ ...bare(answer), ...('score' in answer && { score: answer.score }) }),
  },
  turnstile: {
    path: '/turnstile/v0/siteverify',
    script: '/turnstile/v0/api.js',
    accepted: ({ challenge_ts, hostname, action, cdata }) => ({
      success: true,
      'error-codes': [],
      challenge_ts: iso(challenge_ts, '.000'),
      hostname,
      action,
      cdata: cdata ?? '',
    }),
    refused: bare,
  },
  /** hCaptcha; without `score`, which is a risk there: lower is better. */
  hcaptcha: {
    path: '/siteverify',
    script: '/1/api.js',
    accepted: ({ challenge_ts, hostname }) => ({
      success: true,
      challenge_ts: iso(challenge_ts),
      hostname,
      credit: false,
    }),
    refused: ({ 'error-codes': codes }) => ({
      success: false,
      'error-codes': codes.map((code) => OF_HCAPTCHA[code] ?? code),
    }),
    sitekey: (_path, fields) => fields.get('sitekey') || undefined,
  },
  /** Cap, which names the sitekey in the path. */
  cap: {
    path: '/{sitekey}/siteverify',
    accepted: () => ({ success: true }),
    refused: (answer) => ({ ...bare(answer), error: answer['error-codes'][0] }),
    sitekey: (path) => path.split('/', 2)[1],
  },
} as const satisfies Readonly<Record<string, Shape>>

/** Returns the path of a shape, for a router: exact, as every path is. */
export const pathOf = ({ path }: Shape): RegExp =>
  new RegExp(`^${path.replace('{sitekey}', 'hv_site_[A-Za-z0-9_-]{8,64}')}$`)

const PATHS_OF_SHAPES = Object.values(SHAPES).map(pathOf)

/** The paths of scripts on which compat.js is served. */
export const SCRIPTS: ReadonlySet<string> = new Set(
  Object.values(SHAPES).flatMap((shape) => ('script' in shape ? [shape.script] : [])),
)

/** Reports whether a path is that of a shape, or of its script. */
export const isVendorPath = (path: string): boolean =>
  SCRIPTS.has(path) || PATHS_OF_SHAPES.some((pattern) => pattern.test(path))

/** Answers the faults of a request in a shape. */
export const spellsFaults =
  (shape: Shape): RequestHandler =>
  (_req, res, next) => {
    spellFaults(res, (answer) => shape.refused(answer))
    next()
  }

/** Spells an answer of siteverify in a shape. */
export const spell = (shape: Shape, answer: SiteverifyAnswer): object =>
  answer.success ? shape.accepted(answer) : shape.refused(answer)

/**
 * Handles siteverify in a vendor's shape. A request that is wrong is answered with 200, as vendors do: their libraries throw at any
 * other status. What cannot be judged now keeps its status, 429 or 503.
 */
export function vendorSiteverify(
  shape: Shape,
  verify: VerifyResponse,
  front: Front,
): RequestHandler[] {
  const parse = parser('siteverify')
  const run = async (req: Request, caller: ReturnType<typeof callerOf>) => {
    const fields = await fieldsIn(req)
    return verify(parse(fields), caller, shape.sitekey?.(req.path, fields))
  }
  return [
    spellsFaults(shape),
    ...takeBody,
    async (req, res) => {
      const verdict = await inTime(run(req, callerOf(req, res, front)))
      note(res, { code: verdictCode(verdict) })
      res.json(spell(shape, siteverifyAnswer(verdict)))
    },
  ]
}
