/** openapi.json: the four operations as an OpenAPI 3.1 document, from the table of the wire and the one table of codes. */
import { CODES, type FaultCode } from '../../src/domain/codes.ts'
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

/** An answer: what it means, its headers, its body. */
export interface Answer {
  readonly description: string
  readonly headers: Readonly<Record<string, { readonly required: boolean; readonly schema: Schema }>>
  readonly content: Readonly<Record<string, { readonly schema: Schema }>>
}

export interface OpenapiOperation {
  readonly operationId: string
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
  readonly responses: Readonly<Record<string, Answer>>
  readonly [more: string]: unknown
}

export interface OpenapiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenapiOperation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
  readonly [more: string]: unknown
}

const header = (description: string, schema: Schema, required = true) => ({ description, required, schema })
const NO_STORE = header('Never cached.', { type: 'string', const: 'no-store' })
const RETRY_AFTER = header('Seconds to wait before a retry.', { type: 'string', pattern: '^[1-9][0-9]*$' })
const ALLOW = header('The methods of this path.', { type: 'string', pattern: '^(POST|GET, HEAD|GET, HEAD, POST)$' })
const REQUEST_ID = header('Names the request in the log of the service.', { type: 'string' }, false)

/** What each status means, whatever the operation, and the headers it has. */
const STATUSES: Readonly<Record<number, readonly [means: string, headers?: Answer['headers']]>> = {
  400: ['The request is wrong. Fix the integration, or obtain a new token.'],
  404: ['No such path; case and a trailing slash count.'],
  405: ['The path does not allow this method.', { Allow: ALLOW }],
  413: ['The body is larger than 16 KiB.'],
  415: ['The body is neither a form nor JSON in UTF-8, or it is compressed.'],
  429: ['Too many requests. Back off as `Retry-After` says.', { 'Retry-After': RETRY_AFTER }],
  500: ['Internal error; details are in the log only.'],
  503: ['Could not be judged now. Fail closed; a token that was sent may be consumed.', { 'Retry-After': RETRY_AFTER }],
}

const answer = (description: string, schema: object, headers: Answer['headers'] = {}): Answer => ({
  description,
  headers: { 'Cache-Control': NO_STORE, ...headers },
  content: { 'application/json; charset=utf-8': { schema: schema as Schema } },
})
const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })

/** The failures of an operation, by status, and those of every path. */
function failures(codes: readonly FaultCode[], headers: Answer['headers'] = {}): Record<string, Answer> {
  const all = [...codes, 'not-found', 'method-not-allowed', 'internal-error'] as const
  const statuses = [...new Set(all.map((code) => CODES[code]))].toSorted((a, b) => a - b)
  return Object.fromEntries(
    statuses.map((status) => {
      const [means, own] = STATUSES[status]!
      return [status, answer(means, failureOf(all.filter((code) => CODES[code] === status)), { ...headers, ...own })]
    }),
  )
}

/** A body as a JSON object, in which `null` counts as absent, and as a form, in which an object is its JSON text. */
function bodies({ properties = {}, required = [] }: Schema): OpenapiOperation['requestBody'] & object {
  const each = (spell: (field: Schema, name: string) => Schema): { readonly schema: Schema } => ({
    schema: {
      type: 'object',
      properties: Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, spell(field, name)])),
      required,
    },
  })
  const orNull = ({ enum: values, ...field }: Schema): Schema => ({
    ...field,
    type: [field.type as string, 'null'],
    ...(Array.isArray(values) && { enum: [...(values as string[]), null] }),
  })
  const form = each((field) =>
    field.type === 'object'
      ? { type: 'string', contentMediaType: 'application/json', contentSchema: field, description: field.description! }
      : field,
  )
  const json = each((field, name) => (required.includes(name) ? field : orNull(field)))
  return {
    content: { 'application/x-www-form-urlencoded': form, 'multipart/form-data': form, 'application/json': json },
  }
}

export function openapiDocument(): OpenapiDocument {
  const schemas: Record<string, Schema> = { HealthAnswer: HEALTH.answer, UnhealthyAnswer: HEALTH.unhealthy }
  const paths: Record<string, Record<string, OpenapiOperation>> = {}
  for (const [name, { path, tag, summary, description, request, success, codes, ...of }] of Object.entries(
    OPERATIONS,
  )) {
    const schema = `${name[0]!.toUpperCase()}${name.slice(1)}Answer`
    schemas[schema] = of.answer
    const headers = { 'X-Request-Id': REQUEST_ID }
    const responses = { 200: answer(success, ref(schema), headers), ...failures(codes, headers) }
    const requestBody = { required: true, ...bodies(request) }
    paths[path] = { post: { operationId: name, summary, description, tags: [tag], requestBody, responses } }
  }
  const health = {
    200: answer('The service can do its work.', ref('HealthAnswer')),
    ...failures(['bad-request']),
    503: answer('The service cannot do its work now.', ref('UnhealthyAnswer'), { 'Retry-After': RETRY_AFTER }),
  }
  const summary = 'Tells whether the service can do its work'
  paths[HEALTH.path] = { get: { operationId: 'health', summary, tags: ['operator'], responses: health } }
  return {
    openapi: '3.1.0',
    info: {
      title: 'human-verification',
      version: '1',
      description: 'Verifies whether a request comes from a person. HTTP 200 of siteverify means judged, not accepted.',
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
    components: { schemas },
  }
}

/** `openapi.json`. */
export const publishedOpenapi = (): string => `${JSON.stringify(openapiDocument(), undefined, 2)}\n`
