/**
 * Almost genuine input crashes nothing, hangs nothing, and is answered as documented: `npm run fuzz`, ten minutes.
 * FUZZ_SECONDS sets the time; FUZZ_SEED, which is printed, repeats a run.
 */
import { randomInt } from 'node:crypto'
import { expect, test } from '@jest/globals'
import fc, { type Arbitrary } from 'fast-check'
import { SHAPES } from '../../src/http/vendor-shapes.ts'
import { leaks } from '../support/leaks.ts'
import { answerProblems } from '../support/openapi.ts'
import { pass } from '../support/pass.ts'
import { ORIGIN, SECRET, type ServiceProcess, SITEKEY, startService } from '../support/process.ts'
import { bytesOf, send } from '../support/raw.ts'
import { BROWSER, post, solved } from '../support/visitor.ts'

const SECONDS = Number(process.env['FUZZ_SECONDS'] ?? 600)
const SEED = Number(process.env['FUZZ_SEED'] ?? randomInt(2 ** 31))
/** Milliseconds that any answer may take. docs/design/threats.md, "Promises". */
const HANG = 2000
const AT_ONCE = 16
/** Tries as often as the time allows; a failure is shown as it came, since a service with a state does not repeat it. */
const TRIES = {
  seed: SEED,
  numRuns: Number.MAX_SAFE_INTEGER,
  interruptAfterTimeLimit: SECONDS * 1000,
  endOnFailure: true,
}

/** A request as its parts, so that one of them can be changed and the rest stays genuine. */
interface Draft {
  readonly method: string
  readonly path: string
  readonly headers: readonly (readonly [string, string])[]
  readonly fields: readonly (readonly [string, unknown])[]
  readonly as: 'form' | 'json'
}
type Change<T> = (from: T) => T

/** Genuine requests of all operations; solving one takes work, so they are used many times. */
async function genuineDrafts({ ask }: ServiceProcess): Promise<Draft[]> {
  const page = { origin: ORIGIN, ...BROWSER }
  const draft = (operation: string, fields: object, headers: object = page): Draft => ({
    method: 'POST',
    path: `/api/v1/${operation}`,
    headers: Object.entries(headers),
    fields: Object.entries(fields),
    as: 'form',
  })
  const body = await solved({ ...ask, cdata: 'basket-7' })
  const minted = await post(`${ask.base}/api/v1/solve`, body, page)
  // Of a visit that shows nothing: refused, with a ticket.
  const thin = await post(
    `${ask.base}/api/v1/solve`,
    { ...(await solved(ask)), signals: '{}' },
    page,
  )
  const refusal = await post(`${ask.base}/api/v1/siteverify`, {
    secret: SECRET,
    response: String(thin.body['token']),
  })
  const ticket = refusal.body['step_up']
  const verify = {
    secret: SECRET,
    response: minted.body['token'],
    remoteip: '127.0.0.1',
    action: 'sign-up',
  }
  return [
    draft('challenge', { sitekey: SITEKEY, action: 'sign-up', cdata: 'basket-7' }),
    draft('challenge', { sitekey: SITEKEY, action: 'sign-up', ticket }),
    draft('solve', body),
    draft('solve', await solved(ask)),
    draft('solve', await solved(ask)),
    draft('solve', { ...(await solved(ask)), ticket, step_up: '1' }),
    draft(
      'siteverify',
      { secret: SECRET, response: await pass({ hostname: new URL(ORIGIN).hostname }) },
      {},
    ),
    draft('siteverify', verify, {}),
    ...Object.values(SHAPES).map(({ path }) => ({
      ...draft('siteverify', { ...verify, sitekey: SITEKEY }, {}),
      path: path.replace('{sitekey}', SITEKEY),
    })),
    draft('siteverify', { ...verify, idempotency_key: '018f4e6a-7b1c-7def-8123-456789abcdef' }, {}),
    { method: 'GET', path: '/health', headers: [], fields: [], as: 'form' },
  ]
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? null)
const reversed = (text: string): string => text.split('').toReversed().join('')
const anyText = fc.string({ unit: 'binary', maxLength: 40 })
const numbers = [-1, 0, 1, 1.5, 999, 1e9, 1e308, Number.MAX_SAFE_INTEGER]
const words = '__proto__ constructor null NaN -0 1e999 0x10 \ud800 % %00 %zz %c0%af'.split(' ')
const addresses = '127.0.0.1 ::1 ::ffff:1.2.3.4 fe80::1%lo 0177.1 1.2.3 ::/0 localhost'.split(' ')

