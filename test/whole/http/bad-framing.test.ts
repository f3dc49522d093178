/** docs/design/threats.md#t17: what is too large, not HTTP, or asks for what is not there. */
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { describe, expect, test } from '@jest/globals'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { SECRET } from '../../support/app.ts'
import { edge, failure, FORM, JSON_TYPE } from './edge.ts'
import { bytesOf, open, receive } from '../../support/raw.ts'

const e = edge()

const NOTHING_GIVEN = failure(400, 'missing-input-secret', 'missing-input-response')
const TOO_LARGE = failure(413, 'payload-too-large')
const UNSUPPORTED = failure(415, 'unsupported-media-type')
const BAD = failure(400, 'bad-request')
const CHUNKED = ['Transfer-Encoding', 'chunked'] as const
const chunk = (size: number): string => `${size.toString(16)}\r\n${'a'.repeat(size)}\r\n`
const gzip = ['Content-Encoding', 'gzip'] as const
const bomb = Buffer.alloc(10 << 20, 'a')
const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
const many = (count: number, one: (i: number) => string, between: string) =>
  Array.from({ length: count }, (_, i) => one(i)).join(between)
const PARTS = ['Content-Type', 'multipart/form-data; boundary=b'] as const
const part = (i: number): string => `--b\r\nContent-Disposition: form-data; name="${i}"\r\n\r\n\r\n`
const manyHeaders = (count: number) =>
  Array.from({ length: count }, (_, i) => [`X${i}`, '1'] as const)

test.each([
  ['one byte too many', [FORM], 'a'.repeat(16_385), TOO_LARGE],
  ['the last byte that is allowed', [FORM], 'a'.repeat(16_384), NOTHING_GIVEN],
  ['too many announced, none sent', [FORM, ['Content-Length', '16385']], '', TOO_LARGE],
  ['too many in one chunk', [FORM, CHUNKED], `${chunk(16_385)}0\r\n\r\n`, TOO_LARGE],
  ['too many in all chunks', [FORM, CHUNKED], `${chunk(2048).repeat(9)}0\r\n\r\n`, TOO_LARGE],
  ['a gzip bomb', [FORM, gzip], gzipSync(bomb), UNSUPPORTED],
  ['a brotli bomb', [FORM, ['Content-Encoding', 'br']], brotliCompressSync(bomb), UNSUPPORTED],
  [
    'an unknown encoding',
    [FORM, ['Transfer-Encoding', 'gzip, chunked']],
    '1\r\na\r\n0\r\n\r\n',
    UNSUPPORTED,
  ],
  ['identity, which is none', [FORM, ['Content-Encoding', 'identity']], 'a=1', NOTHING_GIVEN],
  ['JSON 40,000 deep', [JSON_TYPE], `{"a":${deep(40_000)}}`, TOO_LARGE],
  ['JSON as deep as fits', [JSON_TYPE], `{"a":${deep(8000)}}`, BAD],
  ['as many keys as fit', [JSON_TYPE], `{${many(1700, (i) => `"k${i}":1`, ',')}}`, BAD],
  ['300 members', [JSON_TYPE], `{${many(300, (i) => `"k${i}":1`, ',')}}`, BAD],
  ['250 parts', [PARTS], many(250, part, '') + '--b--\r\n', BAD],
  ['17 parts', [PARTS], many(17, part, '') + '--b--\r\n', BAD],
  ['16 parts', [PARTS], many(16, part, '') + '--b--\r\n', NOTHING_GIVEN],
  ['as many fields as fit', [FORM], many(2500, (i) => `${i}=`, '&'), BAD],
] as const)('a body with %s', async (_sent, headers, body, documented) => {
  expect(await e.ask({ headers, body })).toMatchObject(documented)
})

test('the rest of a refused body is not read as the next request', async () => {
  const refused = bytesOf({
    headers: [FORM],
    body: `GET /assets/smuggled HTTP/1.1\r\n\r\n`.repeat(1000),
  })
  const health = bytesOf({ method: 'GET', path: '/health' })
  const socket = open(e.service.base)
  socket.write(refused)
  await once(socket, 'data')
  socket.write(health)
  const [answer] = await receive(socket)
  expect(answer).toMatchObject({ status: 200 })
})

test('a client that keeps sending after a refusal is disconnected without a second answer', async () => {
  const socket = open(e.service.base)
  // Cut while we still write.
  socket.on('error', () => {})
  socket.write(bytesOf({ headers: [FORM, ['Content-Length', '99999']] }))
  const more = setInterval(() => socket.writable && socket.write('a'), 100)
  expect(await statusLines(socket)).toEqual(['HTTP/1.1 413'])
  clearInterval(more)
})

