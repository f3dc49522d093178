/** docs/api.md: its tables are openapi.json's and the table of codes, and what its curl lines are answered is the answer. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Code, CODES } from '../../src/domain/codes.ts'
import type { Schema } from '../../src/openapi/answers.ts'
import type { OpenapiDocument, OpenapiOperation } from '../../src/openapi/document.ts'
import { table } from './pages.ts'

const FILE = 'docs/api.md'
const page = (): string => readFileSync(FILE, 'utf8')
const { paths, components } = JSON.parse(readFileSync('openapi.json', 'utf8')) as OpenapiDocument
const operations = Object.values(paths).flatMap((path) => Object.values(path)) as Operation[]

interface Operation extends OpenapiOperation {
  readonly operationId: string
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
}

/** What a code means, and what whoever gets it does. A code without words does not compile. */
const CODE_SAYS: Readonly<Record<Code, readonly [means: string, act: string]>> = {
  'timeout-or-duplicate': [
    'The token is over, or was judged before.',
    'Refuse. The visitor sends the form again, with a new token.',
  ],
  'action-mismatch': [
    'The token is for another action than `action`; the answer has the token’s.',
    'Refuse. If people meet it, compare `data-action` with what your handler sends; case counts.',
  ],
  'remoteip-mismatch': [
    'The token was solved from another address than `remoteip`.',
    'Refuse. If many people meet it, look at how you find the address and at `trusted_proxies`, or leave `remoteip` out.',
  ],
  'low-score': ['`score` is below `score_threshold`.', 'Refuse, and offer another way in.'],
  'missing-input-secret': ['`secret` is absent or empty.', 'Refuse, and send it. Is the variable set?'],
  'invalid-input-secret': [
    'No site has this secret, or its time is over.',
    'Refuse, and mend it: `hv site list` shows the sites, `hv site rotate` makes a new secret.',
  ],
  'missing-input-response': [
    '`response` is absent or empty.',
    'Refuse. If people meet it, read the form’s field by its name: `svc-response`, or `data-response-field-name`.',
  ],
  'invalid-input-response': [
    'No token of this site: made up, altered, or another site’s. It is not used up.',
    'Refuse. If people meet it, are sitekey and secret of one site, and is the page’s service this one?',
  ],
  'missing-input-sitekey': ['`sitekey` is absent or empty.', 'Set `data-sitekey`.'],
  'invalid-input-sitekey': ['No site has this sitekey.', 'Compare `data-sitekey` with `hv site list`.'],
  'hostname-not-allowed': [
    'The page’s hostname is not among the site’s `hostnames`, or no `Origin` was sent.',
    'Add it to the site, if it is yours.',
  ],
  'action-not-allowed': ['The action is not among the site’s `actions`.', 'Add it to the site, or mend `data-action`.'],
  'invalid-input-challenge': [
    'No challenge of this service: absent, altered, or of a key or a site that is gone.',
    'Ask for a new challenge; the widget does.',
  ],
  'challenge-expired': [
    'The challenge is over, was used with another body, or is older than the ledger’s data.',
    'Ask for a new challenge; the widget does.',
  ],
  'invalid-input-solution': [
    'The solution is absent, malformed or wrong.',
    'Ask for a new challenge. Is the script as new as the service?',
  ],
  'bad-request': [
    'A field is malformed (`remoteip` is no address, `idempotency_key` no UUID of version 4 or 7) or given twice, or the body is not what its type says. With solve also: another origin than the challenge’s.',
    'Refuse, and mend the request.',
  ],
  'not-found': ['There is nothing at this path.', 'Mend the address: case counts, and so does a slash at the end.'],
  'method-not-allowed': ['The path does not take this method.', 'Use one of those that `Allow` names.'],
  'payload-too-large': ['The body is larger than 16 KiB.', 'Refuse, and send the fields of this page only.'],
  'unsupported-media-type': [
    'The body is neither a form nor JSON in UTF-8, or it is compressed.',
    'Refuse, and set `Content-Type`.',
  ],
  'rate-limit-exceeded': [
    'Asked too often: a site’s verifications, wrong secrets of an address, or a visitor’s challenges and solutions. A token is not used up.',
    'Refuse, or ask again after `Retry-After`. If people meet it, raise `limits`, or set `trusted_proxies`.',
  ],
  'internal-error': [
    'A defect of ours.',
    'Refuse. Look for the answer’s `X-Request-Id` in the log of the service, and tell us.',
  ],
  'database-unavailable': [
    'The ledger cannot be asked, or did not answer in time. The token may be used up.',
    'Refuse, or ask again after `Retry-After` with the same `idempotency_key`. [operations.md](operations.md) says what its operator does.',
  ],
  'database-schema-outdated': [
    'The data in the ledger are not of this version’s schema. The token may be used up.',
    'Refuse. The log of the service says what it found.',
  ],
  'rate-limiter-unavailable': [
    'The limiter cannot be asked, or the service has more requests than it can serve. The token may be used up.',
    'Refuse, or ask again after `Retry-After` with the same `idempotency_key`.',
  ],
}

