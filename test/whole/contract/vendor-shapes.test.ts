/** docs/api/api.md, "The paths of other services": each shape's answers, field by field, and no acceptance that the plain path refuses. */
import { describe, expect, test } from '@jest/globals'
import request from 'supertest'
import { Fault } from '../../../src/domain/codes.ts'
import { loadAssets } from '../../../src/http/assets.ts'
import { seconds } from '../../../src/domain/words.ts'
import { SCRIPTS, SHAPES } from '../../../src/http/vendor-shapes.ts'
import { ORIGIN, PLACE, SECRET, site, SITEKEY, testService } from '../../support/app.ts'
import { BROWSER, solved, token } from '../../support/visitor.ts'

const OTHER_SECRET = `hv_secret_${'O'.repeat(43)}`
const OTHER = 'hv_site_othershop' as typeof SITEKEY
const SITES = [site(), site({ sitekey: OTHER }, OTHER_SECRET)]

let now = Date.now()
const service = await testService({
  nowMs: () => now,
  trustedProxies: ['127.0.0.1/32'],
  siteList: SITES,
})

/** Status of a path that is not ours: in a program of a customer's, the request goes on to that program, which has nothing there. */
const NOT_OURS = PLACE.mount === '' ? 404 : 400

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.000)?Z$/
/** An accepted visit in each shape, exactly. */
const ACCEPTED: { readonly [name in keyof typeof SHAPES]: object } = {
  recaptcha: {
    success: true,
    challenge_ts: expect.stringMatching(ISO),
    hostname: 'shop.example.com',
    score: expect.any(Number),
    action: 'sign-up',
  },
  turnstile: {
    success: true,
    'error-codes': [],
    challenge_ts: expect.stringMatching(ISO),
    hostname: 'shop.example.com',
    action: 'sign-up',
    cdata: '',
  },
  hcaptcha: {
    success: true,
    challenge_ts: expect.stringMatching(ISO),
    hostname: 'shop.example.com',
    credit: false,
  },
  cap: { success: true },
}
/** What a shape adds to, or says in place of, a code of ours. */
function refusal(name: keyof typeof SHAPES, ...codes: string[]): object {
  const said = codes.map((code) =>
    name === 'hcaptcha' && code === 'timeout-or-duplicate'
      ? 'invalid-or-already-seen-response'
      : code,
  )
  return { success: false, 'error-codes': said, ...(name === 'cap' && { error: said[0] }) }
}

