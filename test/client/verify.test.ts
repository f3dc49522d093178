import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { verify, type VerifyOptions } from '../../src/client/verify.ts'
import { SECRET, testService, type TestService } from '../support/app.ts'
import { BROWSER, token } from '../support/visitor.ts'

let service: TestService
beforeAll(async () => {
  service = await testService({ trustedProxies: ['127.0.0.1/32'] })
})
afterAll(() => service.stop(0))

const options = (change: Partial<VerifyOptions> = {}): VerifyOptions => ({
  url: service.base,
  secret: SECRET,
  response: 'x',
  action: 'sign-up',
  hostnames: ['shop.example.com'],
  ...change,
})

describe('against the service', () => {
  test('a genuine token is accepted, once', async () => {
    const response = await token({ ...service.ask, cdata: 'basket-7' })
    expect(await verify(options({ response }))).toEqual({
      accepted: true,
      score: expect.any(Number),
      hostname: 'shop.example.com',
      action: 'sign-up',
      challengeTs: expect.any(String),
      cdata: 'basket-7',
    })
    expect(await verify(options({ response }))).toEqual({
      accepted: false,
      rule: 'fresh',
      codes: ['timeout-or-duplicate'],
    })
  })

  test.each<{ rule: string; when: string; change: Partial<VerifyOptions>; codes?: string[] }>([
    { rule: 'success', when: 'the action is another', change: { action: 'log-in' }, codes: ['action-mismatch'] },
    { rule: 'hostname', when: 'the hostname is not ours', change: { hostnames: ['other.example.com'] } },
    { rule: 'score', when: 'our own threshold is stricter', change: { threshold: 1 } },
    {
      rule: 'success',
      when: 'the address is another',
      change: { remoteip: '203.0.113.9' },
      codes: ['remoteip-mismatch'],
    },
    { rule: 'status', when: 'the secret is wrong', change: { secret: 'wrong' }, codes: ['invalid-input-secret'] },
  ])('refused by $rule when $when', async ({ rule, change, codes = [] }) => {
    const response = await token({ ...service.ask, headers: { ...BROWSER, 'x-forwarded-for': '203.0.113.7' } })
    expect(await verify(options({ response, ...change }))).toEqual({ accepted: false, rule, codes })
  })

  test('hostnames are compared without case', async () => {
    const response = await token(service.ask)
    expect(await verify(options({ response, hostnames: ['SHOP.example.COM'] }))).toMatchObject({ accepted: true })
  })

  test('rubbish is refused', async () => {
    expect(await verify(options())).toEqual({ accepted: false, rule: 'status', codes: ['invalid-input-response'] })
  })

  test.each([undefined, '', 7, ['a', 'b'], { a: 1 }])(
    'what is no token (%p) is refused without a request',
    async (response) => {
      expect(await verify(options({ response, url: 'http://127.0.0.1:1' }))).toEqual({
        accepted: false,
        rule: 'response',
        codes: [],
      })
    },
  )
})

