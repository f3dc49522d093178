/** docs/design/threats.md, "Bad input", at siteverify: fields, in a form and in JSON, types, addresses, tokens, actions. In each body, `{S}` is the secret and `{T}` a genuine token. */
import { describe, expect, test } from '@jest/globals'
import { SECRET, SITEKEY } from '../../support/app.ts'
import { token } from '../../support/visitor.ts'
import { edgeForAll, failure, FORM, JSON_TYPE } from './edge.ts'

let genuine: string
const WRONG = `hv_secret_${'W'.repeat(43)}`

const e = edgeForAll({}, async (each) => {
  genuine = await token(each.service.ask)
  each.keepSecret(SECRET, WRONG, genuine)
})

const fill = (text: string): string => text.replaceAll('{S}', SECRET).replaceAll('{T}', genuine)
const form = (body: string) => e.ask({ headers: [FORM], body: fill(body) })
const json = (body: string) => e.ask({ headers: [JSON_TYPE], body: fill(body) })
const typed = (type: string, body: string | Buffer) =>
  e.ask({ headers: [['Content-Type', type]], body: typeof body === 'string' ? fill(body) : body })

describe('as a form', () => {
  test.each([
    ['no secret', 'response={T}', 'missing-input-secret'],
    ['an empty secret', 'secret=&response={T}', 'missing-input-secret'],
    ['a wrong secret', `secret=${WRONG}&response={T}`, 'invalid-input-secret'],
    ['the sitekey as secret', `secret=${SITEKEY}&response={T}`, 'invalid-input-secret'],
    ['a secret and a space', 'secret={S}+&response={T}', 'invalid-input-secret'],
    ['no response', 'secret={S}', 'missing-input-response'],
    ['an empty response', 'secret={S}&response=', 'missing-input-response'],
    ['nothing', '', 'missing-input-secret missing-input-response'],
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
    ['names of a prototype', 'toString=1&hasOwnProperty=1&secret={S}&response=x', 'invalid-input-response'],
    ['NUL in the secret', 'secret={S}%00&response={T}', 'invalid-input-secret'],
    ['CR LF in the secret', 'secret={S}%0d%0aX: 1&response={T}', 'invalid-input-secret'],
    ['NUL in remoteip', 'secret={S}&response={T}&remoteip=203.0.113.7%00', 'bad-request'],
    ['a secret of 10,000', `secret=${'s'.repeat(10_000)}&response={T}`, 'invalid-input-secret'],
    ['a response of 10,000', `secret={S}&response=${'r'.repeat(10_000)}`, 'invalid-input-response'],
    ['a name of 10,000', `${'n'.repeat(10_000)}=1&secret={S}&response=x`, 'invalid-input-response'],
  ])('%s: %s', async (_sent, body, codes) =>
    expect(await form(body)).toMatchObject(failure(statusOf(codes), ...codes.split(' '))),
  )
})

/** A token that is none was judged. */
const statusOf = (codes: string): number => (codes === 'invalid-input-response' ? 200 : 400)

describe('as JSON', () => {
  test.each([
    ['no secret', '{"response":"{T}"}', 'missing-input-secret'],
    ['an empty secret', '{"secret":"","response":"{T}"}', 'missing-input-secret'],
    ['a wrong secret first', `{"secret":"${WRONG}","response":"{T}","secret":"{S}"}`, 'bad-request'],
    ['a name spelled otherwise', `{"\\u0073ecret":"${WRONG}","secret":"{S}","response":"{T}"}`, 'bad-request'],
    [
      'a string that looks like a member',
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
      'null for what may be missing',
      '{"secret":"{S}","response":"x","remoteip":null,"action":null,"idempotency_key":null}',
      'invalid-input-response',
    ],
  ])('%s: %s', async (_sent, body, codes) =>
    expect(await json(body)).toMatchObject(failure(statusOf(codes), ...codes.split(' '))),
  )

  const fields = ['secret', 'response', 'remoteip', 'action', 'idempotency_key']
  const values = ['1', 'true', '[]', '["x"]', '{}', '{"$ne":""}']
  test.each(fields.flatMap((field) => values.map((value) => ({ field, value }))))(
    '$field is $value: bad-request',
    async ({ field, value }) => {
      const members = { secret: '"{S}"', response: '"{T}"', [field]: value }
      const body = Object.entries(members).map(([name, text]) => `"${name}":${text}`)
      expect(await json(`{${body.join(',')}}`)).toMatchObject(failure(400, 'bad-request'))
    },
  )
})

