/** Every row of the tables of docs/api/api.md: fields, codes, status. The shapes are exact. */
import { describe, expect, test } from '@jest/globals'
import request from 'supertest'
import { createHash } from 'node:crypto'
import { Fault } from '../../../src/domain/codes.ts'
import { seconds } from '../../../src/domain/words.ts'
import { ORIGIN, SECRET, site, SITEKEY, testService } from '../../support/app.ts'
import { BROWSER, solved, token } from '../../support/visitor.ts'

let now = Date.now()
const service = await testService({ nowMs: () => now, trustedProxies: ['127.0.0.1/32'] })

const form = (path: string, fields: object, base = service.base) =>
  request(base).post(path).type('form').send(fields)
const siteverify = (fields: object, base = service.base) => form('/api/v1/siteverify', fields, base)
const verify = async (fields: Record<string, string> = {}) =>
  siteverify({ secret: SECRET, response: await token(service.ask), ...fields })

/** The shape of every refusal. */
const refusal = (...codes: string[]) => ({ success: false, 'error-codes': codes })
const expectRefusal = (asked: request.Test, status: number, ...codes: string[]) =>
  asked.expect(status, refusal(...codes))

const ACCEPTED = {
  success: true,
  challenge_ts: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
  hostname: 'shop.example.com',
  score: expect.any(Number),
  score_threshold: 0.5,
  action: 'sign-up',
  'error-codes': [],
}

describe('Verification request', () => {
  test('secret, response: required', async () => {
    await expectRefusal(siteverify({ response: 'x' }), 400, 'missing-input-secret')
    await expectRefusal(siteverify({ secret: SECRET }), 400, 'missing-input-response')
  })
  test('remoteip: not required; a mismatch can produce remoteip-mismatch', async () => {
    const visitor = { ...service.ask, headers: { ...BROWSER, 'x-forwarded-for': '203.0.113.7' } }
    const same = await siteverify({
      secret: SECRET,
      response: await token(visitor),
      remoteip: '203.0.113.7',
    })
    expect(same.body).toEqual(ACCEPTED)
    const other = await siteverify({
      secret: SECRET,
      response: await token(visitor),
      remoteip: '203.0.113.8',
    })
    expect(other.body).toEqual(refusal('remoteip-mismatch'))
  })
  test('action: expected to be sent; without it nothing is compared', async () => {
    expect((await verify()).body).toEqual(ACCEPTED)
    expect((await verify({ action: 'sign-up' })).body).toEqual(ACCEPTED)
  })
  test('JSON: an object with the same field names', async () => {
    const fields = { secret: SECRET, response: await token(service.ask), action: 'sign-up' }
    const { body } = await request(service.base).post('/api/v1/siteverify').send(fields).expect(200)
    expect(body).toEqual(ACCEPTED)
  })
})

describe('Verification response', () => {
  test('success, error-codes: always; the rest on success, and nothing else', async () => {
    const { status, body, headers } = await verify({ action: 'sign-up' })
    expect(status).toBe(200)
    expect(body).toEqual(ACCEPTED)
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
    expect(headers['cache-control']).toBe('no-store')
  })
  test('challenge_ts: UTC, when the challenge was issued', async () => {
    now = Date.UTC(2027, 0, 2, 3, 4, 5)
    const fields = await solved(service.ask)
    now += 90_000
    const { body } = await form('/api/v1/solve', fields).set({ ...BROWSER, origin: ORIGIN })
    const verified = await siteverify({ secret: SECRET, response: String(body['token']) })
    expect(verified.body['challenge_ts']).toBe('2027-01-02 03:04:05')
  })
  test('hostname: where the response originated from, without the port', async () => {
    const response = await token({ ...service.ask, origin: 'https://pay.shop.example.com:8443' })
    expect((await siteverify({ secret: SECRET, response })).body['hostname']).toBe(
      'pay.shop.example.com',
    )
  })
  test('score, score_threshold: between 0 and 1, two decimals', async () => {
    const { body } = await verify()
    expect(body['score']).toBeGreaterThanOrEqual(0.5)
    expect(body['score']).toBeLessThanOrEqual(1)
    expect(Math.round(Number(body['score']) * 100) / 100).toBe(body['score'])
  })
  test('cdata: on success, when the page gave one', async () => {
    const response = await token({ ...service.ask, cdata: 'basket-7' })
    expect((await siteverify({ secret: SECRET, response })).body).toEqual({
      ...ACCEPTED,
      cdata: 'basket-7',
    })
  })
})

