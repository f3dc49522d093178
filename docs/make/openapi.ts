/** openapi.json: the operations as an OpenAPI 3.1 document, from the table of the wire, that of vendors' shapes and the one table of codes. */
import { isDeepStrictEqual } from 'node:util'
import { CODES, type FaultCode } from '../../src/domain/codes.ts'
import { SHAPES } from '../../src/http/vendor-shapes.ts'
import { failureOf, HEALTH, OPERATIONS } from '../../src/wire.ts'

/** JSON Schema 2020-12, the dialect of OpenAPI 3.1, as far as we use it. */
export interface Schema {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly $ref?: string
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly [more: string]: unknown
}

/** Where in the document something stands that several operations have: `#/components/headers/Allow`. */
export interface Reference {
  readonly $ref: string
}

export interface OpenapiOperation {
  readonly operationId: string
  readonly responses: Readonly<Record<string, Answer | Reference>>
  readonly [more: string]: unknown
}

export interface OpenapiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenapiOperation>>>>
  readonly [more: string]: unknown
}

/** Returns what a reference of a document stands for; anything else as it is. */
export function resolved<T extends object>(document: OpenapiDocument, part: T | Reference): T {
  if (!('$ref' in part)) return part
  const steps = part.$ref.split('/').slice(1)
  return steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], document) as T
}

const header = (description: string, schema: Schema, required = true) => ({
  description,
  required,
  schema,
})
export type Header = ReturnType<typeof header>
const HEADERS = {
  'Cache-Control': header('Never cached.', { type: 'string', const: 'no-store' }),
  'X-Request-Id': header('Names the request in the log of the service.', { type: 'string' }, false),
  'Retry-After': header('Seconds to wait before a retry.', {
    type: 'string',
    pattern: '^[1-9][0-9]*$',
  }),
  Allow: header('The methods of this path.', {
    type: 'string',
    pattern: '^(POST|GET, HEAD|GET, HEAD, POST)$',
  }),
}
type HeaderName = keyof typeof HEADERS

/** What each status means, whatever the operation, and the headers it has beside those of every answer. */
const STATUSES: Readonly<
  Record<number, readonly [name: string, means: string, ...headers: HeaderName[]]>
> = {
  400: ['BadRequest', 'The request is wrong. Fix the integration, or obtain a new token.'],
  404: ['NotFound', 'No such path; case and a trailing slash count.'],
  405: ['MethodNotAllowed', 'The path does not allow this method.', 'Allow'],
  413: ['PayloadTooLarge', 'The body is larger than 16 KiB.'],
  415: [
    'UnsupportedMediaType',
    'The body is neither a form nor JSON in UTF-8, or it is compressed.',
  ],
  429: ['TooManyRequests', 'Too many requests. Back off as `Retry-After` says.', 'Retry-After'],
  500: ['InternalError', 'Internal error; details are in the log only.'],
  503: [
    'Unavailable',
    'Could not be judged now. Fail closed; a token that was sent may be consumed.',
    'Retry-After',
  ],
}

const refer = (kind: 'headers' | 'responses' | 'schemas', name: string): Reference => ({
  $ref: `#/components/${kind}/${name}`,
})
/** An answer: what it means, its headers, its body. */
const answer = (description: string, schema: object, ...headers: HeaderName[]) => ({
  description,
  headers: Object.fromEntries(
    ['Cache-Control', ...headers].map((name) => [name, refer('headers', name)]),
  ),
  content: { 'application/json': { schema: schema as Schema } },
})
export type Answer = ReturnType<typeof answer>

const SOME_FAILURE: Schema = failureOf([])
const SOME_CODES = { type: 'array', items: { type: 'string' }, minItems: 1, uniqueItems: true }
/** What every failure is; each status says with which codes. */
const FAILURE = {
  ...SOME_FAILURE,
  properties: { ...SOME_FAILURE.properties, 'error-codes': SOME_CODES },
}