/** All that a connection answers until it is closed. */
async function statusLines(socket: Socket): Promise<string[]> {
  let said = ''
  socket.on('data', (data) => {
    said += String(data)
  })
  // Not `once` of node:events, which rejects where the connection is cut while we still write.
  await new Promise((closed) => socket.once('close', closed))
  return said.match(/HTTP\/1\.1 [0-9]{3}/g) ?? []
}

// RFC 9110, section 10.1.1: a client that asks first is not told to send a body that the head has already lost.
test.each([
  ['a length over the limit', [['Content-Length', '99999']], ['HTTP/1.1 413']],
  ['an encoding that is not read', [['Content-Length', '3'], gzip], ['HTTP/1.1 415']],
  ['a body of a fair length', [['Content-Length', '3']], ['HTTP/1.1 100', 'HTTP/1.1 400']],
] as const)('asking first with %s', async (_what, headers, lines) => {
  const socket = open(e.service.base)
  socket.once('data', (first) => String(first).startsWith('HTTP/1.1 100') && socket.end('a=b'))
  socket.write(bytesOf({ headers: [FORM, ['Expect', '100-continue'], ...headers] }))
  expect(await statusLines(socket)).toEqual(lines)
})

const raw = (...headers: (readonly [string, string])[]) =>
  bytesOf({ headers: [FORM, ...headers], body: 'a=1' })

test.each([
  ['a length and chunks', raw(['Content-Length', '3'], CHUNKED)],
  ['two lengths', raw(['Content-Length', '3'], ['Content-Length', '4'])],
  ['a list of lengths', raw(['Content-Length', '3, 4'])],
  ['a length in hexadecimal', raw(['Content-Length', '0x3'])],
  ['a length with a blank before the colon', raw(['Content-Length ', '3'])],
  ['chunked before identity', raw(['Transfer-Encoding', 'chunked, identity'])],
  ['chunked behind a tab', raw(['Transfer-Encoding', '\x0bchunked'])],
  ['chunks without a size', bytesOf({ headers: [FORM, CHUNKED], body: 'zz\r\na=1\r\n0\r\n\r\n' })],
  ['chunks by line feeds', bytesOf({ headers: [FORM, CHUNKED], body: '3\na=1\n0\n\n' })],
  [
    'chunks without a line feed',
    bytesOf({ headers: [FORM, CHUNKED], body: '3\r\na=1XX0\r\n\r\n' }),
  ],
  ['CR in a header', raw(['X-A', 'a\rb'])],
  // Beyond 200 lines a proxy and the service might not mean the same ones.
  ['201 headers', raw(...manyHeaders(198))],
  ['2,300 headers', raw(...manyHeaders(2300))],
  ['a Signature-Input of 2,049', raw(['Signature-Input', 'a'.repeat(2049)])],
  ['two Hosts', raw(['Host', 'evil.example'])],
  ['HTTP/2.0 in the request line', 'GET /health HTTP/2.0\r\nHost: a\r\n\r\n'],
  ['no version', 'GET /health\r\n\r\n'],
  ['a header that begins with a blank', raw([' X-A', '1'])],
  [
    'line feeds alone',
    bytesOf({ headers: [FORM] })
      .toString()
      .replaceAll('\r\n', '\n'),
  ],
  ['an unknown method', bytesOf({ method: 'VERIFY' })],
  ['a target without a slash', bytesOf({ method: 'GET', path: 'health' })],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['a TLS handshake', Buffer.from('16030100a5010000a1', 'hex')],
])('malformed HTTP, %s: bad-request', async (_sent, bytes) =>
  expect(await e.ask(bytes)).toMatchObject(BAD),
)

const withHost = (...host: string[]) =>
  ['POST /api/v1/siteverify HTTP/1.1', ...host, 'Content-Length: 0', '', ''].join('\r\n')
test.each([
  ['an expectation nobody knows', raw(['Expect', 'fortune'])],
  ['the usual expectation', raw(['Expect', '100-continue'])],
  ['a wish to upgrade', raw(['Connection', 'Upgrade'], ['Upgrade', 'websocket'])],
  ['198 headers and two of ours', raw(...manyHeaders(197))],
  [
    'a Signature-Input of 2,048',
    raw(['Signature-Input', 'a'.repeat(1500)], ['Signature-Input', 'a'.repeat(546)]),
  ],
  ['no Host', withHost()],
  ['a Host that is none', withHost('Host: @:99999/ \x80')],
  ['another host in the target', bytesOf({ path: 'http://evil.example/api/v1/siteverify' })],
])('HTTP that nothing depends on, %s: ignored', async (_sent, bytes) =>
  expect(await e.ask(bytes)).toMatchObject(NOTHING_GIVEN),
)

