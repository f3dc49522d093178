/** docs/design/threats.md#t17: what is too large, not HTTP, or asks for what is not there. */
import { once } from 'node:events'
import { describe, expect, test } from '@jest/globals'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { SECRET } from '../../support/app.ts'
import { edgeForAll, failure, FORM, JSON_TYPE } from './edge.ts'
import { bytesOf, open, sendAll } from '../../support/raw.ts'

const e = edgeForAll({}, (each) => each.keepSecret(SECRET))

const NOTHING_GIVEN = failure(400, 'missing-input-secret', 'missing-input-response')
const TOO_LARGE = failure(413, 'payload-too-large')
const UNSUPPORTED = failure(415, 'unsupported-media-type')
const BAD = failure(400, 'bad-request')
const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
const many = (count: number): string => Array.from({ length: count }, (_, i) => `"k${i}":1`).join(',')
const bomb = Buffer.alloc(10 << 20, 'a')

describe('bodies that are large, compressed, or deeply nested', () => {
  test.each([
    ['one byte too many', { headers: [FORM], body: 'a'.repeat(16_385) }, TOO_LARGE],
    ['the last byte that is allowed', { headers: [FORM], body: 'a'.repeat(16_384) }, NOTHING_GIVEN],
    ['too many announced, none sent', { headers: [FORM, ['Content-Length', '16385']] }, TOO_LARGE],
    [
      'too many in one chunk',
      { headers: [FORM, CHUNKED()], body: `4001\r\n${'a'.repeat(16_385)}\r\n0\r\n\r\n` },
      TOO_LARGE,
    ],
    [
      'too many in all chunks',
      { headers: [FORM, CHUNKED()], body: `${`800\r\n${'a'.repeat(2048)}\r\n`.repeat(9)}0\r\n\r\n` },
      TOO_LARGE,
    ],
    ['a gzip bomb', { headers: [FORM, ['Content-Encoding', 'gzip']], body: gzipSync(bomb) }, UNSUPPORTED],
    ['a brotli bomb', { headers: [FORM, ['Content-Encoding', 'br']], body: brotliCompressSync(bomb) }, UNSUPPORTED],
    [
      'an unknown transfer encoding',
      { headers: [FORM, ['Transfer-Encoding', 'gzip, chunked']], body: '1\r\na\r\n0\r\n\r\n' },
      UNSUPPORTED,
    ],
    ['identity, which is none', { headers: [FORM, ['Content-Encoding', 'identity']], body: 'a=1' }, NOTHING_GIVEN],
    ['JSON 40,000 deep', { headers: [JSON_TYPE], body: `{"a":${deep(40_000)}}` }, TOO_LARGE],
    ['JSON as deep as fits', { headers: [JSON_TYPE], body: `{"a":${deep(8000)}}` }, BAD],
    [
      'signals as deep as fits',
      { path: '/api/v1/solve', headers: [JSON_TYPE], body: `{"challenge":"x","solution":"x","signals":${deep(8000)}}` },
      BAD,
    ],
    ['as many keys as fit', { headers: [JSON_TYPE], body: `{${many(1700)}}` }, BAD],
    [
      'as many fields as fit',
      { headers: [FORM], body: Array.from({ length: 2500 }, (_, i) => `${i}=`).join('&') },
      BAD,
    ],
  ] as const)('%s', async (_sent, request, documented) => {
    expect(await e.ask(request)).toMatchObject(documented)
  })

  test('the rest of a refused body is not read as the next request', async () => {
    const smuggled = `GET /assets/smuggled HTTP/1.1\r\n\r\n`.repeat(1000)
    const refused = bytesOf({ headers: [FORM], body: smuggled })
    const health = bytesOf({ method: 'GET', path: '/health' })
    const answers = await sendAll(e.service.base, Buffer.concat([refused, health]), { answers: 2 })
    expect(answers.map(({ status }) => status)).toEqual([413, 200])
  })
})

function CHUNKED() {
  return ['Transfer-Encoding', 'chunked'] as const
}

test('a client that keeps sending after a refusal is disconnected without a second answer', async () => {
  const socket = open(e.service.base)
  let said = ''
  socket.on('data', (data) => (said += String(data)))
  // Cut while we still write.
  socket.on('error', () => {})
  socket.write(bytesOf({ headers: [FORM, ['Content-Length', '99999']] }))
  const more = setInterval(() => socket.writable && socket.write('a'), 100)
  await new Promise((resolve) => socket.once('close', resolve))
  clearInterval(more)
  expect(said.match(/HTTP\/1\.1 [0-9]{3}/g)).toEqual(['HTTP/1.1 413'])
})

describe('ambiguous framing', () => {
  test.each([
    [
      ['Content-Length', '3'],
      ['Transfer-Encoding', 'chunked'],
    ],
    [
      ['Content-Length', '3'],
      ['Content-Length', '4'],
    ],
    [['Content-Length', '3, 4']],
    [['Content-Length', '0x3']],
    [['Content-Length', '3 ']].map(([name]) => [`${name} `, '3']),
    [['Transfer-Encoding', 'chunked, identity']],
    [['Transfer-Encoding', '\x0bchunked']],
  ] as [string, string][][])('%j %j', async (...headers) => {
    expect(await e.ask({ headers: [FORM, ...headers], body: 'a=1' })).toMatchObject(BAD)
  })
  test.each(['zz\r\na=1\r\n0\r\n\r\n', '3\na=1\n0\n\n', '3\r\na=1XX0\r\n\r\n'])('chunks %j', async (body) =>
    expect(await e.ask({ headers: [FORM, CHUNKED()], body })).toMatchObject(BAD),
  )
})