/** The answer of a status, with these of its codes. */
function failure(status: number, codes: readonly FaultCode[]): Answer {
  const [, means, ...headers] = STATUSES[status]!
  const own = codes.filter((code) => CODES[code] === status)
  // No code repeats, so the list is no longer than this.
  const properties = { 'error-codes': { items: { enum: own } } }
  return answer(means, { ...refer('schemas', 'Failure'), properties }, 'X-Request-Id', ...headers)
}

/** The failures of an operation, by status, and those of every path. Status 400 alone has other codes at each operation. */
function failures(codes: readonly FaultCode[]): OpenapiOperation['responses'] {
  const all = [...codes, 'not-found', 'method-not-allowed', 'internal-error'] as const
  const answers = all
    .map((code) => CODES[code])
    .map((status) => [
      status,
      status === 400 ? failure(status, codes) : refer('responses', STATUSES[status]![0]),
    ])
  return Object.fromEntries(answers) as OpenapiOperation['responses']
}

/** The failures that are the same at every operation. */
const sharedFailures = () =>
  Object.fromEntries(
    Object.entries(STATUSES)
      .filter(([status]) => status !== '400')
      .map(([status, [name]]) => [
        name,
        failure(Number(status), Object.keys(CODES) as FaultCode[]),
      ]),
  )

/** The fields of a request; what may be absent may be `null` in JSON. */
function requestSchema({ properties = {}, required = [] }: Schema): Schema {
  const orNull = ({ enum: values, ...field }: Schema): Schema => ({
    ...field,
    type: [field.type as string, 'null'],
    ...(Array.isArray(values) && { enum: [...(values as string[]), null] }),
  })
  const fields = Object.entries(properties).map(([name, field]) => [
    name,
    required.includes(name) ? field : orNull(field),
  ])
  return {
    type: 'object',
    properties: Object.fromEntries(fields) as Schema['properties'] & object,
    required,
  }
}

/** A body as a form, in which an object is its JSON text, and as JSON. */
function requestBody(schema: Reference, { properties = {} }: Schema): object {
  const objects = Object.entries(properties).filter(([, { type }]) => type === 'object')
  const encoding = Object.fromEntries(
    objects.map(([name]) => [name, { contentType: 'application/json' }]),
  )
  const form = { schema, ...(objects.length > 0 && { encoding }) }
  return {
    description: 'In JSON, `null` counts as absent.',
    required: true,
    content: {
      'application/x-www-form-urlencoded': form,
      'multipart/form-data': form,
      'application/json': { schema },
    },
  }
}

const { description: _own, ...Token } = OPERATIONS.challenge.answer.properties.challenge
const { score, score_threshold, reasons, agent } = OPERATIONS.siteverify.answer.anyOf[0].properties
/** What several fields of answers have alike. */
const SHARED: Readonly<Record<string, object>> = {
  Token,
  OneCode: { type: 'array', minItems: 1, maxItems: 1, uniqueItems: true },
  Score: score,
  ScoreThreshold: score_threshold,
  Reasons: reasons,
  Agent: agent,
}

/** An answer, with what is shared by reference; what a field has of its own stands beside the reference. */
function answerSchema({ anyOf, properties, ...rest }: Schema): Schema {
  if (anyOf) return { ...rest, anyOf: anyOf.map(answerSchema) }
  const fields = Object.entries(properties!).map(([name, field]) => {
    const of = Object.entries(SHARED).find(([, shape]) =>
      isDeepStrictEqual({ ...field, ...shape }, { ...field }),
    )
    const own = Object.entries(field).filter(([key]) => !of || !(key in of[1]))
    return [name, { ...(of && refer('schemas', of[0])), ...Object.fromEntries(own) }]
  })
  return { ...rest, properties: Object.fromEntries(fields) as Schema['properties'] & object }
}