describe('against a service that misbehaves', () => {
  const good = {
    success: true,
    challenge_ts: '2027-01-02 03:04:05',
    hostname: 'shop.example.com',
    score: 0.9,
    score_threshold: 0.5,
    action: 'sign-up',
    'error-codes': [],
  }
  let server: Server
  let answer: RequestListener
  let asked: string[]
  beforeAll(async () => {
    server = createServer((req, res) => {
      let body = ''
      req.on('data', (chunk: Buffer) => (body += chunk.toString()))
      req.on('end', () => {
        asked.push(body)
        answer(req, res)
      })
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  const against = (listener: RequestListener, change: Partial<VerifyOptions> = {}) => {
    asked = []
    answer = listener
    return verify(options({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, ...change }))
  }
  const saying =
    (body: unknown, status = 200): RequestListener =>
    (_req, res) => {
      res.statusCode = status
      res.end(typeof body === 'string' ? body : JSON.stringify(body))
    }

  test('what it says when all is well is accepted', async () => {
    expect(await against(saying(good))).toMatchObject({ accepted: true })
  })

  test.each<{ rule: string; when: string; body: unknown; status?: number }>([
    { rule: 'success', when: 'success is missing', body: { ...good, success: undefined } },
    { rule: 'success', when: 'success is the text true', body: { ...good, success: 'true' } },
    { rule: 'success', when: 'success is 1', body: { ...good, success: 1 } },
    {
      rule: 'error-codes',
      when: 'there is a code in spite of success',
      body: { ...good, 'error-codes': ['low-score'] },
    },
    { rule: 'error-codes', when: 'the codes are missing', body: { ...good, 'error-codes': undefined } },
    { rule: 'error-codes', when: 'the codes are no list', body: { ...good, 'error-codes': '' } },
    { rule: 'action', when: 'the action is missing', body: { ...good, action: undefined } },
    { rule: 'action', when: 'the action differs in case', body: { ...good, action: 'Sign-Up' } },
    { rule: 'shape', when: 'the hostname is missing', body: { ...good, hostname: undefined } },
    { rule: 'hostname', when: 'the hostname only ends like ours', body: { ...good, hostname: 'evilshop.example.com' } },
    { rule: 'shape', when: 'the score is missing', body: { ...good, score: undefined } },
    { rule: 'shape', when: 'the score is a text', body: { ...good, score: '0.9' } },
    { rule: 'shape', when: 'the threshold is missing', body: { ...good, score_threshold: undefined } },
    { rule: 'score', when: 'the score is below the threshold', body: { ...good, score: 0.4 } },
    { rule: 'shape', when: 'the time is missing', body: { ...good, challenge_ts: undefined } },
    { rule: 'shape', when: 'the answer is null', body: 'null' },
    { rule: 'success', when: 'the answer is a list', body: [] },
    { rule: 'transport', when: 'the answer is HTML', body: '<html>' },
    { rule: 'transport', when: 'the answer is empty', body: '' },
    {
      rule: 'status',
      when: 'the status is 503',
      body: { success: false, 'error-codes': ['database-unavailable'] },
      status: 503,
    },
    { rule: 'status', when: 'success comes with a 500', body: good, status: 500 },
    { rule: 'status', when: 'success comes with a 201', body: good, status: 201 },
  ])('refused by $rule when $when', async ({ rule, body, status }) => {
    expect(await against(saying(body, status))).toMatchObject({ accepted: false, rule })
  })

  test('a redirect is not followed', async () => {
    const redirect: RequestListener = (_req, res) => void res.writeHead(307, { location: '/elsewhere' }).end()
    expect(await against(redirect)).toEqual({ accepted: false, rule: 'transport', codes: [] })
  })

  test('no answer in time is a refusal', async () => {
    const started = performance.now()
    expect(await against(() => {}, { timeout: 200 })).toEqual({ accepted: false, rule: 'transport', codes: [] })
    expect(performance.now() - started).toBeLessThan(1500)
  })

  test('a lost answer is asked for once more, with the same idempotency key', async () => {
    let lost = false
    const result = await against((req, res) => {
      if (lost) return saying(good)(req, res)
      lost = true
      req.socket.destroy()
    })
    expect(result).toMatchObject({ accepted: true })
    expect(asked).toHaveLength(2)
    expect(asked[0]).toBe(asked[1])
    expect(new URLSearchParams(asked[0]).get('idempotency_key')).toMatch(/^[0-9a-f-]{14}4/)
  })

  test('nobody there is a refusal', async () => {
    expect(await verify(options({ url: 'http://127.0.0.1:1' }))).toEqual({
      accepted: false,
      rule: 'transport',
      codes: [],
    })
  })
})

test.each<[string, object]>([
  ['url', { url: 'verify.example.com' }],
  ['secret', { secret: '' }],
  ['action', { action: undefined }],
  ['hostname', { hostnames: [] }],
  ['hostname', { hostnames: undefined }],
  ['hostname', { hostnames: [''] }],
  ['threshold', { threshold: NaN }],
  ['threshold', { threshold: 50 }],
  ['timeout', { timeout: 0 }],
])('a call without a proper %s is a defect of the caller', async (word, change) => {
  await expect(verify(options(change as Partial<VerifyOptions>))).rejects.toThrow(new RegExp(word))
})