const linked = (text = ''): string => text.replaceAll(/docs\/(\w+\.md)/g, '[$1]($1)')
const ticked = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ')

/** The fields of an object, each with its type and what the document says of it. */
function fields({ properties = {} }: Schema, others: Readonly<Record<string, string>> = {}): string {
  const rows = Object.entries(properties).map(([name, { type, description }]) => [
    `\`${name}\``,
    String(type),
    linked(description ?? others[name]),
  ])
  return table(['Field', 'Type', 'Is'], rows)
}

function request(name: string): string {
  const { requestBody } = operations.find(({ operationId }) => operationId === name)!
  const { properties = {}, required = [] } = requestBody!.content['application/json']!.schema
  const rows = Object.entries(properties).map(([field, { description }]) => [
    `\`${field}\``,
    required.includes(field) ? 'yes' : 'no',
    linked(description),
  ])
  return table(['Field', 'Required', 'Is'], rows)
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
      act,
    ]
  })
  return table(['Code', 'HTTP', 'Of', 'Means', 'Do'], rows)
}

const { SiteverifyAnswer, ChallengeAnswer, SolveAnswer } = components.schemas
const [accepted, ...rejected] = SiteverifyAnswer!.oneOf!

const PARTS: Readonly<Record<string, () => string>> = {
  'siteverify request': () => request('siteverify'),
  'accepted answer': () => fields(accepted!, { success: '`true`.', 'error-codes': 'Empty.' }),
  'rejected answers': () => {
    const rows = rejected.map((schema) => {
      const { success: _, 'error-codes': list, ...more } = schema.properties!
      const also = Object.keys(more).map((name) => `\`${name}\`${schema.required!.includes(name) ? '' : ' (where the site has `reasons: true`)'}`)
      return [ticked(valuesIn(list)), also.join(', ') || 'no others']
    })
    return table(['Code', 'Fields besides'], rows)
  },
  'challenge request': () => request('challenge'),
  'challenge answer': () => fields(ChallengeAnswer!),
  'solve request': () => request('solve'),
  'solve answer': () => fields(SolveAnswer!),
  codes,
}

test('every table is what the code says (npm run docs:pages writes it)', () => {
  const missing = new Set(Object.keys(PARTS))
  const written = page().replaceAll(
    /(<!-- ([a-z ]+): npm run docs:pages writes it -->\n)[^]*?(<!-- end -->)/g,
    (_all, before: string, name: string, after: string) => {
      missing.delete(name)
      return `${before}${PARTS[name]!()}\n${after}`
    },
  )
  expect([...missing]).toEqual([])
  if (process.env['DOCS_WRITE'] === '1') writeFileSync(FILE, written)
  expect(page()).toBe(written)
})

test('every operation has its place', () => {
  for (const path of Object.keys(paths)) expect(page()).toContain(` ${path}`)
})

let server: ChildProcess
let base: string
beforeAll(async () => {
  server = spawn(process.execPath, ['dist/main.js', 'test-server', '--listen', '127.0.0.1:0'], {
    env: {},
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  for await (const line of createInterface(server.stdout!)) {
    base = /^human-verification test server: (http:\S+)$/.exec(line)?.[1] ?? ''
    if (base !== '') break
  }
  server.stdout!.resume()
})
afterAll(async () => {
  if (server.exitCode === null && server.kill('SIGTERM')) await once(server, 'exit')
})

/** What a curl line asks, as far as this page writes them: `-d`, `-H`, one address. */
async function asked(command: string): Promise<string> {
  const words = [...command.replaceAll('\\\n', '').matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare!)
  const after = (flag: string): string[] => words.filter((_, i) => words[i - 1] === flag)
  const [data, [header]] = [after('-d'), after('-H')]
  const type = header?.split(': ')[1] ?? 'application/x-www-form-urlencoded'
  const address = words.find((word) => word.startsWith('http:'))!.replace('http://127.0.0.1:8082', base)
  const post = { method: 'POST', headers: { 'content-type': type }, body: data.join('&') }
  return (await fetch(address, data.length > 0 ? post : {})).text()
}

test('every curl line of the test server is answered as it says', async () => {
  const pairs = [...page().matchAll(/^```sh\n(curl [^]*?127\.0\.0\.1:8082[^]*?)\n```\n\n```json\n(.*)\n```$/gm)]
  expect(pairs).toHaveLength(3)
  const now = (answer: string): string => answer.replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/, 'now')
  for (const [, command, answer] of pairs) expect(now(await asked(command!))).toBe(now(answer!))
})
