/** THREATS.md, bad input B1 to B29 at siteverify: fields, in a form and in JSON. In each body, `{S}` is the secret and `{T}` a genuine token. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { SECRET, SITEKEY } from '../support/app.ts'
import { token } from '../support/visitor.ts'
import { type Edge, edge, failure, expectServing, FORM, JSON_TYPE } from './edge.ts'

let e: Edge
let genuine: string
const WRONG = `hv_secret_${'W'.repeat(43)}`

beforeAll(async () => {
  e = await edge()
  genuine = await token(e.service.ask)
  e.keepSecret(SECRET, WRONG, genuine)
})
afterEach(() => expectServing(e))
afterAll(() => e.service.stop(0))

const fill = (text: string): string => text.replaceAll('{S}', SECRET).replaceAll('{T}', genuine)
const form = (body: string) => e.ask({ headers: [FORM], body: fill(body) })
const json = (body: string) => e.ask({ headers: [JSON_TYPE], body: fill(body) })

describe('as a form', () => {
  test.each([
    ['B1', 'no secret', 'response={T}', 'missing-input-secret'],
    ['B2', 'an empty secret', 'secret=&response={T}', 'missing-input-secret'],
    ['B2', 'a secret without a value', 'secret&response={T}', 'missing-input-secret'],
    ['B3', 'a wrong secret', `secret=${WRONG}&response={T}`, 'invalid-input-secret'],
    ['B3', 'the sitekey as secret', `secret=${SITEKEY}&response={T}`, 'invalid-input-secret'],
    ['B3', 'a secret and a space', 'secret={S}+&response={T}', 'invalid-input-secret'],
    ['B3', 'a secret cut short', `secret=hv_secret_&response={T}`, 'invalid-input-secret'],
    ['B5', 'no response', 'secret={S}', 'missing-input-response'],
    ['B6', 'an empty response', 'secret={S}&response=', 'missing-input-response'],
    ['B7', 'nothing', '', 'missing-input-secret missing-input-response'],
    ['B7', 'only &s', '&&&', 'missing-input-secret missing-input-response'],
    ['B7', 'two empty ones', 'secret=&response=', 'missing-input-secret missing-input-response'],
    ['B8', 'the secret twice', 'secret={S}&secret={S}&response={T}', 'bad-request'],
    ['B8', 'a wrong secret first', `secret=${WRONG}&secret={S}&response={T}`, 'bad-request'],
    ['B8', 'a wrong secret last', `secret={S}&response={T}&secret=${WRONG}`, 'bad-request'],
    ['B8', 'an empty secret first', 'secret=&secret={S}&response={T}', 'bad-request'],
    ['B8', 'an empty secret last', 'secret={S}&response={T}&secret=', 'bad-request'],
    ['B8', 'a name spelled otherwise', 'secret={S}&%73ecret={S}&response={T}', 'bad-request'],
    ['B8', 'the response twice', 'secret={S}&response={T}&response={T}', 'bad-request'],
    ['B8', 'an unknown field twice', 'secret={S}&response={T}&a=1&a=2', 'bad-request'],
    ['B10', 'secret[]', 'secret[]={S}&response={T}', 'missing-input-secret'],
    ['B10', 'secret[0]', 'secret[0]={S}&response={T}', 'missing-input-secret'],
    ['B10', 'secret[$ne]', 'secret[$ne]=&response={T}', 'missing-input-secret'],
    ['B10', 'secret%5B%5D', 'secret%5B%5D={S}&response={T}', 'missing-input-secret'],
    ['B10', 'secret and secret[]', `secret[]=${WRONG}&secret={S}&response=x`, 'invalid-input-response'],
    ['B14', 'a lone %', 'secret={S}%&response={T}', 'bad-request'],
    ['B14', 'a % without digits', 'secret={S}&response={T}%zz', 'bad-request'],
    ['B15', 'bytes that are not UTF-8', 'secret={S}&response={T}%ff', 'bad-request'],
    ['B15', 'a byte order mark', '\uFEFFsecret={S}&response={T}', 'missing-input-secret'],
    ['B17', 'JSON', '{"secret":"{S}","response":"{T}"}', 'missing-input-secret missing-input-response'],
    ['B24', '__proto__', '__proto__={S}&response={T}', 'missing-input-secret'],
    ['B24', '__proto__[secret]', '__proto__[secret]={S}&response={T}', 'missing-input-secret'],
    ['B24', 'names of a prototype', 'toString=1&hasOwnProperty=1&secret={S}&response=x', 'invalid-input-response'],
    ['B25', 'NUL in the secret', 'secret={S}%00&response={T}', 'invalid-input-secret'],
    ['B25', 'CR LF in the secret', 'secret={S}%0d%0aX: 1&response={T}', 'invalid-input-secret'],
    ['B25', 'LF in the response', 'secret={S}&response={T}%0a', 'invalid-input-response'],
    ['B25', 'NUL in remoteip', 'secret={S}&response={T}&remoteip=203.0.113.7%00', 'bad-request'],
    ['B29', 'a secret of 10,000', `secret=${'s'.repeat(10_000)}&response={T}`, 'invalid-input-secret'],
    ['B29', 'a response of 10,000', `secret={S}&response=${'r'.repeat(10_000)}`, 'invalid-input-response'],
    ['B29', 'a remoteip of 10,000', `secret={S}&response={T}&remoteip=${'1'.repeat(10_000)}`, 'bad-request'],
    ['B29', 'a name of 10,000', `${'n'.repeat(10_000)}=1&secret={S}&response=x`, 'invalid-input-response'],
  ])('%s, %s: %s', async (_b, _sent, body, codes) =>
    expect(await form(body)).toMatchObject(failure(400, ...codes.split(' '))),
  )
})

describe('as JSON', () => {
  test.each([
    ['B1', 'no secret', '{"response":"{T}"}', 'missing-input-secret'],
    ['B2', 'an empty secret', '{"secret":"","response":"{T}"}', 'missing-input-secret'],
    ['B7', 'an empty object', '{}', 'missing-input-secret missing-input-response'],
    ['B8', 'the secret twice', '{"secret":"{S}","secret":"{S}","response":"{T}"}', 'bad-request'],
    ['B8', 'a wrong secret first', `{"secret":"${WRONG}","response":"{T}","secret":"{S}"}`, 'bad-request'],
    ['B8', 'a wrong secret last', `{"secret":"{S}","response":"{T}","secret":"${WRONG}"}`, 'bad-request'],
    ['B8', 'a name spelled otherwise', `{"\\u0073ecret":"${WRONG}","secret":"{S}","response":"{T}"}`, 'bad-request'],
    [
      'B8',
      'a string that looks like a member',
      '{"a":"\\",\\"secret\\":","secret":"{S}","response":"x"}',
      'invalid-input-response',
    ],
    ['B10', 'secret[]', '{"secret[]":"{S}","response":"{T}"}', 'missing-input-secret'],
    ['B13', 'null', 'null', 'bad-request'],
    ['B13', 'an array', '[{"secret":"{S}","response":"{T}"}]', 'bad-request'],
    ['B13', 'a string', '"secret={S}"', 'bad-request'],
    ['B13', 'a number', '1', 'bad-request'],
    ['B14', 'an object cut short', '{"secret":"{S}","response":"{T}"', 'bad-request'],
    ['B14', 'a comma too many', '{"secret":"{S}","response":"{T}",}', 'bad-request'],
    ['B14', 'two objects', '{"secret":"{S}","response":"{T}"}{}', 'bad-request'],
    ['B14', 'single quotes', "{'secret':'{S}','response':'{T}'}", 'bad-request'],
    ['B14', 'a line break in a string', '{"secret":"{S}\n","response":"{T}"}', 'bad-request'],
    ['B14', 'nothing', '', 'bad-request'],
    ['B14', 'a form', 'secret={S}&response={T}', 'bad-request'],
    ['B15', 'a byte order mark', '\uFEFF{"secret":"{S}","response":"{T}"}', 'bad-request'],
    ['B15', 'half a character', '{"secret":"{S}\\ud800","response":"{T}"}', 'invalid-input-secret'],
    ['B24', '__proto__', '{"__proto__":{"secret":"{S}"},"response":"{T}"}', 'missing-input-secret'],
    ['B24', 'constructor', '{"constructor":{"prototype":{"secret":"{S}"}},"response":"{T}"}', 'missing-input-secret'],
    ['B24', '__proto__ null', '{"__proto__":null,"secret":"{S}","response":"x"}', 'invalid-input-response'],
    ['B25', 'NUL in the secret', '{"secret":"{S}\\u0000","response":"{T}"}', 'invalid-input-secret'],
  ])('%s, %s: %s', async (_b, _sent, body, codes) =>
    expect(await json(body)).toMatchObject(failure(400, ...codes.split(' '))),
  )

  const fields = ['secret', 'response', 'remoteip', 'action', 'idempotency_key']
  const values = ['1', 'true', 'null', '[]', '["x"]', '{}', '{"$ne":""}']
  test.each(fields.flatMap((field) => values.map((value) => ({ field, value }))))(
    'B12, $field is $value: bad-request',
    async ({ field, value }) => {
      const members = { secret: '"{S}"', response: '"{T}"', [field]: value }
      const body = Object.entries(members).map(([name, text]) => `"${name}":${text}`)
      expect(await json(`{${body.join(',')}}`)).toMatchObject(failure(400, 'bad-request'))
    },
  )
})

test('none of it has consumed the genuine token', async () => {
  const { text } = await form('secret={S}&response={T}&action=sign-up')
  expect(JSON.parse(text)).toMatchObject({ success: true, 'error-codes': [] })
})

test('B65, nothing that was sent is in the log or in an error', () => expect(e.told()).toEqual([]))
