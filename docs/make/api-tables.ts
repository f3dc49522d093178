/** The tables of docs/api/api.md, from the table of the wire, the codes and the settings. */
import { type Code, CODES } from '../../src/domain/codes.ts'
import { TICKET_LIFETIME } from '../../src/domain/ticket.ts'
import { LISTENER } from '../../src/http/listen.ts'
import { CONFIG } from '../../src/settings/table.ts'
import { BODY_LIMIT, OPERATIONS, SIGNALS_LIMIT } from '../../src/wire.ts'
import { openapiDocument, type Reference, resolved, type Schema } from './openapi.ts'
import { linkCitations, table } from './table.ts'

const document = openapiDocument()
const operations = Object.values(document.paths).flatMap((path) => Object.values(path))

/** What a code means, and what its receiver should do. A code without words does not compile. */
const CODE_SAYS: Readonly<Record<Code, readonly [means: string, act: string]>> = {
  'timeout-or-duplicate': [
    'The token has expired, or was already used.',
    'Refuse. The visitor sends the form again, with a new token.',
  ],
  'action-mismatch': [
    'The token is for another action than `action`; the answer has the token’s.',
    'Refuse. If real visitors get it, compare `data-action`; case counts.',
  ],
  'remoteip-mismatch': [
    'The token was solved from another address than `remoteip`.',
    'Refuse. If many visitors get it, look at `trusted_proxies`, or leave `remoteip` out.',
  ],
  'low-score': ['`score` is below `score_threshold`.', 'Refuse, and offer another way.'],
  'missing-input-secret': ['`secret` is absent or empty.', 'Refuse, and send it. Is the variable set?'],
  'invalid-input-secret': [
    'No site has this secret, or it has expired.',
    'Refuse, and fix it: `hv site list` shows the sites, `hv site rotate` makes a new secret.',
  ],
  'missing-input-response': [
    '`response` is absent or empty.',
    'Refuse. If real visitors get it, read the form’s field by its name: `svc-response`, or `data-response-field-name`.',
  ],
  'invalid-input-response': [
    'Not a token of this site: invented, altered or foreign. It is not consumed.',
    'Refuse. If real visitors get it, compare sitekey and secret.',
  ],
  'missing-input-sitekey': ['`sitekey` is absent or empty.', 'Set `data-sitekey`.'],
  'invalid-input-sitekey': ['No site has this sitekey.', 'Compare `data-sitekey` with `hv site list`.'],
  'hostname-not-allowed': [
    'The page’s hostname is not among the site’s `hostnames`, or no `Origin` was sent.',
    'Add it to the site, if it is yours.',
  ],
  'action-not-allowed': ['The action is not among the site’s `actions`.', 'Add it to the site, or fix `data-action`.'],
  'invalid-input-challenge': [
    'Not a valid challenge: absent, altered, or of a removed key or site.',
    'Request a new challenge; the widget does so itself.',
  ],
  'challenge-expired': [
    'The challenge has expired, was used with another body, or is older than the ledger’s data.',
    'Request a new challenge; the widget does so itself.',
  ],
  'invalid-input-solution': [
    'The solution is absent, malformed or wrong.',
    'Request a new challenge. Is the script as new as the service?',
  ],
  'invalid-input-ticket': [
    'The ticket is altered, or of another site, page, address or challenge; or the site gives none.',
    'Request an ordinary challenge, without a ticket.',
  ],
  'ticket-expired': [
    'The ticket is older than ten minutes; of solve also: it was used.',
    'Request an ordinary challenge, without a ticket.',
  ],
  'bad-request': [
    'A field is malformed or given twice, or the body is not of its type; at solve: another origin.',
    'Refuse, and fix the request.',
  ],
  'not-found': ['No such path.', 'Fix the address: case and a trailing slash count.'],
  'method-not-allowed': ['The path does not take this method.', 'Use a method that `Allow` lists.'],
  'payload-too-large': ['The body is larger than 16 KiB.', 'Refuse, and send the fields of this page only.'],
  'unsupported-media-type': [
    'The body is neither a form nor JSON in UTF-8, or it is compressed.',
    'Refuse, and set `Content-Type`.',
  ],
  'rate-limit-exceeded': [
    'Too many requests. The token is not consumed.',
    'Retry after `Retry-After`. If real visitors get it, see `limits` and `trusted_proxies`.',
  ],
  'internal-error': [
    'A bug in the service.',
    'Refuse. Look for the answer’s `X-Request-Id` in the log of the service, and report it.',
  ],
  'database-unavailable': [
    'The ledger did not answer in time. The token may be consumed.',
    'Retry with the same `idempotency_key` (docs/operate/operations.md).',
  ],
  'database-schema-outdated': [
    'The ledger has another version’s schema. The token may be consumed.',
    'Refuse. The log of the service says what it found.',
  ],
  'rate-limiter-unavailable': [
    'The limiter did not answer, or the service is overloaded. The token may be consumed.',
    'Retry with the same `idempotency_key` after `Retry-After`.',
  ],
}

type Name = keyof typeof OPERATIONS

function request(name: Name): string {
  const { properties, required = [] } = OPERATIONS[name].request as Schema
  const rows = Object.entries(properties!).map(([field, { description = '' }]) => [
    `\`${field}\``,
    required.includes(field) ? 'yes' : 'no',
    linkCitations(description, 'api'),
  ])
  return table(['Field', 'Required', 'Meaning'], rows)
}

