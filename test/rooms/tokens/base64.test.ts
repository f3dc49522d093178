/** jose reads and writes tokens by what ECMAScript has for base64, or by this in place of it. */
import fc from 'fast-check'
import { expect, jest, test } from '@jest/globals'

// So that ours is looked at, whatever this Node.js has, and also where an earlier test file has added it.
Reflect.deleteProperty(Uint8Array, 'fromBase64')
await import('../../../src/tokens/base64.ts')

interface Base64 {
  fromBase64(this: void, text: string, options?: { alphabet?: string }): Uint8Array
}
const bytes = fc.uint8Array({ maxLength: 100 }) as fc.Arbitrary<Uint8Array & { toBase64(options?: object): string }>
const { fromBase64 } = Uint8Array as unknown as Base64

test('base64 and base64url are written as Node.js writes them, and read back', () => {
  fc.assert(
    fc.property(bytes, fc.constantFrom({ alphabet: 'base64url' }, {}), (each, options: { alphabet?: string }) => {
      const [text, padded] = [each.toBase64({ ...options, omitPadding: true }), each.toBase64(options)]
      expect(text).toBe(
        Buffer.from(each)
          .toString((options.alphabet ?? 'base64') as BufferEncoding)
          .replaceAll('=', ''),
      )
      expect([padded.replaceAll('=', ''), padded.length % 4]).toEqual([text, 0])
      expect(fromBase64(padded, options)).toEqual(new Uint8Array(each))
    }),
  )
})

test('what exists already stays, and can be replaced', async () => {
  jest.resetModules()
  await import('../../../src/tokens/base64.ts')
  const property = { value: fromBase64, configurable: true, writable: true, enumerable: false }
  expect(Object.getOwnPropertyDescriptor(Uint8Array, 'fromBase64')).toEqual(property)
})

test.each(['a+/b', 'ab cd', 'ab=c', 'äbcd'])('%j is no base64url', (text) => {
  expect(() => fromBase64(text, { alphabet: 'base64url' })).toThrow('base64url')
})
