import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { bindingOf, type BoundValue, boundValues } from '../../../src/client/bind.ts'
import { digestOf } from '../../../widget/src/bind.ts'

interface Row {
  readonly when: string
  readonly values: readonly BoundValue[]
  readonly text: string
  readonly digest: string
}
const { jti, cases } = JSON.parse(readFileSync(`${import.meta.dirname}/../../vectors/bind.json`, 'utf8')) as {
  jti: string
  cases: readonly Row[]
}
const tokenWith = (claims: object): string => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`

describe.each(cases)('$when', ({ values, text, digest }) => {
  test('the widget makes the digest of the table from its text', () => {
    expect(digestOf(text, tokenWith({ jti, more: '??>>' }))).toBe(digest)
  })
  test('and the client library from the values', async () => {
    expect(await bindingOf(tokenWith({ jti, more: '??>>' }), values)).toBe(digest)
  })
})

test.each(['', 'a.b.c', 'no-token', tokenWith({ jti: 7 }), tokenWith([])])(
  'a response without an id, %j, has no digest',
  async (response) => expect(await bindingOf(response, [['email', 'a@example.com']])).toBeUndefined(),
)

test('the named fields of a parsed body: in the order of the names, text and numbers alone, nothing inherited', () => {
  const body = { amount: 12, email: 'a@example.com', topics: ['a', 'b'], file: {}, agree: true, gone: null }
  const names = ['email', 'topics', 'amount', 'file', 'agree', 'gone', 'missing', 'toString']
  expect(boundValues(body, names)).toEqual([
    ['email', 'a@example.com'],
    ['topics', 'a'],
    ['topics', 'b'],
    ['amount', '12'],
  ])
  expect([boundValues(undefined, names), boundValues('text', names)]).toEqual([[], []])
})
