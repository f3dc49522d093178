/** docs/design/threats.md, "Bad input": what a page, or someone who plays one, asks at challenge. */
import { describe, expect, test } from '@jest/globals'
import { ORIGIN, SECRET, site, SITEKEY } from '../../support/app.ts'
import { post, token } from '../../support/visitor.ts'
import { type Answer, edgeForAll, failure, FORM, JSON_TYPE } from './edge.ts'

const e = edgeForAll({ siteList: [site({ actions: ['sign-up', 'log-in'] })] }, (each) => each.keepSecret(SECRET))

const asked = (path: string, origin: string | null, body: string) =>
  e.ask({ path: `/api/v1/${path}`, headers: origin === null ? [FORM] : [FORM, ['Origin', origin]], body })
const challenge = (fields: Record<string, string>, origin: string | null = ORIGIN) =>
  asked('challenge', origin, new URLSearchParams(fields).toString())

test.each([' ', 'x', SITEKEY.toUpperCase(), `${SITEKEY} `, `${SITEKEY}\0`, '*', '__proto__', 'hv_site_'.repeat(1000)])(
  'the sitekey "%s": invalid-input-sitekey',
  async (sitekey) => {
    // The same from any page, so that nobody learns the hostnames of customers.
    for (const origin of [ORIGIN, 'https://evil.example']) {
      const answer = await challenge({ sitekey, action: 'sign-up' }, origin)
      expect(answer).toMatchObject(failure(400, 'invalid-input-sitekey'))
    }
  },
)
test.each([{}, { sitekey: '' }])('no sitekey, %j: missing-input-sitekey', async (fields) => {
  expect(await challenge({ ...fields, action: 'sign-up' })).toMatchObject(failure(400, 'missing-input-sitekey'))
})

describe('the action of a challenge', () => {
  test.each([
    ['Sign-Up', 'action-not-allowed'],
    ['sign-up/', 'action-not-allowed'],
    ['sign-up ', 'bad-request'],
    ['s\u0456gn-up', 'bad-request'],
    ['sign-up\0', 'bad-request'],
    ['', 'bad-request'],
    ['a'.repeat(65), 'bad-request'],
  ])('"%s": %s', async (action, code) => {
    expect(await challenge({ sitekey: SITEKEY, action })).toMatchObject(failure(400, code))
  })
  test('absent: bad-request', async () => {
    expect(await challenge({ sitekey: SITEKEY })).toMatchObject(failure(400, 'bad-request'))
  })
  // The last but two: 512 bytes in the token, where a quote takes two.
  test.each(['c'.repeat(256), '\u{1F600}'.repeat(129), `${'€'.repeat(128)}${'"'.repeat(64)}`, 'a\0b', 'a\r\nb'])(
    'cdata "%s": bad-request',
    async (cdata) => {
      expect(await challenge({ sitekey: SITEKEY, action: 'sign-up', cdata })).toMatchObject(failure(400, 'bad-request'))
    },
  )
  test.each([
    { what: '255 letters', cdata: 'c'.repeat(255) },
    { what: '255 quotes', cdata: '"'.repeat(255) },
    { what: '510 bytes', cdata: `${'€'.repeat(128)}${'"'.repeat(63)}` },
  ])('cdata of $what is returned by siteverify', async ({ cdata }) => {
    const response = await token({ ...e.service.ask, cdata })
    expect((await post(`${e.service.base}/api/v1/siteverify`, { secret: SECRET, response })).body).toMatchObject({
      cdata,
    })
  })
  test.each([
    ['a number', 2, 200],
    ['text', '2', 200],
    ['null', null, 200],
    ['a fraction', 1.5, 400],
    ['below one', -1, 400],
    ['too large', 1e21, 400],
  ])('proof as %s', async (_what, proof, status) => {
    const body = JSON.stringify({ sitekey: SITEKEY, action: 'sign-up', proof, cdata: null })
    const answer = await e.ask({ path: '/api/v1/challenge', headers: [JSON_TYPE, ['Origin', ORIGIN]], body })
    expect(answer.status).toBe(status)
  })
  test.each(['sitekey', 'action', 'cdata'])('%s of the wrong type: bad-request', async (field) => {
    for (const value of [1, true, [], {}, ['sign-up']]) {
      const body = JSON.stringify({ sitekey: SITEKEY, action: 'sign-up', [field]: value })
      const answer = await e.ask({ path: '/api/v1/challenge', headers: [JSON_TYPE, ['Origin', ORIGIN]], body })
      expect(answer).toMatchObject(failure(400, 'bad-request'))
    }
  })
})

