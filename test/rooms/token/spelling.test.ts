/** docs/design/threats.md#t12 and docs/design/threats.md#t14: what a token's header may say, and that it says it in one spelling. */
import { expect, test } from '@jest/globals'
import { readSpelling } from '../../../src/token/spelling.ts'

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const genuine = { alg: 'HS256', typ: 'hv-response+jwt', kid: 'k1' }
const readHeader = (text: string, longest: number) => readSpelling(text, longest)?.header
const token = (header: unknown): string => `${part(header)}.${part({ jti: 'x' })}.AAAA`

test('a header of exactly alg, typ and kid is read', () => {
  expect(readHeader(token(genuine), 2048)).toEqual(genuine)
})
test('a token may be as long as allowed, and not a character longer', () => {
  const text = token(genuine)
  expect(readHeader(text, text.length)).toEqual(genuine)
  expect(readHeader(text, text.length - 1)).toBeUndefined()
})
test.each([
  ['has an alg that is no text', token({ ...genuine, alg: 256 })],
  ['has a typ that is no text', token({ ...genuine, typ: null })],
  ['has a kid that is no text', token({ ...genuine, kid: ['k1'] })],
  ['lacks the alg', token({ typ: 'hv-response+jwt', kid: 'k1' })],
  ['lacks the typ', token({ alg: 'HS256', kid: 'k1' })],
  ['lacks the kid', token({ alg: 'HS256', typ: 'hv-response+jwt' })],
  ['names a key', token({ ...genuine, jwk: { kty: 'oct' } })],
  ['names an extension', token({ ...genuine, crit: [] })],
  ['is null', token(null)],
  ['is a number', token(5)],
  ['is a list', token([])],
  ['is not JSON', `${Buffer.from('{').toString('base64url')}.e30.AAAA`],
])('a header that %s is refused', (_how, text) => {
  expect(readHeader(text, 2048)).toBeUndefined()
})
test.each([
  ['no claims', `${part(genuine)}..AAAA`],
  ['no signature', `${part(genuine)}.e30.`],
  ['a fourth part', `${token(genuine)}.AAAA`],
  ['a missing part', `${part(genuine)}.e30`],
  ['padding', `${token(genuine)}==`],
  ['unused bits set', `${part(genuine)}.e30.AAB`],
  ['the other alphabet', `${part(genuine)}.e30.++//`],
  ['a line end', `${token(genuine)}\n`],
])('a token with %s is refused', (_how, text) => {
  expect(readHeader(text, 2048)).toBeUndefined()
})

// The same object tells that it was kept: headers are anybody's to make up, so what is kept of them must end.
test('the reading of a header is kept, and forgotten when sixty-four others were read; of a refused one nothing is', () => {
  const read = (at: number) => readHeader(token({ ...genuine, kid: `kept ${at}` }), 2048)
  const first = read(0)
  for (let at = 0; at < 70; at++) readHeader(token({ ...genuine, kid: at }), 2048)
  expect(read(0)).toBe(first)
  for (let at = 1; at < 70; at++) read(at)
  const last = read(70)
  read(71)
  expect(read(70)).toBe(last)
  expect(read(0)).not.toBe(first)
  expect(read(0)).toEqual(first)
})
