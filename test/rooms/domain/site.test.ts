import { expect, test } from '@jest/globals'
import { allowsHostname, isAction, parseOrigin, type Site } from '../../../src/domain/site.ts'
import type { Hostname } from '../../../src/domain/words.ts'

const site = { hostnames: ['shop.example.com', '*.shop.example.com'], actions: ['sign-up'] } as unknown as Site

test.each([
  ['shop.example.com', true],
  ['a.shop.example.com', true],
  ['a.b.shop.example.com', true],
  ['example.com', false],
  ['evilshop.example.com', false],
  ['shop.example.com.evil.com', false],
  ['.shop.example.com', false],
  ['', false],
])('the hostname %s is allowed: %s', (hostname, allowed) => {
  expect(allowsHostname(site, hostname as Hostname)).toBe(allowed)
})

// docs/design/threats.md#t10
test.each([
  ['https://shop.example.com', 'shop.example.com'],
  ['http://shop.example.com:8080', 'shop.example.com'],
  ['https://xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ['http://[::1]:8081', '[::1]'],
  ['http://127.0.0.1:8081', '127.0.0.1'],
])('the origin %s runs at %s', (origin, hostname) => {
  expect(parseOrigin(origin)).toEqual({ text: origin, hostname })
})

test.each(['', ' ', 'sign up', 'sign-up\n', 'signüp', 'ѕign-up', 'x'.repeat(65)])('"%s" is no action', (text) =>
  expect(isAction(text)).toBe(false),
)

// A service under load once answered 500 to this Origin, whose bytes are a zero-width space in UTF-8. URL.canParse of Node.js 20
// calls them malformed until V8 optimises its caller, and well-formed afterwards; new URL() then threw.
test('a busy service refuses the bytes of a zero-width space as an idle one does', () => {
  const asRead = (origin: string): string => Buffer.from(origin).toString('latin1')
  expect(parseOrigin(asRead('https://\u200Bshop.example.com'))).toBeUndefined()
  for (let i = 0; i < 50_000; i++) parseOrigin(asRead(`https://shop-${i}.example.com`))
  expect(parseOrigin(asRead('https://\u200Bshop.example.com:8443'))).toBeUndefined()
})
