import { expect, test } from '@jest/globals'
import { parseUrl } from '../../../src/domain/parse-url.ts'

test('reads an absolute URL', () => {
  expect(parseUrl('https://shop.example.com:8443/a?b')).toMatchObject({ host: 'shop.example.com:8443', search: '?b' })
})

test.each(['', 'shop.example.com', '/a', 'https://', 'https://[::1', 'https://a b', 'https://shop.example.com:99999'])(
  '"%s" is malformed',
  (text) => expect(parseUrl(text)).toBeUndefined(),
)

// See test/rooms/domain/site.test.ts, "a busy service".
test('gives the answer of the first call after 50,000 others, too', () => {
  const asRead = (text: string): string => Buffer.from(text).toString('latin1')
  for (let i = 0; i < 50_000; i++) parseUrl(asRead(`https://shop-${i}.example.com`))
  expect(parseUrl(asRead('https://\u200Bshop.example.com'))).toBeUndefined()
})