/** The answers of an operation, each alternative of them: an object and the codes it may have. */
const answersOf = (name: Name): readonly Schema[] => {
  const answer = OPERATIONS[name].answer as Schema
  return answer.anyOf ?? [answer]
}

/** The fields of all alternatives together, each with its type and what the table says of it. */
function fields(schemas: readonly Schema[]): string {
  const all = Object.assign({}, ...schemas.map(({ properties }) => properties)) as Record<string, Schema>
  const rows = Object.entries(all).map(([name, { type, description }]) => {
    if (description === undefined) throw new Error(`the field ${name} has no description`)
    return [`\`${name}\``, String(type), linkCitations(description, 'api')]
  })
  return table(['Field', 'Type', 'Meaning'], rows)
}

/** Every text that a part of the document lists as a value, in what it refers to as well. */
function valuesIn(part: unknown): readonly string[] {
  if (part === null || typeof part !== 'object') return []
  const { enum: values = [], ...more } = part as { enum?: string[] }
  const named = '$ref' in part ? resolved(document, part as Reference) : undefined
  return [...values, ...[...Object.values(more), named].flatMap(valuesIn)]
}

/** The operations that answer with a code. */
function operationsOf(code: Code): string {
  const by = operations.filter(({ responses }) => valuesIn(responses).includes(code))
  return by.length === operations.length ? 'any' : by.map(({ operationId }) => operationId).join(', ')
}

function codes(): string {
  const rows = (Object.keys(CODES) as Code[]).map((code) => {
    const [means, act] = CODE_SAYS[code]
    return [`\`${code}\``, String(CODES[code]), operationsOf(code), means, linkCitations(act, 'api')]
  })
  return table(['Code', 'HTTP', 'Operations', 'Meaning', 'Remedy'], rows)
}

/** All fields of all verdicts, in their order, with the verdicts that have each. */
function siteverifyAnswer(): string {
  const variants = answersOf('siteverify').map(({ properties }) => {
    const [code] = valuesIn(properties!['error-codes'])
    return { name: code === undefined ? 'accepted' : `\`${code}\``, properties: properties! }
  })
  const { 'error-codes': codesOfIt, ...others } = Object.assign(
    {},
    ...variants.map(({ properties }) => properties),
  ) as Record<string, Schema>
  const first = answersOf('siteverify')[0]!.properties!
  const rows = Object.entries({ ...others, 'error-codes': codesOfIt! }).map(([name, schema]) => {
    const { type, description = '' } = first[name] ?? schema
    const by = variants.filter(({ properties }) => name in properties).map((variant) => variant.name)
    const present = by.length === variants.length ? 'always' : by.join(', ')
    return [`\`${name}\``, String(type), present, linkCitations(description, 'api')]
  })
  return table(['Field', 'Type', 'Present', 'Meaning'], rows)
}

interface Setting {
  readonly default?: string
  readonly expected?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Setting>>
  readonly items?: Setting
}

const fixed = (says: string, value: string): string[] => [says, value, 'fixed']

/** Every limit: those that a setting moves, from the table of settings, and the fixed ones. */
function limits(): string {
  const {
    limits: rates,
    sites,
    connections_per_address: ofOneAddress,
    keep_alive: keepAlive,
  } = (CONFIG as Setting).properties!
  const of = ({ default: preset, expected, description }: Setting): string[] => [
    description!,
    `${preset}${/^\d/.test(expected ?? '') ? `; ${expected}` : ''}`,
  ]
  const { token_lifetime: token, challenge_lifetime: challenge } = sites!.items!.properties!
  return table(
    ['Limit', 'Default', 'Setting'],
    [
      ...Object.entries(rates!.properties!).map(([name, rate]) => [...of(rate), `\`limits.${name}\``]),
      [...of(token!), '`sites[].token_lifetime`'],
      [...of(challenge!), '`sites[].challenge_lifetime`'],
      [...of(ofOneAddress!), '`connections_per_address`'],
      [...of(keepAlive!), '`keep_alive`'],
      fixed('Lifetime of a ticket.', `${TICKET_LIFETIME / 60} min`),
      fixed('Body.', `${BODY_LIMIT / 1024} KiB`),
      fixed('`signals`, as JSON.', `${SIGNALS_LIMIT / 1024} KiB`),
      fixed(
        'Time for the headers, and for the whole request, to arrive.',
        `${LISTENER.headersTimeout / 1000} s, ${LISTENER.requestTimeout / 1000} s`,
      ),
      fixed('Connections.', LISTENER.limits.most.toLocaleString('en')),
      fixed('Pending requests of a connection.', String(LISTENER.pipelined)),
    ],
  )
}

/** Each table of docs/api/api.md, by the name of its marks. */
export const apiParts = (): Readonly<Record<string, string>> => ({
  'siteverify request': request('siteverify'),
  'challenge request': request('challenge'),
  'solve request': request('solve'),
  'challenge answer': fields(answersOf('challenge')),
  'solve answer': fields(answersOf('solve')),
  'siteverify answer': siteverifyAnswer(),
  codes: codes(),
  limits: limits(),
})
