import { isIP } from 'node:net'
import { ALGORITHMS } from '../domain/challenge.ts'
import { Fault, type FaultCode } from '../domain/codes.ts'
import { SIGNALS } from '../score/signals.ts'
import { type Checked, compile, type JsonSchema } from '../settings/json-schema.ts'
import type { ChallengeRequest, SiteverifyRequest, SolveRequest, WireSignals } from '../wire.ts'
import { type Fields, parsed } from './body.ts'
import { countMembers } from './count-members.ts'

/** Turns fields into a checked request. @throws {Fault} with the code of what is missing, else `bad-request`. */
type Parse<T> = (fields: Fields) => T

/** Bytes of the summary as JSON; docs/design/contract.md, "POST /api/v1/solve". */
const SIGNALS_LIMIT = 4096

const text: JsonSchema = { type: 'string' }
/** UUID of version 4 or 7 only: a name-based one, made of the token, would re-open replay (docs/design/contract.md, "idempotency_key"). */
const uuid: JsonSchema = {
  type: 'string',
  pattern: '^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[47][0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}$',
}

/** The number of a version, in digits. */
const version: JsonSchema = { type: 'string', pattern: '^[1-9][0-9]{0,3}$' }
/** Answers of the browser proof: lists of whole numbers, as short as the longest that any version asks for. */
const answers: JsonSchema = {
  type: 'array',
  maxItems: 16,
  items: { type: 'array', maxItems: 24, items: { type: 'integer', minimum: -99_999, maximum: 99_999 } },
}

export const SCHEMAS = {
  challenge: {
    type: 'object',
    description: 'POST /api/v1/challenge',
    properties: {
      sitekey: text,
      action: text,
      cdata: { type: 'string', maxLength: 255 },
      proof: version,
      algorithm: { type: 'string', enum: ALGORITHMS },
      ticket: text,
    },
  },
  solve: {
    type: 'object',
    description: 'POST /api/v1/solve',
    properties: {
      challenge: text,
      solution: text,
      signals: signalsSchema(),
      ticket: text,
      step_up: { type: 'string', enum: ['1'] },
    },
  },
  siteverify: {
    type: 'object',
    description: 'POST /api/v1/siteverify',
    properties: { secret: text, response: text, remoteip: text, action: text, idempotency_key: uuid },
  },
} satisfies Record<string, JsonSchema>

/** The fields that must be there, and the code each lacks with; whatever else is wrong is `bad-request`. */
export const REQUIRED = {
  challenge: { sitekey: 'missing-input-sitekey' },
  solve: { challenge: 'invalid-input-challenge', solution: 'invalid-input-solution' },
  siteverify: { secret: 'missing-input-secret', response: 'missing-input-response' },
} as const satisfies Record<keyof typeof SCHEMAS, Record<string, FaultCode>>

/** Members it does not know are let through and read by nobody, so that an older or newer cached widget still works. */
function signalsSchema(): JsonSchema {
  const families = Object.entries(SIGNALS).map(([family, signals]) => {
    const properties = Object.fromEntries(
      Object.entries(signals).map(([name, { max }]) => [name, { type: 'integer', minimum: 0, maximum: max }]),
    )
    return [family, { type: 'object', properties }] as const
  })
  return {
    type: 'object',
    properties: { v: { type: 'integer', const: 1 }, proof: answers, ...Object.fromEntries(families) },
  }
}

export function parseChallenge(): Parse<ChallengeRequest> {
  const check = compile<Omit<ChallengeRequest, 'proof'> & { readonly proof?: string }>(SCHEMAS.challenge, {
    all: false,
  })
  return (fields) => {
    const values = present(fields, 'challenge')
    // A version is a number in JSON too; the schema judges its digits.
    if (typeof values['proof'] === 'number') values['proof'] = String(values['proof'])
    const { proof, ...request } = checked(check, values)
    if (request.cdata !== undefined && !isCarried(request.cdata)) throw new Fault('bad-request')
    return proof === undefined ? request : { ...request, proof: Number(proof) }
  }
}

/** Reports whether a response token has room for a text: 255 characters of two bytes, as JSON spells them (a quote takes two); no control characters. */
const isCarried = (cdata: string): boolean =>
  Buffer.byteLength(JSON.stringify(cdata)) <= 2 * 255 + 2 && !/\p{Cc}|\p{Cs}/u.test(cdata)

export function parseSolve(): Parse<SolveRequest> {
  const check = compile<SolveRequest>(SCHEMAS.solve, { all: false })
  return (fields) => {
    const values = present(fields, 'solve')
    values['signals'] = readSignals(values['signals'])
    return checked(check, values)
  }
}

/** Reads the summary: an object, or in a form the same object as JSON text. Left out, it is a client that shows nothing. */
function readSignals(summary: unknown): WireSignals {
  if (summary === undefined) return {}
  const spelled = typeof summary === 'string' ? summary : JSON.stringify(summary)
  if (Buffer.byteLength(spelled) > SIGNALS_LIMIT || countMembers(spelled) === undefined) throw new Fault('bad-request')
  return typeof summary === 'string' ? (parsed(spelled, JSON.parse) as WireSignals) : (summary as WireSignals)
}

export function parseSiteverify(): Parse<SiteverifyRequest> {
  const check = compile<SiteverifyRequest>(SCHEMAS.siteverify, { all: false })
  return (fields) => {
    const values = present(fields, 'siteverify')
    const request = checked(check, values)
    if (request.remoteip !== undefined && (isIP(request.remoteip) === 0 || request.remoteip.includes('%'))) {
      throw new Fault('bad-request')
    }
    return request
  }
}

/**
 * The fields that say something: an empty one counts as absent, and so does a JSON null. Every required one that is absent is
 * named. `action[]` is refused: it is meant as `action`, and nothing would be compared.
 */
function present(fields: Fields, operation: keyof typeof SCHEMAS): Record<string, unknown> {
  const values: Record<string, unknown> = Object.create(null)
  for (const [name, value] of fields) {
    const isList = name.includes('[') && Object.hasOwn(SCHEMAS[operation].properties, name.slice(0, name.indexOf('[')))
    if (isList) throw new Fault('bad-request')
    if (value !== '' && value !== null) values[name] = value
  }
  const required: Readonly<Record<string, FaultCode>> = REQUIRED[operation]
  const [first, ...more] = Object.keys(required).flatMap((name) => (values[name] === undefined ? required[name]! : []))
  if (first !== undefined) throw new Fault([first, ...more])
  return values
}

function checked<T>(check: (value: unknown) => Checked<T>, values: unknown): T {
  const result = check(values)
  if (!result.ok) throw new Fault('bad-request')
  return result.value
}
