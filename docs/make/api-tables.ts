/** The tables of docs/api/api.md, from the table of the wire, the codes and the settings. */
import { type Code, CODES } from '../../src/domain/codes.ts'
import { TICKET_LIFETIME } from '../../src/claims/ticket.ts'
import { LISTENER } from '../../src/http/listener-limits.ts'
import { CONFIG } from '../../src/settings/table.ts'
import { BODY_LIMIT, OPERATIONS, SIGNALS_LIMIT } from '../../src/wire.ts'
import { openapiDocument, type Reference, resolved, type Schema } from './openapi.ts'
import { linkCitations, type Parts, table, writtenCells } from './table.ts'

const document = openapiDocument()
/** The shapes of other services have no rows: they answer with the codes of siteverify. */
const operations = Object.values(document.paths)
  .flatMap((path) => Object.values(path))
  .filter(({ operationId }) => !operationId.startsWith('siteverify-'))

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
  const all = Object.assign({}, ...schemas.map(({ properties }) => properties)) as Record<
    string,
    Schema
  >
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
  return by.length === operations.length
    ? 'any'
    : by.map(({ operationId }) => operationId).join(', ')
}

/** The table of codes; the meaning and the remedy of each are written in the page. */
function codes(written: string): string {
  const rows = (Object.keys(CODES) as Code[]).map((code) => {
    const [, , means, remedy] = writtenCells(written, `\`${code}\``)
    return [`\`${code}\``, String(CODES[code]), operationsOf(code), means!, remedy!]
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
    const by = variants
      .filter(({ properties }) => name in properties)
      .map((variant) => variant.name)
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
      ...Object.entries(rates!.properties!).map(([name, rate]) => [
        ...of(rate),
        `\`limits.${name}\``,
      ]),
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
      fixed('Requests of a connection at a time.', '1'),
      fixed('Header lines of a request.', String(LISTENER.headers)),
      fixed(
        'All headers of a request; beyond it HTTP 431 with `bad-request`.',
        `${LISTENER.headerBytes / 1024} KiB`,
      ),
    ],
  )
}

/** Each table of docs/api/api.md, by the name of its marks. */
export const apiParts = (): Parts => ({
  'siteverify request': request('siteverify'),
  'challenge request': request('challenge'),
  'solve request': request('solve'),
  'challenge answer': fields(answersOf('challenge')),
  'solve answer': fields(answersOf('solve')),
  'siteverify answer': siteverifyAnswer(),
  codes,
  limits: limits(),
})
