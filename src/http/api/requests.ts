import { isIP } from 'node:net'
import { ALGORITHMS } from '../../domain/challenge.ts'
import { Fault, type FaultCode } from '../../domain/codes.ts'
import { SIGNALS } from '../../score/signals.ts'
import { type Checked, type JsonSchema, compile } from '../../settings/json-schema.ts'
import type { ChallengeRequest, SiteverifyRequest, SolveRequest, WireSignals } from '../../wire.ts'
import type { Fields } from './body.ts'
import { countMembers, textOfMember } from './json-text.ts'

/** Turns fields into a checked request. @throws {Fault} with the code of what is missing, else `bad-request`. */
export type Parse<T> = (fields: Fields) => T

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
    const values = present(fields, REQUIRED.challenge)
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
    const values = present(fields, REQUIRED.solve)
    values['signals'] = readSignals(values['signals'], fields)
    return checked(check, values)
  }
}

/**
 * Reads the summary: an object, or in a form the same object as JSON text. Left out, it is a client that shows nothing. Its
 * length is that of the text that was sent: to spell an object again took time that grew with the square of its depth.
 */
function readSignals(summary: unknown, { json }: Fields): WireSignals {
  if (summary === undefined) return {}
  const sent = typeof summary === 'string' ? summary : textWithin(json ?? '')
  if (Buffer.byteLength(sent) > SIGNALS_LIMIT || countMembers(sent) === undefined) throw new Fault('bad-request')
  if (typeof summary !== 'string') return summary as WireSignals
  try {
    return JSON.parse(sent) as WireSignals
  } catch {
    throw new Fault('bad-request')
  }
}

/** The summary's text in a body, which is looked for only where the body is long enough to hold too much. */
const textWithin = (json: string): string =>
  Buffer.byteLength(json) <= SIGNALS_LIMIT ? json : (textOfMember(json, 'signals') ?? json)

export function parseSiteverify(): Parse<SiteverifyRequest> {
  const check = compile<SiteverifyRequest>(SCHEMAS.siteverify, { all: false })
  return (fields) => {
    const values = present(fields, REQUIRED.siteverify)
    const request = checked(check, values)
    if (request.remoteip !== undefined && (isIP(request.remoteip) === 0 || request.remoteip.includes('%'))) {
      throw new Fault('bad-request')
    }
    return request
  }
}

/** The fields that say something: an empty one counts as absent, and so does a JSON null. Every required one that is absent is named. */
function present(fields: Fields, required: Record<string, FaultCode>): Record<string, unknown> {
  const values: Record<string, unknown> = Object.create(null)
  for (const [name, value] of fields) if (value !== '' && value !== null) values[name] = value
  const absent: FaultCode[] = []
  for (const name in required) if (values[name] === undefined) absent.push(required[name]!)
  const [first, ...more] = absent
  if (first !== undefined) throw new Fault([first, ...more])
  return values
}

function checked<T>(check: (value: unknown) => Checked<T>, values: unknown): T {
  const result = check(values)
  if (!result.ok) throw new Fault('bad-request')
  return result.value
}
