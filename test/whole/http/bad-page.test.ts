/** docs/design/threats.md, "Bad input": what a page, or someone who plays one, asks at challenge. */
import { describe, expect, test } from '@jest/globals'
import { ORIGIN, SECRET, site, SITEKEY } from '../../support/app.ts'
import { post, token } from '../../support/visitor.ts'
import { type Answer, type Edge, edge, failure } from './edge.ts'

const e = edge({ siteList: [site({ actions: ['sign-up', 'log-in'] })] })

const EVIL = 'https://evil.example'
const GOOD = { sitekey: SITEKEY, action: 'sign-up' }

const asked = (path: string, origin: string | null, body: string | Record<string, string>) =>
  e.form(path, body, origin === null ? [] : [['Origin', origin]])
const challenge = (fields: Record<string, string>, origin: string | null = ORIGIN) =>
  asked('challenge', origin, { ...GOOD, ...fields })
async function verdict({ service }: Edge, change: { origin?: string; cdata?: string }) {
  const response = await token({ ...service.ask, ...change })
  return (await post(`${service.base}/api/v1/siteverify`, { secret: SECRET, response })).body
}

test.each([
  ' ',
  'x',
  SITEKEY.toUpperCase(),
  `${SITEKEY} `,
  `${SITEKEY}\0`,
  '*',
  '__proto__',
  'hv_site_'.repeat(1000),
])('the sitekey "%s": invalid-input-sitekey', async (sitekey) => {
  // The same from any page, so that the hostnames of customers stay unknown.
  for (const origin of [ORIGIN, EVIL])
    expect(await challenge({ sitekey }, origin)).toMatchObject(
      failure(400, 'invalid-input-sitekey'),
    )
})
test.each(['action=sign-up', 'action=sign-up&sitekey='])(
  '%s: missing-input-sitekey',
  async (body) => {
    expect(await asked('challenge', ORIGIN, body)).toMatchObject(
      failure(400, 'missing-input-sitekey'),
    )
  },
)
test('no action: bad-request', async () => {
  expect(await asked('challenge', ORIGIN, `sitekey=${SITEKEY}`)).toMatchObject(
    failure(400, 'bad-request'),
  )
})
test.each([
  ['action', 'Sign-Up', 'action-not-allowed'],
  ['action', 'sign-up/', 'action-not-allowed'],
  ['action', 'sign-up ', 'bad-request'],
  ['action', 's\u0456gn-up', 'bad-request'],
  ['action', 'sign-up\0', 'bad-request'],
  ['action', '', 'bad-request'],
  ['action', 'a'.repeat(65), 'bad-request'],
  ['cdata', 'c'.repeat(256), 'bad-request'],
  ['cdata', '\u{1F600}'.repeat(129), 'bad-request'],
  // 512 bytes in the token, where a quote takes two.
  ['cdata', `${'€'.repeat(128)}${'"'.repeat(64)}`, 'bad-request'],
  ['cdata', 'a\0b', 'bad-request'],
  ['cdata', 'a\r\nb', 'bad-request'],
])('the %s "%s": %s', async (field, value, code) => {
  expect(await challenge({ [field]: value })).toMatchObject(failure(400, code))
})
test.each([
  { what: '255 letters', cdata: 'c'.repeat(255) },
  { what: '255 quotes', cdata: '"'.repeat(255) },
  { what: '510 bytes', cdata: `${'€'.repeat(128)}${'"'.repeat(63)}` },
])('cdata of $what is returned by siteverify', async ({ cdata }) => {
  expect(await verdict(e, { cdata })).toMatchObject({ cdata })
})
test.each([
  ['proof', [2, '2', null], 200],
  ['proof', [1.5, -1, 1e21], 400],
  ['cdata', [null], 200],
  ['algorithm', ['', null, 's32.1', 'pb.1'], 200],
  ['algorithm', ['pb.2', 'PB.1', 'none'], 400],
  ...['sitekey', 'action', 'cdata'].map(
    (field) => [field, [1, true, [], {}, ['sign-up']], 400] as const,
  ),
] as const)('in JSON, a %s of %j: %s', async (field, values, status) => {
  for (const value of values) {
    const answer = await e.json('challenge', { ...GOOD, [field]: value }, [['Origin', ORIGIN]])
    expect(answer).toMatchObject(status === 400 ? failure(400, 'bad-request') : { status })
  }
})

/** As the log and siteverify name it: an app's page has no hostname. */
const seenAs = (origin: string): string =>
  origin.startsWith('http') ? new URL(origin).hostname.slice(0, 100) : origin