/** As the log and siteverify name it: an app's page has no hostname. */
const seenAs = (origin: string): string => (origin.startsWith('http') ? new URL(origin).hostname.slice(0, 100) : origin)

describe('the Origin header', () => {
  const asks = { sitekey: SITEKEY, action: 'sign-up' }
  test.each([
    null,
    '',
    'null',
    'https://',
    'https://evil.example/shop.example.com',
    'https://evil.example\\.shop.example.com',
    'https://shop.example.com@evil.example',
    'HTTPS://shop.example.com',
    'https://shop.example.com.',
    'https://shop.example.com/',
    'https://shop.example.com:443',
    'https://shop.example.com:99999',
    'https://%61.shop.example.com',
    'https://m\u00FCller.shop.example.com',
    'https://\u200Bshop.example.com',
    'https:/shop.example.com',
    'shop.example.com',
    'file://',
    'capacitor://*',
    'capacitor://user@localhost',
    'blob:https://shop.example.com',
    `${ORIGIN}, https://evil.example`,
    `https://evil.example, ${ORIGIN}`,
    `https://${'a.'.repeat(200)}shop.example.com`,
  ])('%s: hostname-not-allowed, and no page may read it', async (origin) => {
    const bytes = origin === null ? null : Buffer.from(origin).toString('latin1')
    const answer = await challenge(asks, bytes)
    expect(answer).toMatchObject(failure(400, 'hostname-not-allowed'))
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  })
  test.each([
    'https://example.com',
    'https://shop.example.com.evil.example',
    'https://evilshop.example.com',
    'http://127.0.0.1:3000',
    'http://localhost',
    'capacitor://shop.example.com',
    'https://[::1]',
    `https://${'a.'.repeat(100)}example`,
  ])('%s: hostname-not-allowed, readable by that page only; the log has its hostname', async (origin) => {
    const answer = await challenge(asks, origin)
    expect(answer).toMatchObject(failure(400, 'hostname-not-allowed'))
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin)
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
    expect(answer.headers.get('vary')).toContain('Origin')
    const logged = e.service.lines().findLast(({ code }) => code === 'hostname-not-allowed')
    expect(logged).toMatchObject({ sitekey: SITEKEY, hostname: seenAs(origin) })
  })
  test('sent twice, or only a Referer: hostname-not-allowed', async () => {
    const origin = ['Origin', ORIGIN] as const
    for (const headers of [[origin, origin], [['Referer', `${ORIGIN}/`] as const]]) {
      const body = new URLSearchParams(asks).toString()
      const answer = await e.ask({ path: '/api/v1/challenge', headers: [FORM, ...headers], body })
      expect(answer).toMatchObject(failure(400, 'hostname-not-allowed'))
    }
  })
  test.each([
    [ORIGIN, 'shop.example.com'],
    ['http://shop.example.com', 'shop.example.com'],
    ['https://shop.example.com:8443', 'shop.example.com'],
    ['https://a.b.shop.example.com', 'a.b.shop.example.com'],
    ['https://xn--mller-kva.shop.example.com:8443', 'xn--mller-kva.shop.example.com'],
  ])('%s is %s in the answer of siteverify', async (origin, hostname) => {
    const response = await token({ ...e.service.ask, origin })
    const { body } = await post(`${e.service.base}/api/v1/siteverify`, { secret: SECRET, response })
    expect(body).toMatchObject({ success: true, hostname })
  })
})

