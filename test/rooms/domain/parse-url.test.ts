import { expect, test } from '@jest/globals'
import { parseUrl } from '../../../src/domain/parse-url.ts'

test('reads an absolute URL', () => {
  expect(parseUrl('https://shop.example.com:8443/a?b')).toMatchObject({ host: 'shop.example.com:8443', search: '?b' })
})

test.each(['', 'shop.example.com', '/a', 'https://', 'https://[::1', 'https://a b', 'https://shop.example.com:99999'])(
  '"%s" is malformed',
  (text) => expect(parseUrl(text)).toBeUndefined(),
)
