/** docs/design/threats.md, "Bad input", at siteverify: types, addresses, tokens, actions. In each body, `{S}` is the secret and `{T}` a genuine token. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { SECRET } from '../../support/app.ts'
import { token } from '../../support/visitor.ts'
import { type Edge, edge, failure, expectServing, FORM } from './edge.ts'

let e: Edge
let genuine: string

beforeAll(async () => {
  e = await edge()
  genuine = await token(e.service.ask)
  e.keepSecret(SECRET, genuine)
})
afterEach(() => expectServing(e))
afterAll(() => e.service.stop(0))

const fill = (text: string): string => text.replaceAll('{S}', SECRET).replaceAll('{T}', genuine)
const form = (body: string) => e.ask({ headers: [FORM], body: fill(body) })
const typed = (type: string, body: string | Buffer) =>
  e.ask({ headers: [['Content-Type', type]], body: typeof body === 'string' ? fill(body) : body })

describe('types and charsets', () => {
  test.each([
    { type: 'application/json; charset=iso-8859-1' },
    { type: 'application/json; charset=utf-16' },
    { type: 'application/x-www-form-urlencoded; charset=utf-7' },
    { type: 'text/plain' },
    { type: 'text/json' },
    { type: 'application/problem+json' },
    { type: 'application/json-seq' },
    { type: 'application/json, text/plain' },
    { type: 'application/json; version=2' },
    { type: 'multipart/mixed; boundary=x' },
    { type: 'multipart/form-data' },
    { type: 'application/octet-stream' },
    { type: '' },
    { type: ';' },
    { type: '*/*' },
    { type: '{S}' },
  ])('"$type": unsupported-media-type', async ({ type }) => {
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
  test.each([
    '203.0.113.7:80',
    '203.0.113',
    '0x7f.1',
    '010.1.1.1',
    '256.1.1.1',
    '203.0.113.0/24',
    '::1%lo',
    '[::1]',
    'unknown',
    '203.0.113.7, 10.0.0.1',
    ' 203.0.113.7',
    '3405803783',
  ])('remoteip "%s" is not an address: bad-request', async (remoteip) => {
    e.keepSecret('203.0.113.7', '3405803783')
    expect(await form(`secret={S}&response={T}&remoteip=${encodeURIComponent(remoteip)}`)).toMatchObject(
      failure(400, 'bad-request'),
    )
  })
  test.each([
    'x',
    '00000000-0000-0000-0000-000000000000',
    'f81d4fae-7dec-11d0-a765-00a0c91e6bf6',
    '9b1deb4d-3b7d-3bad-9bdd-2b0d7b3dcb6d',
    '9b1deb4d-3b7d-5bad-9bdd-2b0d7b3dcb6d',
    '9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d\n',
    '9b1deb4d3b7d4bad9bdd2b0d7b3dcb6d',
  ])('idempotency_key "%s" is no UUID of version 4 or 7: bad-request', async (key) =>
    expect(await form(`secret={S}&response={T}&idempotency_key=${encodeURIComponent(key)}`)).toMatchObject(
      failure(400, 'bad-request'),
    ),
  )
})

describe('garbage for a token', () => {
  test.each([
    'x',
    '.',
    '..',
    '...',
    'a.b',
    'a.b.c',
    'a.b.c.d',
    'null',
    '{}',
    'e30.e30.',
    '.e30.e30',
    '\u202E',
    '🂡.🂡.🂡',
    '{T}.',
    '.{T}',
    '{T}.x',
    '{T}=',
    ' {T}',
    '{T} ',
    '{T}\0',
    '{T}{T}',
  ])('"%s": invalid-input-response', async (garbage) => {
    const response = encodeURIComponent(fill(garbage))
    expect(await form(`secret={S}&response=${response}`)).toMatchObject(failure(200, 'invalid-input-response'))
  })
  test('two parts of a genuine one: invalid-input-response', async () => {
    const [head, claims, signature] = genuine.split('.')
    for (const response of [
      `${head}.${claims}`,
      `${claims}.${signature}`,
      `${head}.${claims}.`,
      `${head}..${signature}`,
    ]) {
      expect(await form(`secret={S}&response=${response}`)).toMatchObject(failure(200, 'invalid-input-response'))
    }
  })
  test('1 MB: payload-too-large', async () => {
    expect(await form(`secret={S}&response=${'x'.repeat(1 << 20)}`)).toMatchObject(failure(413, 'payload-too-large'))
  })
})

test('none of it has consumed the genuine token', async () => {
  const { status, text } = await form('secret={S}&response={T}&action=sign-up')
  expect([status, JSON.parse(text)]).toMatchObject([200, { success: true, 'error-codes': [] }])
})

describe('judged: the action is compared exactly', () => {
  test.each([
    { action: 'Sign-Up' },
    { action: 'sign-up ' },
    { action: 's\u0456gn-up' },
    { action: 'sign\u2010up' },
    { action: 'sign-up\u200B' },
    { action: 'sign-up\0' },
    { action: 'sign-up\r\nx: 1' },
    { action: 'sign-up'.repeat(1000) },
  ])('$action: action-mismatch', async ({ action }) => {
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

test('nothing that was sent is in the log or in an error', () => expect(e.told()).toEqual([]))