describe('methods', () => {
  const READ = { allow: 'GET, HEAD', others: ['POST', 'PUT', 'OPTIONS'] }
  const WRITE = {
    allow: 'POST',
    others: ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'],
  }
  test.each([
    { path: '/api/v1/challenge', ...WRITE },
    { path: '/api/v1/solve', ...WRITE },
    { path: '/api/v1/siteverify', ...WRITE },
    { path: '/health', ...READ },
    { path: '/assets/captcha.js', ...READ },
    { path: 'example.com:443', allow: 'GET, HEAD, POST', others: ['CONNECT'] },
  ])('$path allows $allow only', async ({ path, allow, others }) => {
    for (const method of others) {
      const answer = await e.ask({ method, path })
      expect(answer).toMatchObject(failure(405, 'method-not-allowed'))
      expect(answer.headers.get('allow')).toBe(allow)
    }
  })
  test('HEAD: 405 without a body at siteverify, 200 at health', async () => {
    const statusOf = async (path: string) =>
      (await e.ask({ method: 'HEAD', path }, { head: true })).status
    expect([await statusOf('/api/v1/siteverify'), await statusOf('/health')]).toEqual([405, 200])
  })
})

describe('paths', () => {
  const NOT_FOUND = failure(404, 'not-found')
  const HEALTH = { status: 200, text: '{"status":"ok"}', soon: true }
  test.each([
    ['/', NOT_FOUND],
    ['//', NOT_FOUND],
    ['*', NOT_FOUND],
    ['/api/v1/siteverify/', NOT_FOUND],
    ['/API/v1/siteverify', NOT_FOUND],
    ['/api/v1/../v1/siteverify', NOT_FOUND],
    ['/api/v1%2fsiteverify', NOT_FOUND],
    ['/health/', NOT_FOUND],
    ['/assets/nothing.js', NOT_FOUND],
    ['/assets/../package.json', NOT_FOUND],
    ['/assets/%2e%2e%2f%2e%2e%2fetc%2fpasswd', NOT_FOUND],
    ['/assets/__proto__', NOT_FOUND],
    ['//health', NOT_FOUND],
    ['/%', NOT_FOUND],
    ['/assets/%ff', BAD],
    ['http://[', BAD],
    ['http://a:99999/health', HEALTH],
    ['/health?', HEALTH],
    ['/health?a=%', HEALTH],
    ['/health?a[b]=1&a[b]=2', HEALTH],
    ['http://verify.example.com/health', HEALTH],
  ])('GET %s', async (path, answer) =>
    expect(await e.ask({ method: 'GET', path })).toMatchObject(answer),
  )

  test.each([
    { method: 'GET', path: '/shop/api/v1/siteverify/?a=b', logged: '/shop/api/v1/siteverify/' },
    { method: 'PUT', path: '/api/v1/solve', logged: '/api/v1/solve' },
    { method: 'POST', path: '/v1/challenge', logged: '/v1/challenge' },
    { method: 'DELETE', path: '/assets/captcha.js', logged: '/assets/captcha.js' },
    { method: 'GET', path: '/x', logged: undefined },
    { method: 'GET', path: `/${SECRET}/health`, logged: undefined },
  ])('$method $path is logged as $logged', async ({ method, path, logged }) => {
    await e.ask({ method, path })
    const line = e.service.lines().findLast(({ message }) => message === 'other')
    expect([line?.['method'], line?.['path']]).toEqual([method, logged])
  })
  test.each([
    { path: `/${SECRET}`, headers: [] },
    { path: `/api/v1/siteverify?secret=${SECRET}`, headers: [] },
    { path: `/assets/${SECRET}%`, headers: [] },
    { path: '/api/v1/siteverify', headers: [['Content-Type', SECRET] as const] },
    { path: '/api/v1/siteverify', headers: [['Authorization', `Bearer ${SECRET}`] as const] },
    { path: '/api/v1/siteverify', headers: [['Transfer-Encoding', SECRET] as const] },
  ])('a misplaced secret is refused and not repeated', async ({ path, headers }) => {
    const answer = await e.ask({ path, headers })
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.text).not.toContain(SECRET)
  })
})