describe('the Origin header', () => {
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
    const answer = await challenge({}, origin && Buffer.from(origin).toString('latin1'))
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
  ])(
    '%s: hostname-not-allowed, readable by that page only; the log has its hostname',
    async (origin) => {
      const answer = await challenge({}, origin)
      expect(answer).toMatchObject(failure(400, 'hostname-not-allowed'))
      expectReadable(answer, origin)
      const logged = e.service.lines().findLast(({ code }) => code === 'hostname-not-allowed')
      expect(logged).toMatchObject({ sitekey: SITEKEY, hostname: seenAs(origin) })
    },
  )
  test('sent twice, or only a Referer: hostname-not-allowed', async () => {
    const origin = ['Origin', ORIGIN] as const
    for (const headers of [[origin, origin], [['Referer', `${ORIGIN}/`] as const]])
      expect(await e.form('challenge', GOOD, headers)).toMatchObject(
        failure(400, 'hostname-not-allowed'),
      )
  })
  test.each([
    [ORIGIN, 'shop.example.com'],
    ['http://shop.example.com', 'shop.example.com'],
    ['https://shop.example.com:8443', 'shop.example.com'],
    ['https://a.b.shop.example.com', 'a.b.shop.example.com'],
    ['https://xn--mller-kva.shop.example.com:8443', 'xn--mller-kva.shop.example.com'],
  ])('%s is %s in the answer of siteverify', async (origin, hostname) => {
    expect(await verdict(e, { origin })).toMatchObject({ success: true, hostname })
  })
})

describe('a site with app_origins', () => {
  const hostnames = ['shop.example.com', '*.localhost']
  const appOrigins = ['capacitor://localhost', 'app://shop:1']
  const app = edge({ siteList: [site({ hostnames, appOrigins })] })

  test.each(appOrigins)('%s is the hostname in the answer of siteverify', async (origin) => {
    expect(await verdict(app, { origin })).toMatchObject({ success: true, hostname: origin })
  })
  test.each([
    'ionic://localhost',
    'capacitor://localhost:1',
    'capacitor://a.localhost',
    'capacitor://LOCALHOST',
    'http://localhost',
  ])('%s is another page: hostname-not-allowed', async (origin) => {
    const answer = await app.form('challenge', GOOD, [['Origin', origin]])
    expect(answer).toMatchObject(failure(400, 'hostname-not-allowed'))
  })
})

/** No other page, and no page with its visitor's cookies. @param origin null: not even the page that asked. */
function expectReadable({ headers }: Answer, origin: string | null): void {
  expect(headers.get('access-control-allow-origin')).toBe(origin)
  expect(headers.get('access-control-allow-credentials')).toBeNull()
  expect(headers.get('vary')).toContain('Origin')
}

describe('CORS', () => {
  const good = `sitekey=${SITEKEY}&action=sign-up`
  const BELOW = 'https://a.shop.example.com:8443'
  const preflight = (path: string, origin: string, asksFor: string) => {
    const asks = {
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': asksFor,
    }
    return e.ask({
      method: 'OPTIONS',
      path: `/api/v1/${path}`,
      headers: [['Origin', origin], ...Object.entries(asks)],
    })
  }

  test.each<[what: string, question: Parameters<typeof asked>, reader: string | null]>([
    ['a challenge of the site', ['challenge', ORIGIN, good], ORIGIN],
    ['a refusal of the site', ['challenge', ORIGIN, `sitekey=${SITEKEY}&action=other`], ORIGIN],
    ['an unknown sitekey', ['challenge', ORIGIN, 'sitekey=slip&action=sign-up'], ORIGIN],
    [
      'an unknown sitekey from another page',
      ['challenge', EVIL, 'sitekey=slip&action=sign-up'],
      EVIL,
    ],
    ['a malformed form', ['challenge', ORIGIN, 'a=%'], ORIGIN],
    ['a form that is too large', ['challenge', ORIGIN, `sitekey=${'x'.repeat(20_000)}`], ORIGIN],
    ['a page below a wildcard', ['challenge', BELOW, good], BELOW],
    ['another page', ['challenge', EVIL, good], EVIL],
    ['an opaque origin', ['challenge', 'null', good], null],
    ['a refused solution from another page', ['solve', EVIL, 'challenge=x&solution=x'], EVIL],
  ])('%s', async (_what, question, reader) => expectReadable(await asked(...question), reader))
  test('a body of an unsupported type', async () => {
    const headers = [['Content-Type', 'text/html'] as const, ['Origin', ORIGIN] as const]
    const answer = await e.ask({ path: '/api/v1/challenge', headers, body: 'x' })
    expect(answer.status).toBe(415)
    expectReadable(answer, ORIGIN)
  })
  // Agents that trace every fetch of a page add headers to ours, and the browser asks first.
  test.each(['challenge', 'solve'])('a preflight at %s is answered', async (path) => {
    const answer = await preflight(path, ORIGIN, 'baggage,traceparent')
    expect(answer.status).toBe(204)
    expectReadable(answer, ORIGIN)
    expect(answer.headers.get('access-control-allow-headers')).toBe('baggage,traceparent')
    expect(answer.headers.get('access-control-allow-methods')).toBe('POST')
  })
  test.each([
    ['challenge', 'null'],
    ['siteverify', ORIGIN],
  ])('a preflight at %s from %s is refused', async (path, origin) => {
    const answer = await preflight(path, origin, 'x')
    expect(answer).toMatchObject(failure(405, 'method-not-allowed'))
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual(
      [],
    )
  })
})
