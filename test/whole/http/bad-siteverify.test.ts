/** docs/design/threats.md, "Bad input", at siteverify: fields, in a form and in JSON, types, addresses, tokens, actions. In each body, `{S}` is the secret and `{T}` a genuine token. */
import { describe, expect, test } from '@jest/globals'
import { SECRET, SITEKEY } from '../../support/app.ts'
import { token } from '../../support/visitor.ts'
import { edge, failure } from './edge.ts'
import { alsoInEveryShape } from './every-shape.ts'

let genuine: string
const WRONG = `hv_secret_${'W'.repeat(43)}`

const e = alsoInEveryShape(
  edge({}, async (each) => {
    genuine = await token(each.service.ask)
    each.keepSecret(WRONG, genuine, '203.0.113.7', '3405803783')
  }),
)

const fill = (text: string): string => text.replaceAll('{S}', SECRET).replaceAll('{T}', genuine)
const verify = (fields: Record<string, string>) =>
  e.form('siteverify', { secret: SECRET, response: genuine, ...fields })
const typed = (type: string, body: string | Buffer) =>
  e.ask({ headers: [['Content-Type', type]], body })

/** A text that is not a token is judged: 200. @param codes separated by spaces. */
const refusal = (codes: string) =>
  failure(codes === 'invalid-input-response' ? 200 : 400, ...codes.split(' '))

// That a secret or a response is missing or empty: test/whole/contract.
test.each([
  ['a wrong secret', `secret=${WRONG}&response={T}`, 'invalid-input-secret'],
  ['the sitekey as secret', `secret=${SITEKEY}&response={T}`, 'invalid-input-secret'],
  ['a secret and a space', 'secret={S}+&response={T}', 'invalid-input-secret'],
  ['a wrong secret first', `secret=${WRONG}&secret={S}&response={T}`, 'bad-request'],
  ['a wrong secret last', `secret={S}&response={T}&secret=${WRONG}`, 'bad-request'],
  ['an empty secret last', 'secret={S}&response={T}&secret=', 'bad-request'],
  ['a name spelled otherwise', 'secret={S}&%73ecret={S}&response={T}', 'bad-request'],
  ['the response twice', 'secret={S}&response={T}&response={T}', 'bad-request'],
  ['secret[]', 'secret[]={S}&response={T}', 'bad-request'],
  ['secret[$ne]', 'secret[$ne]=&response={T}', 'bad-request'],
  ['secret and secret[]', `secret[]=${WRONG}&secret={S}&response=x`, 'bad-request'],
  ['a lone %', 'secret={S}%&response={T}', 'bad-request'],
  ['bytes that are not UTF-8', 'secret={S}&response={T}%ff', 'bad-request'],
  ['a byte order mark', '\uFEFFsecret={S}&response={T}', 'missing-input-secret'],
  ['JSON', '{"secret":"{S}","response":"{T}"}', 'missing-input-secret missing-input-response'],
  ['__proto__', '__proto__={S}&response={T}', 'missing-input-secret'],
  [
    'names of a prototype',
    'toString=1&hasOwnProperty=1&secret={S}&response=x',
    'invalid-input-response',
  ],
  ['NUL in the secret', 'secret={S}%00&response={T}', 'invalid-input-secret'],
  ['CR LF in the secret', 'secret={S}%0d%0aX: 1&response={T}', 'invalid-input-secret'],
  ['a secret of 10,000', `secret=${'s'.repeat(10_000)}&response={T}`, 'invalid-input-secret'],
  ['a response of 10,000', `secret={S}&response=${'r'.repeat(10_000)}`, 'invalid-input-response'],
  ['a name of 10,000', `${'n'.repeat(10_000)}=1&secret={S}&response=x`, 'invalid-input-response'],
])('a form with %s: %s', async (_sent, body, codes) => {
  expect(await e.form('siteverify', fill(body))).toMatchObject(refusal(codes))
})

test.each([
  ['an empty secret', '{"secret":"","response":"{T}"}', 'missing-input-secret'],
  ['a wrong secret first', `{"secret":"${WRONG}","response":"{T}","secret":"{S}"}`, 'bad-request'],
  [
    'a name spelled otherwise',
    `{"\\u0073ecret":"${WRONG}","secret":"{S}","response":"{T}"}`,
    'bad-request',
  ],
  [
    'a text like a member',
    '{"a":"\\",\\"secret\\":","secret":"{S}","response":"x"}',
    'invalid-input-response',
  ],
  ['null', 'null', 'bad-request'],
  ['an array', '[{"secret":"{S}","response":"{T}"}]', 'bad-request'],
  ['a string', '"secret={S}"', 'bad-request'],
  ['an object cut short', '{"secret":"{S}","response":"{T}"', 'bad-request'],
  ['two objects', '{"secret":"{S}","response":"{T}"}{}', 'bad-request'],
  ['nothing', '', 'bad-request'],
  ['a form', 'secret={S}&response={T}', 'bad-request'],
  ['a byte order mark', '\uFEFF{"secret":"{S}","response":"{T}"}', 'bad-request'],
  ['half a character', '{"secret":"{S}\\ud800","response":"{T}"}', 'invalid-input-secret'],
  ['__proto__', '{"__proto__":{"secret":"{S}"},"response":"{T}"}', 'missing-input-secret'],
  ['__proto__ null', '{"__proto__":null,"secret":"{S}","response":"x"}', 'invalid-input-response'],
  ['a null secret', '{"secret":null}', 'missing-input-secret missing-input-response'],
  [
    'null for the rest',
    '{"secret":"{S}","response":"x","action":null,"remoteip":null}',
    'invalid-input-response',
  ],
  [
    'a null key',
    '{"secret":"{S}","response":"x","idempotency_key":null}',
    'invalid-input-response',
  ],
])('JSON with %s: %s', async (_sent, body, codes) => {
  expect(await e.json('siteverify', fill(body))).toMatchObject(refusal(codes))
})

