/** docs/design/threats.md, "Bad input", at siteverify: fields, in a form and in JSON. In each body, `{S}` is the secret and `{T}` a genuine token. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { SECRET, SITEKEY } from '../../support/app.ts'
import { token } from '../../support/visitor.ts'
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
    ['no secret', 'response={T}', 'missing-input-secret'],
    ['an empty secret', 'secret=&response={T}', 'missing-input-secret'],
    ['a secret without a value', 'secret&response={T}', 'missing-input-secret'],
    ['a wrong secret', `secret=${WRONG}&response={T}`, 'invalid-input-secret'],
    ['the sitekey as secret', `secret=${SITEKEY}&response={T}`, 'invalid-input-secret'],
    ['a secret and a space', 'secret={S}+&response={T}', 'invalid-input-secret'],
    ['a secret cut short', `secret=hv_secret_&response={T}`, 'invalid-input-secret'],
    ['no response', 'secret={S}', 'missing-input-response'],
    ['an empty response', 'secret={S}&response=', 'missing-input-response'],
    ['nothing', '', 'missing-input-secret missing-input-response'],
    ['only &s', '&&&', 'missing-input-secret missing-input-response'],
    ['two empty ones', 'secret=&response=', 'missing-input-secret missing-input-response'],
    ['the secret twice', 'secret={S}&secret={S}&response={T}', 'bad-request'],
    ['a wrong secret first', `secret=${WRONG}&secret={S}&response={T}`, 'bad-request'],
    ['a wrong secret last', `secret={S}&response={T}&secret=${WRONG}`, 'bad-request'],
    ['an empty secret first', 'secret=&secret={S}&response={T}', 'bad-request'],
    ['an empty secret last', 'secret={S}&response={T}&secret=', 'bad-request'],
    ['a name spelled otherwise', 'secret={S}&%73ecret={S}&response={T}', 'bad-request'],
    ['the response twice', 'secret={S}&response={T}&response={T}', 'bad-request'],
    ['an unknown field twice', 'secret={S}&response={T}&a=1&a=2', 'bad-request'],
    ['secret[]', 'secret[]={S}&response={T}', 'bad-request'],
    ['secret[0]', 'secret[0]={S}&response={T}', 'bad-request'],
    ['secret[$ne]', 'secret[$ne]=&response={T}', 'bad-request'],
    ['secret%5B%5D', 'secret%5B%5D={S}&response={T}', 'bad-request'],
    ['secret and secret[]', `secret[]=${WRONG}&secret={S}&response=x`, 'bad-request'],
    ['action[]', 'secret={S}&response={T}&action[]=sign-up', 'bad-request'],
    ['a lone %', 'secret={S}%&response={T}', 'bad-request'],
    ['a % without digits', 'secret={S}&response={T}%zz', 'bad-request'],
    ['bytes that are not UTF-8', 'secret={S}&response={T}%ff', 'bad-request'],
    ['a byte order mark', '\uFEFFsecret={S}&response={T}', 'missing-input-secret'],
    ['JSON', '{"secret":"{S}","response":"{T}"}', 'missing-input-secret missing-input-response'],
    ['__proto__', '__proto__={S}&response={T}', 'missing-input-secret'],
    ['__proto__[secret]', '__proto__[secret]={S}&response={T}', 'missing-input-secret'],
    ['names of a prototype', 'toString=1&hasOwnProperty=1&secret={S}&response=x', 'invalid-input-response'],
    ['NUL in the secret', 'secret={S}%00&response={T}', 'invalid-input-secret'],
    ['CR LF in the secret', 'secret={S}%0d%0aX: 1&response={T}', 'invalid-input-secret'],
    ['LF in the response', 'secret={S}&response={T}%0a', 'invalid-input-response'],
    ['NUL in remoteip', 'secret={S}&response={T}&remoteip=203.0.113.7%00', 'bad-request'],
    ['a secret of 10,000', `secret=${'s'.repeat(10_000)}&response={T}`, 'invalid-input-secret'],
    ['a response of 10,000', `secret={S}&response=${'r'.repeat(10_000)}`, 'invalid-input-response'],
    ['a remoteip of 10,000', `secret={S}&response={T}&remoteip=${'1'.repeat(10_000)}`, 'bad-request'],
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
    ['an empty object', '{}', 'missing-input-secret missing-input-response'],
    ['the secret twice', '{"secret":"{S}","secret":"{S}","response":"{T}"}', 'bad-request'],
    ['a wrong secret first', `{"secret":"${WRONG}","response":"{T}","secret":"{S}"}`, 'bad-request'],
    ['a wrong secret last', `{"secret":"{S}","response":"{T}","secret":"${WRONG}"}`, 'bad-request'],
    ['a name spelled otherwise', `{"\\u0073ecret":"${WRONG}","secret":"{S}","response":"{T}"}`, 'bad-request'],
    [
      'a string that looks like a member',
      '{"a":"\\",\\"secret\\":","secret":"{S}","response":"x"}',
      'invalid-input-response',
    ],
    ['secret[]', '{"secret[]":"{S}","response":"{T}"}', 'bad-request'],
    ['null', 'null', 'bad-request'],
    ['an array', '[{"secret":"{S}","response":"{T}"}]', 'bad-request'],
    ['a string', '"secret={S}"', 'bad-request'],
    ['a number', '1', 'bad-request'],
    ['an object cut short', '{"secret":"{S}","response":"{T}"', 'bad-request'],
    ['a comma too many', '{"secret":"{S}","response":"{T}",}', 'bad-request'],
    ['two objects', '{"secret":"{S}","response":"{T}"}{}', 'bad-request'],
    ['single quotes', "{'secret':'{S}','response':'{T}'}", 'bad-request'],
    ['a line break in a string', '{"secret":"{S}\n","response":"{T}"}', 'bad-request'],
    ['nothing', '', 'bad-request'],
    ['a form', 'secret={S}&response={T}', 'bad-request'],
    ['a byte order mark', '\uFEFF{"secret":"{S}","response":"{T}"}', 'bad-request'],
    ['half a character', '{"secret":"{S}\\ud800","response":"{T}"}', 'invalid-input-secret'],
    ['__proto__', '{"__proto__":{"secret":"{S}"},"response":"{T}"}', 'missing-input-secret'],
    ['constructor', '{"constructor":{"prototype":{"secret":"{S}"}},"response":"{T}"}', 'missing-input-secret'],
    ['__proto__ null', '{"__proto__":null,"secret":"{S}","response":"x"}', 'invalid-input-response'],
    ['a null secret', '{"secret":null}', 'missing-input-secret missing-input-response'],
    ['a null token', '{"secret":"{S}","response":null}', 'missing-input-response'],
    [
      'null for what may be missing',
      '{"secret":"{S}","response":"x","remoteip":null,"action":null,"idempotency_key":null}',
      'invalid-input-response',
    ],
    ['NUL in the secret', '{"secret":"{S}\\u0000","response":"{T}"}', 'invalid-input-secret'],
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

test('none of it has consumed the genuine token', async () => {
  const { text } = await form('secret={S}&response={T}&action=sign-up')
  expect(JSON.parse(text)).toMatchObject({ success: true, 'error-codes': [] })
})

test('nothing that was sent is in the log or in an error', () => expect(e.told()).toEqual([]))