const anotherValue: Arbitrary<Change<unknown>> = fc.oneof(
  fc
    .constantFrom(...numbers, ...words, ...addresses, '', null, true, [], {})
    .map((value) => () => value),
  fc.oneof(anyText, fc.string({ minLength: 5000, maxLength: 20_000 })).map((value) => () => value),
  fc.tuple(fc.nat(), anyText, fc.nat(2)).map(([place, more, cut]) => (value: unknown) => {
    const at = place % (textOf(value).length + 1)
    return textOf(value).slice(0, at) + more.slice(0, 3) + textOf(value).slice(at + cut)
  }),
  fc.constantFrom<Change<unknown>>(
    (value) => [value],
    (value) => textOf(value).slice(0, textOf(value).length / 2),
    (value) => textOf(value).slice(textOf(value).length / 2),
    (value) => textOf(value) + textOf(value),
    (value) => textOf(value).toUpperCase(),
    (value) => reversed(textOf(value)),
    (value) => `${textOf(value)}.${textOf(value).split('.').toReversed().join('.')}`,
  ),
)
const anotherSignal: Arbitrary<Change<unknown>> = fc
  .tuple(fc.nat(), fc.nat(), fc.constantFrom(...numbers, '1', null, true, [], {}))
  .map(([place, inner, to]) => (value: unknown) => {
    const pick = (of: object, at: number): string =>
      [...Object.keys(of), '__proto__'][at % (Object.keys(of).length + 1)]!
    try {
      const summary = JSON.parse(textOf(value)) as Record<string, object>
      const family = pick(summary, place)
      const members = Object(summary[family]) as object
      return JSON.stringify({
        ...summary,
        [family]: inner % 5 === 0 ? to : { ...members, [pick(members, inner)]: to },
      })
    } catch {
      return to
    }
  })

const HEADERS = `Origin: null
Origin: https://shop.example.com.evil.example
Origin: https://shop.example.com:99999
Origin: https://[::1
Content-Type: text/plain
Content-Type: application/json; charset=utf-16
Content-Type: multipart/form-data; boundary=x
Content-Encoding: gzip
X-Forwarded-For: 203.0.113.7, unknown, ::1
X-Forwarded-For: ${','.repeat(500)}
Accept-Encoding: br;q=2, *;q=0
Expect: 100-continue
Connection: close, keep-alive
Cookie: a=b
Authorization: Basic Og==
If-None-Match: *
Range: bytes=0-0
Host: evil.example
Sec-CH-UA-Platform: "`
  .split('\n')
  .map((line) => line.split(/: (.*)/, 2) as [string, string])
const PATHS =
  '/ // /api/v1/siteverify/ /API/v1/siteverify /api/v1/%73iteverify /health?x=%ff /api/v1/../v1/solve * /\\ /% /assets/../main.js /assets/%2e%2e%2fmain.js /assets/__proto__ /assets/captcha.js?v=__proto__&v=1'
const METHODS = 'GET HEAD PUT DELETE OPTIONS PATCH TRACE PROPFIND M-SEARCH'

/** Changes one field: at any place, whatever their number. */
const field = (change: (fields: Draft['fields'], at: number) => Draft['fields']) =>
  fc.nat().map((place): Change<Draft> => (draft: Draft) => ({
    ...draft,
    fields:
      draft.fields.length === 0 ? [['x', 'y']] : change(draft.fields, place % draft.fields.length),
  }))
const draftChange: Arbitrary<Change<Draft>> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.tuple(anotherValue, anotherSignal).chain(([value, signal]) =>
      field((fields, at) => {
        const [name, from] = fields[at]!
        return fields.toSpliced(at, 1, [name, (name === 'signals' ? signal : value)(from)])
      }),
    ),
  },
  anotherValue.chain((other) =>
    field((fields, at) => fields.toSpliced(at, 0, [fields[at]![0], other(fields[at]![1])])),
  ),
  anotherValue.chain((other) =>
    field((fields, at) => fields.toSpliced(at, 1, [textOf(other(fields[at]![0])), fields[at]![1]])),
  ),
  field((fields, at) => fields.toSpliced(at, 1)),
  field((fields) => fields.toReversed()),
  fc
    .constantFrom(...HEADERS)
    .map((header) => (draft: Draft) => ({ ...draft, headers: [...draft.headers, header] })),
  fc.nat().map((at) => (draft: Draft) => ({
    ...draft,
    headers: draft.headers.filter((_, i, all) => i !== at % all.length),
  })),
  fc.constant<Change<Draft>>((draft) => ({ ...draft, as: draft.as === 'form' ? 'json' : 'form' })),
  fc.constantFrom(...PATHS.split(' ')).map((path) => (draft: Draft) => ({ ...draft, path })),
  fc.constantFrom(...METHODS.split(' ')).map((method) => (draft: Draft) => ({ ...draft, method })),
)

