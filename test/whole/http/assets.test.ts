/** docs/design/threats.md#t22: the widget's files depend on their name and on Accept-Encoding, on nothing else. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { loadAssets } from '../../../src/http/assets.ts'
import { type Edge, edge, failure } from './edge.ts'

const SCRIPT = `/* the widget */\n${'console.log("svc-captcha")\n'.repeat(200)}`
const folder = mkdtempSync(join(tmpdir(), 'hv-assets-'))
let e: Edge
beforeAll(async () => {
  writeFileSync(join(folder, 'captcha.js'), SCRIPT)
  writeFileSync(join(folder, 'captcha.js.br'), brotliCompressSync(SCRIPT))
  writeFileSync(join(folder, 'captcha.js.gz'), gzipSync(SCRIPT))
  writeFileSync(join(folder, 'captcha.js.map'), '{}')
  writeFileSync(join(folder, '.env'), 'SECRET=1')
  e = await edge({ assets: loadAssets(folder) })
})
afterAll(async () => {
  await e.service.stop(0)
  rmSync(folder, { recursive: true })
})

const get = (path = '/assets/captcha.js', headers: readonly (readonly [string, string])[] = [], method = 'GET') =>
  e.ask({ method, path, headers }, { head: method === 'HEAD' })
const YEAR = 'public, max-age=31536000, immutable'
const MINUTES = 'public, max-age=300'

describe('the query', () => {
  test.each([
    ['', MINUTES],
    ['?v=1', YEAR],
    ['?v=1&x=y', YEAR],
    ['?v=', MINUTES],
    ['?v=1.5', MINUTES],
    ['?v=1%0a', MINUTES],
    ['?v=1&v=2', MINUTES],
    ['?V=1', MINUTES],
    ['?__proto__=1&v=%', MINUTES],
    [`?v=${'1'.repeat(5000)}`, YEAR],
  ])('captcha.js%s is cached: %s', async (query, kept) => {
    const answer = await get(`/assets/captcha.js${query}`)
    expect(answer).toMatchObject({
      status: 200,
      text: SCRIPT,
      cache: kept,
      type: 'text/javascript; charset=utf-8',
      soon: true,
    })
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('cross-origin-resource-policy')).toBe('cross-origin')
    expect(answer.headers.get('vary')).toBe('Accept-Encoding')
  })
})

describe('headers', () => {
  test.each([
    ['Origin', 'https://evil.example'],
    ['Cookie', 'a=b'],
    ['Range', 'bytes=0-9'],
    ['X-Forwarded-Host', 'evil.example'],
    ['X-HTTP-Method-Override', 'DELETE'],
    ['If-None-Match', '\x80'],
    ['If-Modified-Since', 'yesterday'],
  ])('%s: %s changes nothing', async (name, value) => {
    const answer = await get('/assets/captcha.js?v=1', [[name, value]])
    expect(answer).toMatchObject({ status: 200, text: SCRIPT, cache: YEAR })
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('set-cookie')).toBeNull()
  })
  test.each([
    ['gzip', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip;q=1, br;q=0.1', 'br'],
    ['br;q=0, gzip', 'gzip'],
    ['*', 'br'],
    ['identity', null],
    ['*;q=0', null],
    ['', null],
    [';;q=,', null],
  ])('Accept-Encoding: %s is answered in %s', async (accepted, encoding) => {
    const { headers, body, status } = await get('/assets/captcha.js', [['Accept-Encoding', accepted]])
    expect([status, headers.get('content-encoding')]).toEqual([200, encoding])
    const decode = { br: brotliDecompressSync, gzip: gunzipSync, none: (bytes: Buffer) => bytes }
    expect(decode[(encoding ?? 'none') as keyof typeof decode](body).toString()).toBe(SCRIPT)
  })
  test('each encoding has its own strong ETag; a request with it gets 304', async () => {
    const etags = await Promise.all(
      ['br', 'gzip', 'identity'].map(async (encoding) => {
        const accept = ['Accept-Encoding', encoding] as const
        const etag = (await get('/assets/captcha.js', [accept])).headers.get('etag')!
        const again = await e.ask(
          { method: 'GET', path: '/assets/captcha.js', headers: [accept, ['If-None-Match', etag]] },
          { head: true },
        )
        expect(again.status).toBe(304)
        expect(again.headers.get('access-control-allow-origin')).toBe('*')
        return etag
      }),
    )
    expect(new Set(etags).size).toBe(3)
    for (const etag of etags) expect(etag).toMatch(/^"[^"]+"$/)
  })
  test('HEAD: the same headers, no body', async () => {
    const [whole, head] = [await get(), await get('/assets/captcha.js', [], 'HEAD')]
    expect([head.status, head.headers.get('etag')]).toEqual([200, whole.headers.get('etag')])
  })
})

test.each([
  '.env',
  'captcha.js.map',
  'captcha.js%00.css',
  'Captcha.js',
  '..%2f..%2fpackage.json',
  'captcha.js%2f..%2f.env',
])('/assets/%s is not found, and not cached', async (name) =>
  expect(await get(`/assets/${name}`)).toMatchObject(failure(404, 'not-found')),
)

test('each built file is sent as the build compressed it, which `npm run size` measures', async () => {
  const built = join(import.meta.dirname, '../../../dist/assets')
  const names = readdirSync(built).filter((name) => /\.(js|json|html)$/.test(name))
  expect(names.length).toBeGreaterThan(30)
  const whole = await edge({ assets: loadAssets(built) })
  for (const name of names) {
    const request = { method: 'GET', path: `/assets/${name}`, headers: [['Accept-Encoding', 'gzip']] } as const
    expect((await whole.ask(request)).body.length).toBe(statSync(join(built, `${name}.gz`)).size)
  }
  await whole.service.stop(0)
})
