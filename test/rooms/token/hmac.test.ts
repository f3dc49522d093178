import { createHmac } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import * as fc from 'fast-check'
import { hmac } from '../../../src/token/hmac.ts'

// RFC 4231, section 4, those whose key has no more than 64 bytes; texts are ASCII.
test.each([
  ['0b'.repeat(20), 'Hi There', 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7'],
  [
    Buffer.from('Jefe').toString('hex'),
    'what do ya want for nothing?',
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  ],
])('vectors of RFC 4231: %s', (key, text, expected) => {
  expect(hmac(text, Buffer.from(key, 'hex')).toString('hex')).toBe(expected)
})

describe('the same as the library', () => {
  const theirs = (text: string, key: Buffer) => createHmac('sha256', key).update(text).digest('hex')

  test('for any text and any key, one after the other and keys in turns', () => {
    const keys = Array.from({ length: 5 }, (_, i) => Buffer.alloc(1 + i * 15, i + 1))
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 2000 }), fc.nat({ max: 4 }), (text, which) => {
        expect(hmac(text, keys[which]!).toString('hex')).toBe(theirs(text, keys[which]!))
      }),
      { numRuns: 500 },
    )
  })

  test.each([0, 1, 55, 56, 63, 64, 65, 1364, 1365, 1366, 2048, 4096, 4097, 20_000])('for %i characters', (length) => {
    const key = Buffer.alloc(32, 7)
    for (const text of ['x'.repeat(length), '€'.repeat(length), '\ud83d'.repeat(length)]) {
      expect(hmac(text, key).toString('hex')).toBe(theirs(text, key))
    }
  })
})

test.each([1, 32, 63, 64])('a key of %i bytes is taken whole', (length) => {
  const key = Buffer.from(Array.from({ length }, (_, i) => 255 - i))
  expect(hmac('text', key)).toEqual(createHmac('sha256', key).update('text').digest())
})

test('a result is its own: the next call changes nothing of it', () => {
  const key = Buffer.alloc(32, 1)
  const first = hmac('first', key)
  const before = first.toString('hex')
  hmac('second', key)
  expect(first.toString('hex')).toBe(before)
})

test.each([0, 65])('a key of %i bytes is refused', (length) => {
  expect(() => hmac('text', Buffer.alloc(length))).toThrow(new RangeError(`a key has 1 to 64 bytes; got ${length}`))
})