/** The fields of an answer in the shape of another service: a time is ISO 8601, and `score` is that of reCAPTCHA v3. */
const VENDOR_FIELDS: Readonly<Record<string, Schema>> = {
  challenge_ts: { type: 'string', format: 'date-time' },
  hostname: { type: 'string' },
  score: { type: 'number', minimum: 0, maximum: 1 },
  action: { type: 'string' },
  cdata: { type: 'string' },
  credit: { type: 'boolean' },
  error: { type: 'string' },
  'error-codes': { type: 'array', items: { type: 'string' } },
}

/** Siteverify on the path of another service: the same fields are read, and a wrong request is answered with 200. */
function vendorOperation(name: string, path: string): OpenapiOperation {
  const schema: Schema = {
    type: 'object',
    properties: { success: { type: 'boolean' }, ...VENDOR_FIELDS },
    required: ['success'],
    additionalProperties: false,
  }
  const { siteverify } = OPERATIONS
  // Status 400 is left to what is no request of HTTP, such as one with two hosts: it is refused before its path is read.
  const { 400: _asJudged, ...others } = failures(siteverify.codes)
  const { 400: noRequest } = failures(['bad-request'])
  return {
    operationId: `siteverify-${name}`,
    summary: `Siteverify in the shape of ${name}`,
    description: 'The same judgement as `/api/v1/siteverify`; off by `vendor_paths: false`.',
    tags: ['customer'],
    ...(path.includes('{') && {
      parameters: [{ name: 'sitekey', in: 'path', required: true, schema: { type: 'string' } }],
    }),
    requestBody: requestBody(refer('schemas', 'SiteverifyRequest'), siteverify.request),
    responses: {
      200: answer('Judged, or a wrong request.', schema, 'X-Request-Id'),
      ...others,
      400: noRequest!,
    },
  }
}

const healthOperation = (): OpenapiOperation => ({
  operationId: 'health',
  summary: 'Tells whether the service can do its work',
  tags: ['operator'],
  responses: {
    200: answer('The service can do its work.', refer('schemas', 'HealthAnswer')),
    ...failures(['bad-request']),
    503: answer(
      'The service cannot do its work now.',
      refer('schemas', 'UnhealthyAnswer'),
      'Retry-After',
    ),
  },
})

export function openapiDocument(): OpenapiDocument {
  const schemas = {
    Failure: FAILURE,
    HealthAnswer: HEALTH.answer,
    UnhealthyAnswer: HEALTH.unhealthy,
    ...SHARED,
  } as Record<string, Schema>
  const paths: Record<string, Record<string, OpenapiOperation>> = {}
  for (const [
    name,
    { path, tag, summary, description, request, success, codes, ...of },
  ] of Object.entries(OPERATIONS)) {
    const title = `${name[0]!.toUpperCase()}${name.slice(1)}`
    schemas[`${title}Request`] = requestSchema(request)
    schemas[`${title}Answer`] = answerSchema(of.answer)
    const post: OpenapiOperation = {
      operationId: name,
      summary,
      description,
      tags: [tag],
      requestBody: requestBody(refer('schemas', `${title}Request`), request),
      responses: {
        200: answer(success, refer('schemas', `${title}Answer`), 'X-Request-Id'),
        ...failures(codes),
      },
    }
    paths[path] = { post }
  }
  for (const [name, { path }] of Object.entries(SHAPES))
    paths[path] = { post: vendorOperation(name, path) }
  paths[HEALTH.path] = { get: healthOperation() }
  return {
    openapi: '3.1.0',
    info: {
      title: 'human-verification',
      version: '1',
      description:
        'Verifies whether a request comes from a person. HTTP 200 of siteverify means judged, not accepted.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'Wherever you run it.' }],
    // The secret of siteverify is a field of its body.
    security: [],
    tags: [
      { name: 'page', description: 'Called by the widget. The hostname is taken from `Origin`.' },
      { name: 'customer', description: 'Called by your server. Never has CORS headers.' },
      { name: 'operator', description: 'Called by load balancers.' },
    ],
    paths,
    components: { schemas, responses: sharedFailures(), headers: HEADERS },
  }
}

/** `openapi.json`. */
export const publishedOpenapi = (): string => JSON.stringify(openapiDocument())