test.each(['secret', 'response', 'remoteip', 'action', 'idempotency_key'])(
  '%s in JSON that is no text: bad-request',
  async (field) => {
    for (const value of [1, true, [], ['x'], {}, { $ne: '' }]) {
      const answer = await e.json('siteverify', {
        secret: SECRET,
        response: genuine,
        [field]: value,
      })
      expect(answer).toMatchObject(failure(400, 'bad-request'))
    }
  },
)

describe.each([
  {
    field: 'remoteip',
    code: 'bad-request',
    values:
      '203.0.113.7:x|0x7f.1|203.0.113.0/25|203.0.113.0/024|203.0.113.0/24/|203.0.113.7, 203.0.113.0/24|2001:db8::/24|x/24|::1%lo|unknown, unknown|203.0.113.7, unknown|203.0.113.7,|3405803783|203.0.113.7\0',
  },
  {
    field: 'idempotency_key',
    code: 'bad-request',
    values:
      'x|00000000-0000-0000-0000-000000000000|9b1deb4d-3b7d-5bad-9bdd-2b0d7b3dcb6d|9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d\n',
  },
  {
    field: 'response',
    code: 'invalid-input-response',
    values: 'x|..|a.b.c|null|e30.e30.|\u202E|{T}.x|{T}=| {T}|{T}\0|{T}{T}',
  },
])('$field', ({ field, code, values }) => {
  test.each(values.split('|'))(`"%s": ${code}`, async (value) => {
    expect(await verify({ [field]: fill(value) })).toMatchObject(refusal(code))
  })
})

describe('the type of the body', () => {
  test.each([
    'application/json; charset=utf-16',
    'application/x-www-form-urlencoded; charset=utf-7',
    'text/plain',
    'text/json',
    'application/problem+json',
    'application/json, text/plain',
    'application/json; version=2',
    'multipart/form-data',
    'application/octet-stream',
    '',
    ';',
    '*/*',
    '{S}',
  ])('"%s": unsupported-media-type', async (type) => {
    const answer = await typed(fill(type), fill('{"secret":"{S}","response":"{T}"}'))
    expect(answer).toMatchObject(failure(415, 'unsupported-media-type'))
  })
  test('none: unsupported-media-type; neither body nor type: what is missing', async () => {
    expect(await e.ask({ body: fill('secret={S}&response={T}') })).toMatchObject(
      failure(415, 'unsupported-media-type'),
    )
    expect(await e.ask({})).toMatchObject(refusal('missing-input-secret missing-input-response'))
  })
  test.each([
    'application/json;charset=UTF-8',
    'APPLICATION/JSON',
    'application/json; charset="utf-8"',
  ])('"%s" is JSON all the same', async (type) => {
    expect(await typed(type, fill('{"secret":"{S}","response":"x"}'))).toMatchObject(
      refusal('invalid-input-response'),
    )
  })
  test.each([
    ['UTF-16', (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le')],
    [
      'a Latin-1 byte',
      (text: string) => Buffer.from(text.replace('}', ',"a":"\u00FC"}'), 'latin1'),
    ],
    [
      'an overlong form',
      (text: string) => Buffer.concat([Buffer.from(text), Buffer.from([0xc0, 0xaf])]),
    ],
  ])('JSON in %s: bad-request', async (_name, encode) => {
    const body = encode(fill('{"secret":"{S}","response":"{T}"}'))
    expect(await typed('application/json', body)).toMatchObject(failure(400, 'bad-request'))
  })
})

test('the genuine token is still accepted', async () => {
  const { text } = await verify({ action: 'sign-up' })
  expect(JSON.parse(text)).toMatchObject({ success: true, 'error-codes': [] })
})

test.each([
  'Sign-Up',
  'sign-up ',
  's\u0456gn-up',
  'sign-up\u200B',
  'sign-up\0',
  'sign-up\r\nx: 1',
  'sign-up'.repeat(1000),
])('the action is compared exactly, %s: action-mismatch', async (action) => {
  const response = await token(e.service.ask)
  e.keepSecret(response)
  const { status, text } = await verify({ response, action })
  const mismatch = { success: false, action: 'sign-up', 'error-codes': ['action-mismatch'] }
  expect([status, JSON.parse(text)]).toEqual([200, mismatch])
})
test('with an empty action and an empty remoteip nothing is compared', async () => {
  const { text } = await verify({ response: await token(e.service.ask), action: '', remoteip: '' })
  expect(JSON.parse(text)).toMatchObject({ success: true, action: 'sign-up' })
})