describe('Processed and rejected (HTTP 200, success false)', () => {
  const expectUsed = (response: string) =>
    expectRefusal(
      siteverify({ secret: SECRET, response, action: 'sign-up' }),
      200,
      'timeout-or-duplicate',
    )

  test('timeout-or-duplicate: already used; only success, error-codes', async () => {
    const response = await token(service.ask)
    await siteverify({ secret: SECRET, response })
    await expectUsed(response)
    await expectUsed(response)
  })
  test.each([120, 126, 100_000])('timeout-or-duplicate: expired, %d seconds old', async (age) => {
    const response = await token(service.ask)
    now += age * 1000
    await expectUsed(response)
  })
  test('a token is accepted until its last second', async () => {
    now = Math.floor(now / 1000) * 1000
    const response = await token(service.ask)
    now += 119_999
    expect((await siteverify({ secret: SECRET, response })).body).toEqual(ACCEPTED)
  })
  test('action-mismatch: includes the action of the token; the token is consumed', async () => {
    const response = await token(service.ask)
    const mismatch = { ...refusal('action-mismatch'), action: 'sign-up' }
    await siteverify({ secret: SECRET, response, action: 'log-in' }).expect(200, mismatch)
    await expectUsed(response)
  })
  test('low-score: includes score and score_threshold; the token is consumed', async () => {
    const response = await token({ ...service.ask, signals: {}, headers: {} })
    const { body } = await siteverify({ secret: SECRET, response }).expect(200)
    expect(body).toEqual({
      ...refusal('low-score'),
      score: expect.any(Number),
      score_threshold: 0.5,
    })
    expect(body['score']).toBeLessThan(0.5)
    await expectUsed(response)
  })
  test('remoteip-mismatch: only success, error-codes; the token is consumed', async () => {
    const response = await token({
      ...service.ask,
      headers: { ...BROWSER, 'x-forwarded-for': '203.0.113.7' },
    })
    await expectRefusal(
      siteverify({ secret: SECRET, response, remoteip: '198.51.100.1' }),
      200,
      'remoteip-mismatch',
    )
    await expectUsed(response)
  })
})

describe('Request and service errors', () => {
  test.each([
    { code: 'missing-input-secret', fields: { response: 'x' } },
    { code: 'missing-input-secret', fields: { secret: '', response: 'x' } },
    { code: 'invalid-input-secret', fields: { secret: 'wrong', response: 'x' } },
    {
      code: 'invalid-input-secret',
      fields: { secret: `hv_secret_${'A'.repeat(43)}`, response: 'x' },
    },
    { code: 'missing-input-response', fields: { secret: SECRET } },
    { code: 'missing-input-response', fields: { secret: SECRET, response: '' } },
  ])('400 $code', ({ code, fields }) => expectRefusal(siteverify(fields), 400, code))

  // A visitor's junk was judged: a client library that throws on 400 must not fail the customer's page for it.
  test('200 invalid-input-response: a token that is none', async () => {
    await expectRefusal(
      siteverify({ secret: SECRET, response: 'x' }),
      200,
      'invalid-input-response',
    )
  })

  test('400 lists each of several missing fields', async () => {
    await expectRefusal(siteverify({}), 400, 'missing-input-secret', 'missing-input-response')
  })

  test.each([
    {
      status: 429,
      code: 'rate-limit-exceeded',
      from: 'limiter',
      options: { retryAfter: seconds(17) },
      after: '17',
    },
    { status: 503, code: 'rate-limiter-unavailable', from: 'limiter', options: {}, after: '1' },
    { status: 503, code: 'database-unavailable', from: 'ledger', options: {}, after: '1' },
    { status: 503, code: 'database-schema-outdated', from: 'ledger', options: {}, after: '1' },
  ] as const)('$status $code, with Retry-After', async ({ status, code, from, options, after }) => {
    const fails = async () => {
      throw new Fault(code, options)
    }
    const broken = {
      limiter: { ...service.parts.limiter, take: fails },
      ledger: { ...service.parts.ledger, consume: fails },
    }
    const down = await testService({ ...service.parts, [from]: broken[from] })
    const asked = siteverify({ secret: SECRET, response: await token(service.ask) }, down.base)
    await expectRefusal(asked, status, code).expect('retry-after', after)
  })

  test('a bug of ours: 500 internal-error without details; the log has a request id', async () => {
    const junk = async () => Promise.reject(new Error('secret thing'))
    const broken = await testService({
      limiter: { ...service.parts.limiter, junk },
      defects: 'expected',
    })
    await expectRefusal(
      siteverify({ secret: SECRET, response: 'x' }, broken.base),
      500,
      'internal-error',
    )
    const defect = broken.lines().find((line) => line['message'] === 'internal error')
    expect(defect).toMatchObject({
      level: 'error',
      request_id: expect.stringMatching(/^[\w-]{22}$/),
    })
  })
})

