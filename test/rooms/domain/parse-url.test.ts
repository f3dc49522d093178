import { expect, test } from '@jest/globals'
import { parseUrl } from '../../../src/domain/parse-url.ts'

// URL.canParse of Node.js 20 calls the bytes of a zero-width space malformed until V8 optimises its caller, and well-formed
// afterwards; new URL() then threw, and a busy service answered 500 to such an Origin.
test('a busy service refuses the bytes of a zero-width space as an idle one does', () => {
  const asRead = (url: string): string => Buffer.from(url).toString('latin1')
  expect(parseUrl(asRead('https://\u200Bshop.example.com'))).toBeUndefined()
  for (let i = 0; i < 50_000; i++) parseUrl(asRead(`https://shop-${i}.example.com`))
  expect(parseUrl(asRead('https://\u200Bshop.example.com:8443'))).toBeUndefined()
})