describe('malformed HTTP and header limits', () => {
  test.each([
    ['a header of 20,000', bytesOf({ headers: [['X-A', 'a'.repeat(20_000)]] })],
    ['CR in a header', bytesOf({ headers: [['X-A', 'a\rb']] })],
    ['an unknown method', bytesOf({ method: 'VERIFY' })],
    ['a target without a slash', bytesOf({ method: 'GET', path: 'health' })],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a TLS handshake', Buffer.from('16030100a5010000a1', 'hex')],
  ])('%s: bad-request', async (_sent, bytes) => {
    expect(await e.ask(bytes)).toMatchObject(BAD)
  })
  test.each([
    ['an expectation nobody knows', bytesOf({ headers: [['Expect', 'fortune']] })],
    ['the usual expectation', bytesOf({ headers: [['Expect', '100-continue']] })],
    [
      'a wish to upgrade',
      bytesOf({
        headers: [
          ['Connection', 'Upgrade'],
          ['Upgrade', 'websocket'],
        ],
      }),
    ],
    ['1,500 headers', bytesOf({ headers: Array.from({ length: 1500 }, (_, i) => [`X${i}`, '1'] as const) })],
    ['no Host', 'POST /api/v1/siteverify HTTP/1.1\r\nContent-Length: 0\r\n\r\n'],
    ['two Hosts', bytesOf({ headers: [['Host', 'evil.example']] })],
    ['a Host that is none', 'POST /api/v1/siteverify HTTP/1.1\r\nHost: @:99999/ \x80\r\nContent-Length: 0\r\n\r\n'],
    ['another host in the target', bytesOf({ path: 'http://evil.example/api/v1/siteverify' })],
  ])('%s: ignored', async (_sent, bytes) => {
    expect(await e.ask(bytes)).toMatchObject(NOTHING_GIVEN)
  })
})

describe('methods', () => {
  const READ = { allow: 'GET, HEAD', others: ['POST', 'PUT', 'OPTIONS'] }
  const WRITE = { allow: 'POST', others: ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'] }
  test.each([
    { path: '/api/v1/challenge', ...WRITE },
    { path: '/api/v1/solve', ...WRITE },
    { path: '/api/v1/siteverify', ...WRITE },
    { path: '/health', ...READ },
    { path: '/assets/captcha.js', ...READ },
  ])('$path allows $allow only', async ({ path, allow, others }) => {
    for (const method of others) {
      const answer = await e.ask({ method, path })
      expect(answer).toMatchObject(failure(405, 'method-not-allowed'))
      expect(answer.headers.get('allow')).toBe(allow)
    }
  })
  test('HEAD: 405 without a body at siteverify, 200 at health', async () => {
    const head = { head: true }
    expect((await e.ask({ method: 'HEAD', path: '/api/v1/siteverify' }, head)).status).toBe(405)
    expect((await e.ask({ method: 'HEAD', path: '/health' }, head)).status).toBe(200)
  })
  test('CONNECT: method-not-allowed', async () => {
    const answer = await e.ask({ method: 'CONNECT', path: 'example.com:443' })
    expect(answer).toMatchObject(failure(405, 'method-not-allowed'))
    expect(answer.headers.get('allow')).toBe('GET, HEAD, POST')
  })
})

describe('paths', () => {
  test.each([
    '/',
    '//',
    '*',
    '/api/v1/siteverify/',
    '/API/v1/siteverify',
    '/api/v1/../v1/siteverify',
    '/api/v1%2fsiteverify',
    '/health/',
    '/assets/nothing.js',
    '/assets/../package.json',
    '/assets/%2e%2e%2f%2e%2e%2fetc%2fpasswd',
    '/assets/__proto__',
  ])('GET %s: not-found', async (path) => {
    expect(await e.ask({ method: 'GET', path })).toMatchObject(failure(404, 'not-found'))
  })
  test.each(['/%', '/assets/%ff', 'http://[', 'http://a:99999/health'])(
    'GET %s, which nobody can read: bad-request',
    async (path) => expect(await e.ask({ method: 'GET', path })).toMatchObject(BAD),
  )
  test.each(['/health?', '/health?a=%', '/health?a[b]=1&a[b]=2', 'http://verify.example.com/health'])(
    'GET %s: health',
    async (path) =>
      expect(await e.ask({ method: 'GET', path })).toMatchObject({ status: 200, text: '{"status":"ok"}', soon: true }),
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

/** A client that asks first is not told to send a body that the head has already lost. @returns the status lines that come before the body is sent, and after; the connection's end. */
async function asksFirst(headers: readonly (readonly [string, string])[], body: string): Promise<string[]> {
  const socket = open(e.service.base)
  const ended = once(socket, 'close')
  let said = ''
  socket.on('data', (chunk: Buffer) => {
    if (said === '' && chunk.toString().startsWith('HTTP/1.1 100')) socket.end(body)
    said += chunk.toString()
  })
  socket.write(bytesOf({ headers: [FORM, ['Expect', '100-continue'], ...headers] }))
  await ended
  return said.match(/HTTP\/1\.1 [0-9]{3}/g) ?? []
}

test.each([
  ['a length over the limit', [['Content-Length', '99999']], ['HTTP/1.1 413']],
  [
    'an encoding that is not read',
    [
      ['Content-Length', '3'],
      ['Content-Encoding', 'gzip'],
    ],
    ['HTTP/1.1 415'],
  ],
  ['a body of a fair length', [['Content-Length', '3']], ['HTTP/1.1 100', 'HTTP/1.1 400']],
] as const)('asking first with %s: RFC 9110, section 10.1.1', async (_what, headers, lines) => {
  expect(await asksFirst(headers, 'a=b')).toEqual(lines)
})
