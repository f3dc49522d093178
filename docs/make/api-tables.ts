/** The tables of docs/api/api.md, from the OpenAPI document and the table of codes. */
import { type Code, CODES } from '../../src/domain/codes.ts'
import type { Schema } from '../../src/openapi/answers.ts'
import { openapiDocument, type OpenapiOperation } from '../../src/openapi/document.ts'
import { linkCitations, table } from './table.ts'

const { paths, components } = openapiDocument()
const operations = Object.values(paths).flatMap((path) => Object.values(path)) as Operation[]

interface Operation extends OpenapiOperation {
  readonly operationId: string
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
}

/** What a code means, and what whoever gets it does. A code without words does not compile. */
const CODE_SAYS: Readonly<Record<Code, readonly [means: string, act: string]>> = {
  'timeout-or-duplicate': [
    'The token has expired, or was judged before.',
    'Refuse. The visitor sends the form again, with a new token.',
  ],
  'action-mismatch': [
    'The token is for another action than `action`; the answer has the token’s.',
    'Refuse. If people meet it, compare `data-action`; case counts.',
  ],
  'remoteip-mismatch': [
    'The token was solved from another address than `remoteip`.',
    'Refuse. If many people meet it, look at `trusted_proxies`, or leave `remoteip` out.',
  ],
  'low-score': ['`score` is below `score_threshold`.', 'Refuse, and offer another way in.'],
  'missing-input-secret': ['`secret` is absent or empty.', 'Refuse, and send it. Is the variable set?'],
  'invalid-input-secret': [
    'No site has this secret, or its time has passed.',
    'Refuse, and fix it: `hv site list` shows the sites, `hv site rotate` makes a new secret.',
  ],
  'missing-input-response': [
    '`response` is absent or empty.',
    'Refuse. If people meet it, read the form’s field by its name: `svc-response`, or `data-response-field-name`.',
  ],
  'invalid-input-response': [
    'No token of this site: made up, altered or foreign. It is not used up.',
    'Refuse. If people meet it, compare sitekey and secret.',
  ],
  'missing-input-sitekey': ['`sitekey` is absent or empty.', 'Set `data-sitekey`.'],
  'invalid-input-sitekey': ['No site has this sitekey.', 'Compare `data-sitekey` with `hv site list`.'],
  'hostname-not-allowed': [
    'The page’s hostname is not among the site’s `hostnames`, or no `Origin` was sent.',
    'Add it to the site, if it is yours.',
  ],
  'action-not-allowed': ['The action is not among the site’s `actions`.', 'Add it to the site, or fix `data-action`.'],
  'invalid-input-challenge': [
    'No challenge of this service: absent, altered, or of a key or a site that is gone.',
    'Ask for a new challenge; the widget does.',
  ],
  'challenge-expired': [
    'The challenge has expired, was used with another body, or is older than the ledger’s data.',
    'Ask for a new challenge; the widget does.',
  ],
  'invalid-input-solution': [
    'The solution is absent, malformed or wrong.',
    'Ask for a new challenge. Is the script as new as the service?',
  ],
  'invalid-input-ticket': [
    'The ticket is altered, or of another site, page, address or challenge; or the site gives none.',
    'Ask for an ordinary challenge, without it.',
  ],
  'ticket-expired': [
    'The ticket is older than ten minutes; of solve also: it was used.',
    'Ask for an ordinary challenge, without it.',
  ],
  'bad-request': [
    'A field is malformed or given twice, or the body is not of its type; at solve: another origin.',
    'Refuse, and fix the request.',
  ],
  'not-found': ['There is nothing at this path.', 'Fix the address: case counts, and so does a slash at the end.'],
  'method-not-allowed': ['The path does not take this method.', 'Use one of those that `Allow` names.'],
  'payload-too-large': ['The body is larger than 16 KiB.', 'Refuse, and send the fields of this page only.'],
  'unsupported-media-type': [
    'The body is neither a form nor JSON in UTF-8, or it is compressed.',
    'Refuse, and set `Content-Type`.',
  ],
  'rate-limit-exceeded': [
    'Asked too often. A token is not used up.',
    'Ask again after `Retry-After`. If people meet it, see `limits` and `trusted_proxies`.',
  ],
  'internal-error': [
    'A defect of ours.',
    'Refuse. Look for the answer’s `X-Request-Id` in the log of the service, and tell us.',
  ],
  'database-unavailable': [
    'The ledger did not answer in time. The token may be used up.',
    'Ask again, same `idempotency_key` (docs/operate/operations.md).',
  ],
  'database-schema-outdated': [
    'The ledger has another version’s schema. The token may be used up.',
    'Refuse. The log of the service says what it found.',
  ],
  'rate-limiter-unavailable': [
    'Limiter silent or service overloaded. The token may be used up.',
    'Ask again, same `idempotency_key`, after `Retry-After`.',
  ],
}

