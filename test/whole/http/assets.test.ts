/** docs/design/threats.md#t22: the widget's files depend on their name and on Accept-Encoding, on nothing else. */
import { afterAll, describe, expect, test } from '@jest/globals'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { loadAssets } from '../../../src/http/assets.ts'
import { edge, failure } from './edge.ts'

const SCRIPT = `/* the widget */\n${'console.log("svc-captcha")\n'.repeat(200)}`
const folder = mkdtempSync(join(tmpdir(), 'hv-assets-'))
writeFileSync(join(folder, 'captcha.js'), SCRIPT)
writeFileSync(join(folder, 'captcha.js.br'), brotliCompressSync(SCRIPT))
writeFileSync(join(folder, 'captcha.js.gz'), gzipSync(SCRIPT))
writeFileSync(join(folder, 'captcha.js.map'), '{}')
writeFileSync(join(folder, '.env'), 'SECRET=1')
afterAll(() => rmSync(folder, { recursive: true }))
const widget = loadAssets(folder)
const BUILD = widget.get('captcha.js')!.build
const e = edge({ assets: widget })

const get = (query = '', headers: readonly (readonly [string, string])[] = [], method = 'GET') =>
  e.ask({ method, path: `/assets/captcha.js${query}`, headers }, { head: method === 'HEAD' })
const asIs = (bytes: Buffer) => bytes
const YEAR = 'public, max-age=31536000, immutable'
const MINUTES = 'public, max-age=300'

test.each([
  ['', MINUTES],
  // As a stranger may ask today for what a later build will be called.
  ['?v=1', MINUTES],
  [`?v=${BUILD}1`, MINUTES],
  [`?v=0${BUILD}`, MINUTES],
  [`?v=${BUILD}`, YEAR],
  [`?v=${BUILD}&x=y`, YEAR],
  [`?v=${BUILD}&v=${BUILD}`, MINUTES],
  ['?v=', MINUTES],
  ['?v=1.5', MINUTES],
  ['?v=1%0a', MINUTES],
  ['?v=1&v=2', MINUTES],
  ['?V=1', MINUTES],
  ['?__proto__=1&v=%', MINUTES],
  [`?v=${'1'.repeat(5000)}`, MINUTES],
])('captcha.js%s is cached: %s', async (query, cache) => {
  const { headers, ...answer } = await get(query)
  const type = 'text/javascript; charset=utf-8'
  expect(answer).toMatchObject({ status: 200, text: SCRIPT, cache, type, soon: true })
  expect(headers.get('access-control-allow-origin')).toBe('*')
  expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin')
  expect(headers.get('vary')).toBe('Accept-Encoding')
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
    const answer = await get(`?v=${BUILD}`, [[name, value]])
    expect(answer).toMatchObject({ status: 200, text: SCRIPT, cache: YEAR })
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('set-cookie')).toBeNull()
  })
  test.each([
    ['gzip', 'gzip', gunzipSync],
    ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
    ['gzip;q=1, br;q=0.1', 'br', brotliDecompressSync],
    ['br;q=0, gzip', 'gzip', gunzipSync],
    ['br;q=0, *', 'gzip', gunzipSync],
    ['*', 'br', brotliDecompressSync],
    ['identity', null, asIs],
    ['*;q=0', null, asIs],
    ['', null, asIs],
    [';;q=,', null, asIs],
  ] as const)('Accept-Encoding: %s is answered in %s', async (accepted, encoding, decode) => {
    const { headers, body, status } = await get('', [['Accept-Encoding', accepted]])
    expect([status, headers.get('content-encoding')]).toEqual([200, encoding])
    expect(decode(body).toString()).toBe(SCRIPT)
  })
  test('each encoding has its own strong ETag; a request with it gets 304', async () => {
    const etags = new Set<string>()
    for (const encoding of ['br', 'gzip', 'identity']) {
      const accept = ['Accept-Encoding', encoding] as const
      const etag = (await get('', [accept])).headers.get('etag')!
      expect(etag).toMatch(new RegExp(`^"${BUILD}-\\w+"$`))
      const again = await e.ask(
        { method: 'GET', path: '/assets/captcha.js', headers: [accept, ['If-None-Match', etag]] },
        { head: true },
      )
      expect([again.status, again.headers.get('access-control-allow-origin')]).toEqual([304, '*'])
      etags.add(etag)
    }
    expect(etags.size).toBe(3)
  })
  test('HEAD: the same headers, no body', async () => {
    const [whole, head] = [await get(), await get('', [], 'HEAD')]
    expect([head.status, head.headers.get('etag')]).toEqual([200, whole.headers.get('etag')])
  })
})

test('the number of a build changes with any of its files', () => {
  expect(BUILD).toMatch(/^[1-9]\d{4,14}$/)
  writeFileSync(join(folder, 'captcha.js'), `${SCRIPT} `)
  expect(loadAssets(folder).get('captcha.js')!.build).not.toBe(BUILD)
})

test.each([
  '.env',
  'captcha.js.map',
  'captcha.js%00.css',
  'captcha%2ejs',
  'Captcha.js',
  '..%2f..%2fpackage.json',
  'captcha.js%2f..%2f.env',
])('/assets/%s is not found, and not cached', async (name) =>
  expect(await e.ask({ method: 'GET', path: `/assets/${name}` })).toMatchObject(
    failure(404, 'not-found'),
  ),
)

const built = join(import.meta.dirname, '../../../dist/assets')
const whole = edge({ assets: loadAssets(built) })
test('the built files are sent as the build compressed them, which `npm run size` measures', async () => {
  const names = readdirSync(built).filter((name) => /\.(js|json|html)$/.test(name))
  expect(names.length).toBeGreaterThan(30)
  for (const name of names) {
    const request = {
      method: 'GET',
      path: `/assets/${name}`,
      headers: [['Accept-Encoding', 'gzip']],
    } as const
    expect((await whole.ask(request)).body.length).toBe(statSync(join(built, `${name}.gz`)).size)
  }
})