describe('Endpoints', () => {
  test('POST /api/v1/challenge: a challenge token and its work', async () => {
    const fields = { sitekey: SITEKEY, action: 'sign-up' }
    const { body, headers } = await form('/api/v1/challenge', fields)
      .set('origin', ORIGIN)
      .expect(200)
    expect(body).toEqual({
      challenge: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      work: { a: 's32.1', s: 1024, n: 1536, b: 4000 },
      key: expect.arrayContaining([expect.any(Number)]),
      expires_in: 600,
    })
    expect(headers['access-control-allow-origin']).toBe(ORIGIN)
    expect(headers['access-control-allow-credentials']).toBeUndefined()
    expect(headers['vary']).toContain('Origin')
  })
  test('POST /api/v1/solve: a response token', async () => {
    const asked = form('/api/v1/solve', await solved(service.ask)).set({
      ...BROWSER,
      origin: ORIGIN,
    })
    const { body } = await asked.expect(200)
    expect(body).toEqual({
      token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      expires_in: 120,
    })
    expect(String(body['token']).length).toBeLessThanOrEqual(2048)
  })
  test('GET /health: 200 ok, and 503 with the code while the ledger cannot be asked', async () => {
    // Whatever a probe has cached, it gets the current state.
    await request(service.base)
      .get('/health')
      .set('If-None-Match', '*')
      .expect(200, { status: 'ok' })
    const down = await testService({ readiness: { fault: () => 'database-unavailable' } })
    const unavailable = { status: 'unavailable', 'error-codes': ['database-unavailable'] }
    await request(down.base).get('/health').expect(503, unavailable)
  })
  test('siteverify has no CORS headers, ever', async () => {
    for (const method of ['post', 'options', 'get'] as const) {
      const asked = request(service.base)[method]('/api/v1/siteverify')
      const { headers } = await asked.set('origin', ORIGIN)
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
    }
  })
})

test('two secrets of one site both authenticate; one past its end does not', async () => {
  const second = `hv_secret_${'B'.repeat(43)}`
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
  const secrets = [
    { sha256: sha256(SECRET), notAfter: Math.floor(now / 1000) + 10 },
    { sha256: sha256(second), notAfter: undefined },
  ]
  const both = await testService({
    nowMs: () => now,
    siteList: [site({ secrets: secrets as never })],
  })
  const codes = async (secret: string) =>
    (await siteverify({ secret, response: 'x' }, both.base)).body['error-codes']
  expect([await codes(SECRET), await codes(second)]).toEqual([
    ['invalid-input-response'],
    ['invalid-input-response'],
  ])
  now += 10_000
  expect([await codes(SECRET), await codes(second)]).toEqual([
    ['invalid-input-secret'],
    ['invalid-input-response'],
  ])
})