const linked = (text = ''): string => linkCitations(text, 'api')
const ticked = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ')

/** The fields of an object, each with its type and what the document says of it. */
function fields({ properties = {} }: Schema, others: Readonly<Record<string, string>> = {}): string {
  const rows = Object.entries(properties).map(([name, { type, description }]) => [
    `\`${name}\``,
    String(type),
    linked(description ?? others[name]),
  ])
  return table(['Field', 'Type', 'Meaning'], rows)
}

function request(name: string): string {
  const { requestBody } = operations.find(({ operationId }) => operationId === name)!
  const { properties = {}, required = [] } = requestBody!.content['application/json']!.schema
  const rows = Object.entries(properties).map(([field, { description }]) => [
    `\`${field}\``,
    required.includes(field) ? 'yes' : 'no',
    linked(description),
  ])
  return table(['Field', 'Required', 'Meaning'], rows)
}

/** Every text that a part of the document lists as a value, in what it refers to as well. */
function valuesIn(part: unknown): readonly string[] {
  if (part === null || typeof part !== 'object') return []
  const { enum: values = [], $ref } = part as { enum?: string[]; $ref?: string }
  const named = $ref === undefined ? undefined : components.schemas[$ref.split('/').at(-1)!]
  return [...values, ...[...Object.values(part), named].flatMap(valuesIn)]
}

function codes(): string {
  const { NotFound, MethodNotAllowed } = components.responses
  const anywhere = valuesIn([NotFound, MethodNotAllowed])
  const rows = (Object.keys(CODES) as Code[]).map((code) => {
    const by = operations.filter(({ responses }) => valuesIn(responses).includes(code))
    const [means, act] = CODE_SAYS[code]
    const isAnywhere = anywhere.includes(code) || by.length === operations.length
    return [
      `\`${code}\``,
      String(CODES[code]),
      isAnywhere ? 'any' : by.map(({ operationId }) => operationId).join(', '),
      means,
      linked(act),
    ]
  })
  return table(['Code', 'HTTP', 'Operations', 'Meaning', 'Remedy'], rows)
}

const { SiteverifyAnswer, ChallengeAnswer, SolveAnswer } = components.schemas
const [accepted, ...rejected] = SiteverifyAnswer!.oneOf!

/**
 * When an optional field is present, from its description: "Only for a site with `reasons: true`: why …".
 * @throws {Error} when the description does not begin so
 */
function onlyWhen(name: string, description = ''): string {
  const when = /^Only ((?:`[^`]*`|[^`:.])+)[:.]/.exec(description)?.[1]
  if (when === undefined) throw new Error(`the description of ${name} has to begin with "Only …:", when it is present`)
  return when
}

function rejectedAnswers(): string {
  const rows = rejected.map((schema) => {
    const { success: _, 'error-codes': list, ...more } = schema.properties!
    const also = Object.entries(more).map(([name, { description }]) =>
      schema.required!.includes(name) ? `\`${name}\`` : `\`${name}\` (${onlyWhen(name, description)})`,
    )
    return [ticked(valuesIn(list)), also.join(', ') || 'no others']
  })
  return table(['Code', 'Other fields'], rows)
}

/** Each table, by the name of its marks. */
export const apiParts = (): Readonly<Record<string, string>> => ({
  'siteverify request': request('siteverify'),
  'accepted answer': fields(accepted!, { success: '`true`.', 'error-codes': 'Empty.' }),
  'rejected answers': rejectedAnswers(),
  'challenge request': request('challenge'),
  'challenge answer': fields(ChallengeAnswer!),
  'solve request': request('solve'),
  'solve answer': fields(SolveAnswer!),
  codes: codes(),
})