describe('types and charsets', () => {
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
    expect(await typed(fill(type), '{"secret":"{S}","response":"{T}"}')).toMatchObject(
      failure(415, 'unsupported-media-type'),
    )
  })

  test('a body without a type: unsupported-media-type; neither body nor type: what is missing', async () => {
    expect(await e.ask({ body: fill('secret={S}&response={T}') })).toMatchObject(failure(415, 'unsupported-media-type'))
    expect(await e.ask({})).toMatchObject(failure(400, 'missing-input-secret', 'missing-input-response'))
  })

  test.each(['application/json;charset=UTF-8', 'APPLICATION/JSON', 'application/json; charset="utf-8"'])(
    '"%s" is JSON all the same',
    async (type) =>
      expect(await typed(type, '{"secret":"{S}","response":"x"}')).toMatchObject(
        failure(200, 'invalid-input-response'),
      ),
  )

  test.each([
    ['UTF-16', (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le')],
    ['a Latin-1 byte', (text: string) => Buffer.from(text.replace('}', ',"a":"\u00FC"}'), 'latin1')],
    ['an overlong form', (text: string) => Buffer.concat([Buffer.from(text), Buffer.from([0xc0, 0xaf])])],
  ])('JSON in %s: bad-request', async (_name, encode) => {
    expect(await typed('application/json', encode(fill('{"secret":"{S}","response":"{T}"}')))).toMatchObject(
      failure(400, 'bad-request'),
    )
  })
})

describe('remoteip and idempotency_key', () => {
  test.each(['203.0.113.7:80', '0x7f.1', '203.0.113.0/24', '::1%lo', 'unknown', '203.0.113.7, 10.0.0.1', '3405803783'])(
    'remoteip "%s" is not an address: bad-request',
    async (remoteip) => {
      e.keepSecret('203.0.113.7', '3405803783')
      expect(await form(`secret={S}&response={T}&remoteip=${encodeURIComponent(remoteip)}`)).toMatchObject(
        failure(400, 'bad-request'),
      )
    },
  )
  test.each([
    'x',
    '00000000-0000-0000-0000-000000000000',
    '9b1deb4d-3b7d-5bad-9bdd-2b0d7b3dcb6d',
    '9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d\n',
  ])('idempotency_key "%s" is no UUID of version 4 or 7: bad-request', async (key) =>
    expect(await form(`secret={S}&response={T}&idempotency_key=${encodeURIComponent(key)}`)).toMatchObject(
      failure(400, 'bad-request'),
    ),
  )
})

describe('malformed tokens', () => {
  test.each(['x', '..', 'a.b.c', 'null', 'e30.e30.', '\u202E', '{T}.x', '{T}=', ' {T}', '{T}\0', '{T}{T}'])(
    '"%s": invalid-input-response',
    async (garbage) => {
      const response = encodeURIComponent(fill(garbage))
      expect(await form(`secret={S}&response=${response}`)).toMatchObject(failure(200, 'invalid-input-response'))
    },
  )
})

test('the genuine token is still accepted', async () => {
  const { text } = await form('secret={S}&response={T}&action=sign-up')
  expect(JSON.parse(text)).toMatchObject({ success: true, 'error-codes': [] })
})

describe('the action is compared exactly', () => {
  test.each([
    'Sign-Up',
    'sign-up ',
    's\u0456gn-up',
    'sign-up\u200B',
    'sign-up\0',
    'sign-up\r\nx: 1',
    'sign-up'.repeat(1000),
  ])('%s: action-mismatch', async (action) => {
    const response = await token(e.service.ask)
    e.keepSecret(response)
    const { status, text } = await form(`secret={S}&response=${response}&action=${encodeURIComponent(action)}`)
    expect([status, JSON.parse(text)]).toEqual([
      200,
      { success: false, action: 'sign-up', 'error-codes': ['action-mismatch'] },
    ])
  })
  test.each([
    { sent: 'no action', fields: '' },
    { sent: 'an empty action and an empty remoteip', fields: '&action=&remoteip=' },
  ])('$sent: nothing is compared', async ({ fields }) => {
    const { text } = await form(`secret={S}&response=${await token(e.service.ask)}${fields}`)
    expect(JSON.parse(text)).toMatchObject({ success: true, action: 'sign-up' })
  })
})