describe('a site with app_origins', () => {
  const hostnames = ['shop.example.com', '*.localhost']
  const appOrigins = ['capacitor://localhost', 'app://shop:1']
  const app = edgeForAll({ siteList: [site({ hostnames, appOrigins })] }, (each) => each.keepSecret(SECRET))

  test.each(appOrigins)('%s is the hostname in the answer of siteverify', async (origin) => {
    const response = await token({ ...app.service.ask, origin })
    const { body } = await post(`${app.service.base}/api/v1/siteverify`, { secret: SECRET, response })
    expect(body).toMatchObject({ success: true, hostname: origin })
  })
  test.each([
    'ionic://localhost',
    'capacitor://localhost:1',
    'capacitor://a.localhost',
    'capacitor://LOCALHOST',
    'http://localhost',
  ])('%s is another page: hostname-not-allowed', async (origin) => {
    const body = new URLSearchParams({ sitekey: SITEKEY, action: 'sign-up' }).toString()
    const answer = await app.ask({ path: '/api/v1/challenge', headers: [FORM, ['Origin', origin]], body })
    expect(answer).toMatchObject(failure(400, 'hostname-not-allowed'))
  })
})

describe('CORS', () => {
  const good = `sitekey=${SITEKEY}&action=sign-up`
  const [EVIL, BELOW] = ['https://evil.example', 'https://a.shop.example.com:8443']
  const preflight = (path: string, origin: string, asksFor: string) => {
    const asks = [
      ['Access-Control-Request-Method', 'POST'] as const,
      ['Access-Control-Request-Headers', asksFor] as const,
    ]
    return e.ask({ method: 'OPTIONS', path: `/api/v1/${path}`, headers: [['Origin', origin], ...asks] })
  }
  const corsHeaders = ({ headers }: Answer) => [...headers.keys()].filter((name) => name.startsWith('access-control'))

  test.each([
    ['a challenge of the site', 'challenge', ORIGIN, good, ORIGIN],
    ['a refusal of the site', 'challenge', ORIGIN, `sitekey=${SITEKEY}&action=other`, ORIGIN],
    ['an unknown sitekey', 'challenge', ORIGIN, 'sitekey=slip&action=sign-up', ORIGIN],
    ['an unknown sitekey from another page', 'challenge', EVIL, 'sitekey=slip&action=sign-up', EVIL],
    ['a malformed form', 'challenge', ORIGIN, 'a=%', ORIGIN],
    ['a page below a wildcard', 'challenge', BELOW, good, BELOW],
    ['another page', 'challenge', EVIL, good, EVIL],
    ['an opaque origin', 'challenge', 'null', good, null],
    ['a refused solution from another page', 'solve', EVIL, 'challenge=x&solution=x', EVIL],
  ])('%s', async (_what, path, origin, body, reader) => {
    const { headers } = await asked(path, origin, body)
    expect(headers.get('access-control-allow-origin')).toBe(reader)
    expect(headers.get('access-control-allow-credentials')).toBeNull()
    expect(headers.get('vary')).toContain('Origin')
  })
  test.each([
    { status: 415, what: 'of an unsupported type', type: 'text/html', body: 'x' },
    { status: 413, what: 'too large', type: FORM[1], body: `sitekey=${'x'.repeat(20_000)}` },
  ])('a body that is $what', async ({ status, type, body }) => {
    const answer = await e.ask({
      path: '/api/v1/challenge',
      headers: [
        ['Content-Type', type],
        ['Origin', ORIGIN],
      ],
      body,
    })
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([status, ORIGIN])
  })
  // Agents that trace every fetch of a page add headers to ours, and the browser asks first.
  test.each(['challenge', 'solve'])('a preflight at %s is answered', async (path) => {
    const answer = await preflight(path, ORIGIN, 'baggage,traceparent')
    expect(answer.status).toBe(204)
    expect(answer.headers.get('access-control-allow-origin')).toBe(ORIGIN)
    expect(answer.headers.get('access-control-allow-headers')).toBe('baggage,traceparent')
    expect(answer.headers.get('access-control-allow-methods')).toBe('POST')
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
  })
  test.each([
    ['challenge', 'null'],
    ['siteverify', ORIGIN],
  ])('a preflight at %s from %s is refused', async (path, origin) => {
    const answer = await preflight(path, origin, 'x')
    expect(answer).toMatchObject(failure(405, 'method-not-allowed'))
    expect(corsHeaders(answer)).toEqual([])
  })
  test.each(['', `secret=${SECRET}&response=x`, 'a=%'])('siteverify with "%s" has no CORS headers', async (body) => {
    expect(corsHeaders(await asked('siteverify', ORIGIN, body))).toEqual([])
  })
})
