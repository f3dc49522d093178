/** docs/design/threats.md#t6: the sealed claims come back as they went in, for the one token they were sealed for. */
import { createCipheriv, generateKeySync, type KeyObject, randomBytes } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import type { SealedClaims } from '../../../src/domain/response.ts'
import { seal as sealWith, unseal } from '../../../src/token/sealed.ts'

const seal = (sealed: SealedClaims, by: KeyObject, bound: string) => sealWith(sealed, by, randomBytes(12), bound)
const newKey = () => generateKeySync('aes', { length: 256 })
const key = newKey()
const hash = 'AAAAAAAAAAAAAAAAAAAAAA'
const decision = { model: 4, score: 0.42, contributions: [{ id: 7, value: -3.25 }], weights: '', rule: undefined }
const claims = (change: Partial<SealedClaims> = {}): SealedClaims => ({ decision, address: undefined, ...change })
const again = (sealed: SealedClaims) => unseal(seal(sealed, key, 'k.j'), key, 'k.j')

describe('comes back as it went in', () => {
  test.each<[string, SealedClaims]>([
    ['without an address', claims()],
    ['a public IPv4 address', claims({ address: { family: 4, scope: 'public', hash } })],
    ['a private IPv4 address', claims({ address: { family: 4, scope: 'private', hash } })],
    ['a public IPv6 address', claims({ address: { family: 6, scope: 'public', hash } })],
    ['a private IPv6 address', claims({ address: { family: 6, scope: 'private', hash: 'BBBBBBBBBBBBBBBBBBBBBA' } })],
    ['the least score', claims({ decision: { ...decision, score: 0, contributions: [] } })],
    ['the best score', claims({ decision: { ...decision, score: 1 } })],
    ['changed weights', claims({ decision: { ...decision, weights: '00ab12ff' } })],
    ['a rule that allows', claims({ decision: { ...decision, rule: { id: '0badcafe', effect: { kind: 'allow' } } } })],
    ['a rule that denies', claims({ decision: { ...decision, rule: { id: 'ffffffff', effect: { kind: 'deny' } } } })],
    [
      'a rule that adjusts',
      claims({
        decision: { ...decision, rule: { id: '00000001', effect: { kind: 'adjust', score: -7.25, work: undefined } } },
      }),
    ],
    ['a late model', claims({ decision: { ...decision, model: 32_767 } })],
    ['the second visit of a step-up', claims({ decision: { ...decision, stepped: true } })],
    ['a named agent', claims({ namedAgent: 'chatgpt' })],
    ['the longest name of an agent', claims({ namedAgent: 'a-name-of-20-letters' })],
  ])('%s', (_what, sealed) => expect(again(sealed)).toEqual(sealed))
})

test('37 contributions have room, 38 are refused in words', () => {
  const contributions = Array.from({ length: 37 }, (_, id) => ({ id, value: id - 20.5 }))
  const full = claims({ decision: { ...decision, contributions } })
  expect(again(full)).toEqual(full)
  const over = claims({ decision: { ...decision, contributions: [...contributions, { id: 37, value: 0 }] } })
  expect(() => seal(over, key, 'k.j')).toThrow(new RangeError('sealed claims hold 37 contributions; got 38'))
})

test('two seals of one thing differ, and both open', () => {
  const [one, other] = [seal(claims(), key, 'k.j'), seal(claims(), key, 'k.j')]
  expect(one).not.toBe(other)
  expect([unseal(one, key, 'k.j'), unseal(other, key, 'k.j')]).toEqual([claims(), claims()])
})

/** Sealed by somebody who has the key, in a layout of a release to come. */
function sealedInLayout(layout: number): string {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from('k.j'))
  const text = Buffer.concat([cipher.update(Buffer.alloc(165).fill(layout, 0, 1)), cipher.final()])
  return Buffer.concat([iv, text, cipher.getAuthTag()]).toString('base64url')
}
test('layout 2 is read, another is not', () => {
  expect(unseal(sealedInLayout(2), key, 'k.j')).toMatchObject({ address: undefined })
  expect(unseal(sealedInLayout(3), key, 'k.j')).toBeUndefined()
  expect(unseal(sealedInLayout(1), key, 'k.j')).toBeUndefined()
})

const genuine = seal(claims(), key, 'k.j')
test.each([
  ['nothing', ''],
  ['too short', genuine.slice(0, -4)],
  ['too long', `${genuine}AAAA`],
  ['another text of this length', 'A'.repeat(genuine.length)],
  ['a changed first byte', `${genuine.startsWith('A') ? 'B' : 'A'}${genuine.slice(1)}`],
])('%s opens to nothing', (_what, sealed) => expect(unseal(sealed, key, 'k.j')).toBeUndefined())
test('nothing opens with another key, or for another token', () => {
  expect(unseal(genuine, newKey(), 'k.j')).toBeUndefined()
  expect(unseal(genuine, key, 'k.i')).toBeUndefined()
})
