import { CODES, type Code } from '../domain/codes.ts'
import { ANSWERS, failureOf, type Schema } from './answers.ts'
import { REQUESTS } from './requests.ts'

/** An answer: what it means, the headers it always has, its body. */
interface Answer {
  readonly description: string
  readonly headers: Readonly<Record<string, object>>
  readonly content: Readonly<Record<string, { readonly schema: Schema }>>
}

/** OpenAPI 3.1, as far as we use it. */
export interface OpenapiDocument {
  readonly openapi: '3.1.0'
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenapiOperation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    /** Whatever is asked for: a method or a path that is not there, a request that is no HTTP. */
    readonly responses: Readonly<Record<'NotFound' | 'MethodNotAllowed' | 'Malformed', Answer>>
  }
  readonly [more: string]: unknown
}

export interface OpenapiOperation {
  readonly responses: Readonly<Record<string, Answer>>
  readonly [more: string]: unknown
}

const header = (description: string, schema: Schema): object => ({ description, required: true, schema })
const NO_STORE = header('Never kept by a cache.', { type: 'string', const: 'no-store' })
const RETRY_AFTER = header('Seconds until asking again makes sense.', { type: 'string', pattern: '^[1-9][0-9]*$' })
const ALLOW = header('The methods of this path.', { type: 'string', pattern: '^(POST|GET, HEAD|GET, HEAD, POST)$' })

const answer = (description: string, schema: Schema, headers: Record<string, object> = {}): Answer => ({
  description,
  headers: { 'Cache-Control': NO_STORE, ...headers },
  content: { 'application/json; charset=utf-8': { schema } },
})

const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })

/** What each status means, whatever the operation. docs/design/contract.md, "Codes". */
const MEANINGS: Readonly<Record<number, string>> = {
  400: 'The request is wrong. Fix the integration, or obtain a new token.',
  404: 'There is nothing at this path.',
  405: 'The path does not take this method.',
  413: 'The body is larger than 16 KiB.',
  415: 'The body is neither a form nor JSON in UTF-8, or it is compressed.',
  429: 'Asked too often. Back off as `Retry-After` says.',
  500: 'A defect of ours; logged, nothing of it shown.',
  503: 'Could not be judged now. Fail closed; a token that was sent may be used up.',
}

/** Failures of every operation that reads a body. */
const ANYWHERE = ['bad-request', 'payload-too-large', 'unsupported-media-type', 'internal-error'] as const
const STORES = ['database-unavailable', 'database-schema-outdated', 'rate-limiter-unavailable'] as const

/** The failures of an operation, by status; the status of each code stands in the table of codes. */
function failures(codes: readonly Code[]): Record<string, Answer> {
  const statuses = [...new Set(codes.map((code) => CODES[code]))].sort((a, b) => a - b)
  return Object.fromEntries(
    statuses.map((status) => [
      String(status),
      answer(
        MEANINGS[status]!,
        failureOf(codes.filter((code) => CODES[code] === status)),
        status === 429 || status === 503 ? { 'Retry-After': RETRY_AFTER } : {},
      ),
    ]),
  )
}

interface Words {
  readonly summary: string
  readonly description: string
  readonly tag: string
}

function post(
  name: keyof typeof REQUESTS,
  { summary, description, tag }: Words,
  success: string,
  codes: readonly Code[],
): OpenapiOperation {
  const { json, form } = REQUESTS[name]
  return {
    operationId: name,
    summary,
    description,
    tags: [tag],
    requestBody: {
      required: true,
      content: { 'application/x-www-form-urlencoded': { schema: form }, 'application/json': { schema: json } },
    },
    responses: { '200': answer(success, ref(`${capitalised(name)}Answer`)), ...failures([...codes, ...ANYWHERE]) },
  }
}

const capitalised = (name: string): string => name.slice(0, 1).toUpperCase() + name.slice(1)

/**
 * The four operations as an OpenAPI 3.1 document: requests from the schemas that check them, codes and status from the
 * one table of codes. `openapi.json` is this, written out; tests hold every answer against it.
 */
export function openapiDocument(): OpenapiDocument {
  return {
    openapi: '3.1.0',
    info: {
      title: 'human-verification',
      version: '1',
      description: 'Tells whether a request comes from a person. HTTP 200 of siteverify means judged, not accepted.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'Wherever you run it.' }],
    tags: [
      { name: 'page', description: 'Asked by the widget. The hostname is taken from `Origin`.' },
      { name: 'customer', description: 'Asked by your server. No CORS headers, ever.' },
      { name: 'operator', description: 'Asked by load balancers.' },
    ],
    paths: {
      '/api/v1/challenge': {
        post: post(
          'challenge',
          { tag: 'page', summary: 'A challenge for a page', description: 'A form needs no preflight.' },
          'Issued.',
          [
            'missing-input-sitekey',
            'invalid-input-sitekey',
            'hostname-not-allowed',
            'action-not-allowed',
            'invalid-input-ticket',
            'ticket-expired',
            'rate-limit-exceeded',
            ...STORES,
          ],
        ),
      },
      '/api/v1/solve': {
        post: post(
          'solve',
          {
            tag: 'page',
            summary: 'A response token for a solved challenge',
            description:
              'The first body uses the challenge up; the same body again is answered again. A ticket comes in place of the token only where the request said `step_up`.',
          },
          'Solved.',
          [
            'invalid-input-challenge',
            'challenge-expired',
            'invalid-input-solution',
            'invalid-input-ticket',
            'ticket-expired',
            'rate-limit-exceeded',
            ...STORES,
          ],
        ),
      },
      '/api/v1/siteverify': {
        post: post(
          'siteverify',
          {
            tag: 'customer',
            summary: 'The verdict about a response token',
            description:
              'Every verdict uses the token up. Require all seven validation rules (docs/design/contract.md); when in doubt, refuse.',
          },
          'Judged: accepted, or rejected with one code.',
          ['missing-input-secret', 'invalid-input-secret', 'missing-input-response', 'rate-limit-exceeded', ...STORES],
        ),
      },
      '/health': {
        get: {
          operationId: 'health',
          summary: 'Tells whether the service can do its work',
          tags: ['operator'],
          responses: {
            '200': answer('It can.', ref('HealthAnswer')),
            ...failures(['internal-error']),
            '503': answer('It cannot now.', ref('UnhealthyAnswer'), { 'Retry-After': RETRY_AFTER }),
          },
        },
      },
    },
    components: {
      schemas: ANSWERS,
      responses: {
        NotFound: answer(MEANINGS[404]!, failureOf(['not-found'])),
        MethodNotAllowed: answer(MEANINGS[405]!, failureOf(['method-not-allowed']), { Allow: ALLOW }),
        Malformed: answer('The body cannot be read as a request.', failureOf(['bad-request'])),
      },
    },
  }
}

/** `openapi.json`. */
export const publishedOpenapi = (): string => `${JSON.stringify(openapiDocument(), undefined, 2)}\n`