describe.each(Object.keys(SHAPES) as (keyof typeof SHAPES)[])('%s', (name) => {
  const path = SHAPES[name].path.replace('{sitekey}', SITEKEY)
  const ask = (fields: object, { base = service.base, type = 'form', at = path } = {}) =>
    request(base).post(at).type(type).send(fields)
  const verify = async (fields: object = {}, options = {}) =>
    ask({ secret: SECRET, response: await token(service.ask), ...fields }, options)

  test.each(['form', 'json'])('accepts a genuine token once, asked by %s', async (type) => {
    const fields = { secret: SECRET, response: await token(service.ask) }
    const { body } = await ask(fields, { type }).expect(200)
    expect(body).toEqual(ACCEPTED[name])
    await ask(fields, { type }).expect(200, refusal(name, 'timeout-or-duplicate'))
  })
  test('a token that any path has accepted is refused on every other', async () => {
    const fields = { secret: SECRET, response: await token(service.ask) }
    await ask(fields, { at: '/api/v1/siteverify' }).expect(200)
    await ask(fields).expect(200, refusal(name, 'timeout-or-duplicate'))
    const { body } = await verify()
    expect(body).toEqual(ACCEPTED[name])
  })
  test('tells the time of the challenge as ISO 8601, in UTC', async () => {
    now = Date.UTC(2027, 0, 2, 3, 4, 5)
    const fields = await solved(service.ask)
    now += 90_000
    const { body } = await ask(fields, { at: '/api/v1/solve' }).set({ ...BROWSER, origin: ORIGIN })
    const verified = await ask({ secret: SECRET, response: String(body['token']) })
    const time: unknown = verified.body['challenge_ts'] ?? '2027-01-02T03:04:05Z'
    expect(new Date(String(time)).getTime()).toBe(Date.UTC(2027, 0, 2, 3, 4, 5))
  })
  test('compares action and remoteip where they are sent, and judges the score', async () => {
    const visitor = { ...service.ask, headers: { ...BROWSER, 'x-forwarded-for': '203.0.113.7' } }
    expect((await verify({ action: 'log-in' })).body).toEqual(refusal(name, 'action-mismatch'))
    const elsewhere = { response: await token(visitor), remoteip: '203.0.113.8' }
    expect((await verify(elsewhere)).body).toEqual(refusal(name, 'remoteip-mismatch'))
    const low = await verify({
      response: await token({ ...service.ask, signals: {}, headers: {} }),
    })
    expect(typeof low.body['score']).toBe(name === 'recaptcha' ? 'number' : 'undefined')
    expect(low.body).toEqual({
      ...refusal(name, 'low-score'),
      ...(name === 'recaptcha' && { score: low.body['score'] as unknown }),
    })
  })
  test.each([
    { codes: ['missing-input-secret'], fields: { response: 'x' } },
    { codes: ['missing-input-response'], fields: { secret: SECRET } },
    { codes: ['missing-input-secret', 'missing-input-response'], fields: {} },
    { codes: ['invalid-input-secret'], fields: { secret: 'wrong', response: 'x' } },
    { codes: ['invalid-input-response'], fields: { secret: SECRET, response: 'x' } },
    { codes: ['bad-request'], fields: { secret: SECRET, response: 'x', remoteip: 'x' } },
  ])('a wrong request is answered with 200: $codes', async ({ codes, fields }) => {
    const { status, body } = await ask(fields)
    expect([status, body]).toEqual([200, refusal(name, ...codes)])
  })
  test('the token of another site, and the secret of another, are refused', async () => {
    const response = await token({ ...service.ask, sitekey: OTHER })
    await ask({ secret: SECRET, response }).expect(200, refusal(name, 'invalid-input-response'))
    const { body } = await verify({ secret: OTHER_SECRET })
    const code = name === 'cap' ? 'invalid-input-secret' : 'invalid-input-response'
    expect(body).toEqual(refusal(name, code))
  })
  test.each([
    { status: 429, code: 'rate-limit-exceeded', from: 'limiter' },
    { status: 503, code: 'rate-limiter-unavailable', from: 'limiter' },
    { status: 503, code: 'database-unavailable', from: 'ledger' },
  ] as const)('$status $code keeps its status and Retry-After', async ({ status, code, from }) => {
    const fails = async () => {
      throw new Fault(code, { retryAfter: seconds(17) })
    }
    const broken = {
      limiter: { ...service.parts.limiter, take: fails },
      ledger: { ...service.parts.ledger, consume: fails },
    }
    const down = await testService({ ...service.parts, [from]: broken[from] })
    const { body, headers, ...answer } = await verify({}, { base: down.base })
    expect(answer.status).toBe(status)
    expect(body).toEqual({ success: false, 'error-codes': [code] })
    expect(headers['retry-after']).toBe('17')
  })
  test('a secret in the query is not read, other methods are not allowed, and no origin may read', async () => {
    const query = new URLSearchParams({ secret: SECRET, response: await token(service.ask) })
    const posted = await request(service.base).post(`${path}?${query.toString()}`)
    expect(posted.body).toEqual(refusal(name, 'missing-input-secret', 'missing-input-response'))
    for (const method of ['get', 'options', 'post'] as const) {
      const { status, headers } = await request(service.base)[method](path).set('origin', ORIGIN)
      expect(status).toBe(method === 'post' ? 200 : 405)
      expect(Object.keys(headers).filter((each) => each.startsWith('access-control'))).toEqual([])
    }
  })
  test('is off with vendor_paths: false', async () => {
    const off = await testService({ ...service.parts, vendorPaths: false })
    expect((await verify({}, { base: off.base })).status).toBe(NOT_OURS)
    const plain = await verify({}, { base: off.base, at: '/api/v1/siteverify' })
    expect(plain.body['success']).toBe(true)
  })
})

describe('a sitekey that the request names', () => {
  test.each([
    { shape: 'hcaptcha', path: '/siteverify', fields: { sitekey: OTHER } },
    { shape: 'hcaptcha', path: '/siteverify', fields: { sitekey: 'x' } },
    { shape: 'cap', path: `/${OTHER}/siteverify`, fields: {} },
    { shape: 'cap', path: '/hv_site_unknownone/siteverify', fields: {} },
  ] as const)(
    '$shape, $path $fields: not that of the secret, and nothing is consumed',
    async ({ shape, path, fields }) => {
      const right = { secret: SECRET, response: await token(service.ask) }
      const asked = (at: string, more: object) =>
        request(service.base)
          .post(at)
          .type('form')
          .send({ ...right, ...more })
      const { body } = await asked(path, fields)
      expect(body).toEqual(refusal(shape, 'invalid-input-secret'))
      const again = await asked('/siteverify', { sitekey: SITEKEY })
      expect(again.body).toEqual(ACCEPTED.hcaptcha)
    },
  )
  test('in the plain path it is not read', async () => {
    const fields = { secret: SECRET, response: await token(service.ask), sitekey: OTHER }
    const { body } = await request(service.base).post('/api/v1/siteverify').send(fields)
    expect(body['success']).toBe(true)
  })
  test('what is no sitekey is not a path of ours', async () => {
    for (const path of ['/x/siteverify', `/a/${SITEKEY}/siteverify`, `/${SITEKEY}/siteverify/`])
      await request(service.base).post(path).expect(NOT_OURS)
  })
})

test.each([...SCRIPTS])('%s is compat.js, unless the paths are off', async (path) => {
  const served = await testService({ assets: loadAssets('dist/assets') })
  const [script, own] = await Promise.all(
    [path, '/assets/compat.js'].map((at) => request(served.base).get(at).expect(200)),
  )
  expect([script!.text === own!.text, script!.headers]).toEqual([
    true,
    { ...own!.headers, date: expect.anything() },
  ])
  const again = await request(served.base).get(path).set('If-None-Match', own!.headers['etag']!)
  expect(again.status).toBe(304)
  await request(served.base).post(path).expect(405)
  const off = await testService({ ...served.parts, vendorPaths: false })
  await request(off.base).get(path).expect(NOT_OURS)
})
