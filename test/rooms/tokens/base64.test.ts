/** jose reads and writes tokens by what ECMAScript has for base64, or by this in place of it. */
import fc from 'fast-check'
import { expect, test } from '@jest/globals'

// So that ours is looked at, whatever this Node.js has, and also where an earlier test file has added it.
Reflect.deleteProperty(Uint8Array, 'fromBase64')
await import('../../../src/tokens/base64.ts')

interface Base64 {
  fromBase64(this: void, text: string, options?: { alphabet: string }): Uint8Array
}
const bytes = fc.uint8Array({ maxLength: 100 }) as fc.Arbitrary<Uint8Array & { toBase64(options?: object): string }>
const { fromBase64 } = Uint8Array as unknown as Base64

test('base64 and base64url are written as Node.js writes them, and read back', () => {
  fc.assert(
    fc.property(bytes, fc.constantFrom('base64', 'base64url'), (each, alphabet) => {
      const [text, padded] = [each.toBase64({ alphabet, omitPadding: true }), each.toBase64({ alphabet })]
      expect(text).toBe(
        Buffer.from(each)
          .toString(alphabet as BufferEncoding)
          .replaceAll('=', ''),
      )
      expect([padded.replaceAll('=', ''), padded.length % 4]).toEqual([text, 0])
      expect(fromBase64(padded, { alphabet })).toEqual(new Uint8Array(each))
    }),
  )
})

test.each(['a+/b', 'ab cd', 'ab=c', 'äbcd'])('%j is no base64url', (text) => {
  expect(() => fromBase64(text, { alphabet: 'base64url' })).toThrow('base64url')
})