/** The body as text; in JSON a repeated field stays repeated. */
function bodyOf({ fields, as }: Draft): string {
  const encode = (value: unknown): string =>
    encodeURIComponent(textOf(value).replaceAll(/\p{Surrogate}/gu, '\ufffd'))
  if (as === 'form')
    return fields.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&')
  return `{${fields.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value ?? null)}`).join(',')}}`
}
const damage: Arbitrary<Change<Buffer>> = fc
  .tuple(fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 3 }), fc.nat(), fc.nat(9))
  .map(([changes, end, how]) => (from) => {
    const to = Buffer.from(from)
    for (const [at, byte] of changes) to[at % to.length] = byte
    if (how === 0) return to.subarray(0, end % (to.length + 1))
    return how === 1 ? Buffer.concat([to, to]) : to
  })
const rarely = (one: number) => fc.nat(99).map((n) => n < one)
const plan = fc.record({
  which: fc.nat(),
  changes: fc.array(draftChange, { maxLength: 4 }),
  damaged: fc.option(damage, { freq: 4 }),
  chunked: rarely(10),
  untyped: rarely(5),
})
type Plan = typeof plan extends Arbitrary<infer T> ? T : never

function bytes({ which, changes, damaged, chunked, untyped }: Plan, drafts: readonly Draft[]) {
  const genuine = drafts[which % drafts.length]!
  const draft = changes.reduce((from, change) => change(from), genuine)
  const text = Buffer.from(draft.method === 'GET' ? '' : bodyOf(draft))
  const body = damaged && text.length > 0 ? damaged(text) : text
  const type = draft.as === 'form' ? 'application/x-www-form-urlencoded' : 'application/json'
  const headers = untyped ? [...draft.headers] : [...draft.headers, ['Content-Type', type] as const]
  if (!chunked || body.length === 0)
    return { genuine, draft, request: bytesOf({ ...draft, headers, body }) }
  headers.push(['Transfer-Encoding', 'chunked'])
  const chunks = Buffer.concat([
    Buffer.from(`${body.length.toString(16)}\r\n`),
    body,
    Buffer.from('\r\n0\r\n\r\n'),
  ])
  return { genuine, draft, request: bytesOf({ ...draft, headers, body: chunks }) }
}

test(`almost genuine requests, seed ${SEED}`, async () => {
  const service = await startService()
  const counts = new Map<string, number>()
  const accepted = new Map<string, number>()
  const tokens = new Set<string>()
  let drafts = await genuineDrafts(service)
  let number = 0

  /** @returns what is wrong with the answer. */
  async function one(each: Plan): Promise<string[]> {
    const { genuine, draft, request } = bytes(each, drafts)
    const { method, path } = draft
    const wrong: string[] = []
    try {
      const answer = await send(service.url, request, { head: method === 'HEAD', patience: HANG })
      const body = answer.body.toString()
      const code =
        /"error-codes":\["([a-z-]+)/.exec(body)?.[1] ??
        (/"success":true/.test(body) ? 'accepted' : 'answered')
      counts.set(code, (counts.get(code) ?? 0) + 1)
      if (answer.status >= 500) wrong.push(`${answer.status} ${body}`)
      wrong.push(...answerProblems({ ...answer, method, path: path.split('?')[0]!, body }))
      if (code === 'accepted') wrong.push(...acceptedTwice(genuine.fields))
    } catch (error) {
      wrong.push(`no answer within ${HANG} ms: ${String(error)}`)
    }
    const input = JSON.stringify(request.toString('latin1').slice(0, 1500))
    return wrong.map((what) => `${what}\n  ${input}`)
  }

  /** The same attempt again is honoured; two attempts never are. */
  function acceptedTwice(fields: Draft['fields']): string[] {
    const { response, idempotency_key: key } = Object.fromEntries(fields)
    const times = (attempt: string) => accepted.get(`${attempt} ${String(response)}`) ?? 0
    const attempt = key === undefined ? 'without a key' : 'with a key'
    accepted.set(`${attempt} ${String(response)}`, times(attempt) + 1)
    const twice =
      times('without a key') > 1 || (times('without a key') > 0 && times('with a key') > 0)
    return twice ? ['accepted twice'] : []
  }

  let inFlight: Promise<string[][]> = Promise.resolve([])
  const property = fc.asyncProperty(
    fc.array(plan, { minLength: AT_ONCE, maxLength: AT_ONCE }),
    async (plans) => {
      if (number % (AT_ONCE * 50) === 0) {
        drafts = await genuineDrafts(service)
        for (const { fields } of drafts)
          for (const [name, value] of fields) if (name === 'response') tokens.add(String(value))
      }
      number += AT_ONCE
      inFlight = Promise.all(plans.map(one))
      expect((await inFlight).flat()).toEqual([])
    },
  )
  await fc.assert(property, TRIES)
  expect((await inFlight).flat()).toEqual([])

  // A fuzzer that only gets "bad request" has not passed the first check.
  const reached =
    'answered bad-request invalid-input-solution invalid-input-ticket timeout-or-duplicate'.split(
      ' ',
    )
  expect(reached.filter((code) => !counts.has(code))).toEqual([])
  expect(await (await fetch(`${service.url}/health`)).json()).toEqual({ status: 'ok' })
  expect(service.lines().filter(({ level }) => level === 'error')).toEqual([])
  expect(await service.stop()).toBe(0)
  expect(leaks(service.said(), { secrets: [SECRET], tokens: [...tokens] })).toEqual([])
  process.stdout.write(`${number} requests: ${JSON.stringify(Object.fromEntries(counts))}\n`)
})
