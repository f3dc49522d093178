/** Test mode: every outcome of docs/design/contract.md, "Codes", has a sitekey and a secret, and outside of test mode none of them is known. */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { CODES } from '../../../src/domain/codes.ts'
import { SCENARIOS, scenarioSecret, scenarioSites, scenarioSitekey, SLOW_MS } from '../../../src/domain/scenarios.ts'
import { markdownTable } from '../../../src/scenarios/table.ts'
import { ORIGIN, SECRET, site, SITEKEY, testService, type TestService } from '../../support/app.ts'
import { BROWSER, post, token, work } from '../../support/visitor.ts'
import type { ChallengeAnswer } from '../../../src/wire.ts'

const PAGE = 'http://localhost:3000'
let service: TestService
beforeAll(async () => {
  const siteList = [site(), ...scenarioSites(['shop.example.com'])]
  service = await testService({ testMode: true, siteList, defects: 'expected' })
})
afterAll(() => service.stop(0))

const named = (name: string) => SCENARIOS.find((scenario) => scenario.name === name)!
const secretOf = (name: string): string => scenarioSecret(named(name))
const verify = (name: string, fields: Record<string, string> = {}, base = service.base) =>
  post(`${base}/api/v1/siteverify`, { secret: secretOf(name), response: 'hv_test_response', ...fields })
const tokenOf = (name: string, more: Partial<Parameters<typeof token>[0]> = {}): Promise<string> =>
  token({ base: service.base, sitekey: scenarioSitekey(named(name)), origin: PAGE, ...more })
const accepted = (score: number, more: object = {}) => ({
  success: true,
  challenge_ts: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
  hostname: 'localhost',
  score,
  score_threshold: 0.5,
  action: 'sign-up',
  'error-codes': [],
  ...more,
})
const rejected = (code: string, more: object = {}) => ({ success: false, ...more, 'error-codes': [code] })
const low = (score: number) => rejected('low-score', { score, score_threshold: 0.5 })

/** Every outcome of the contract, in its words, and how it is asked for. */
const OUTCOMES = [
  { name: 'pass', status: 200, body: accepted(0.9) },
  { name: 'score-00', status: 200, body: low(0) },
  { name: 'score-49', status: 200, body: low(0.49) },
  { name: 'score-50', status: 200, body: accepted(0.5) },
  { name: 'score-73', status: 200, body: accepted(0.73) },
  { name: 'score-100', status: 200, body: accepted(1) },
  { name: 'low-score', status: 200, body: low(0.1) },
  {
    name: 'step-up',
    status: 200,
    body: rejected('low-score', { score: 0.1, score_threshold: 0.5, step_up: expect.stringMatching(/^eyJ/) }),
  },
  { name: 'timeout-or-duplicate', status: 200, body: rejected('timeout-or-duplicate') },
  { name: 'action-mismatch', status: 200, body: rejected('action-mismatch', { action: expect.any(String) }) },
  { name: 'remoteip-mismatch', status: 200, body: rejected('remoteip-mismatch') },
  ...(
    [
      'missing-input-secret',
      'invalid-input-secret',
      'missing-input-response',
      'invalid-input-response',
      'bad-request',
      'rate-limit-exceeded',
      'database-unavailable',
      'database-schema-outdated',
      'rate-limiter-unavailable',
      'internal-error',
    ] as const
  ).map((name) => ({ name, status: CODES[name] as number, body: rejected(name) })),
]

describe('by the secret, with the fixed text for a token', () => {
  test.each(OUTCOMES)('$name', async ({ name, status, body }) => {
    const answer = await verify(name, { action: 'sign-up' })
    expect([answer.status, answer.body]).toEqual([status, body])
    expect(answer.headers.has('retry-after')).toBe(status === 429 || status === 503)
  })

  test('the fixed text is taken as often as it is sent', async () => {
    for (let i = 0; i < 3; i++) expect((await verify('pass')).body['success']).toBe(true)
  })

  test('anything else that is not a token of ours is none', async () => {
    for (const response of ['hv_test_response2', 'x', 'a.b.c', `a.${btoa('null')}.c`]) {
      expect(await verify('pass', { response })).toMatchObject({
        status: 400,
        body: rejected('invalid-input-response'),
      })
    }
  })
})

describe('by the sitekey, with the secret of pass: a running server is driven from the page', () => {
  test.each(OUTCOMES)('$name', async ({ name, status, body }) => {
    const answer = await verify('pass', { response: await tokenOf(name), action: 'sign-up' })
    expect([answer.status, answer.body]).toEqual([status, body])
  })

  test('a genuine token is used up by its verdict, as in production', async () => {
    for (const name of ['pass', 'low-score', 'action-mismatch']) {
      const response = await tokenOf(name)
      await verify('pass', { response })
      expect((await verify('pass', { response })).body).toEqual(rejected('timeout-or-duplicate'))
    }
  })

  test('a genuine token for another action is rejected, and says for which', async () => {
    const answer = await verify('pass', { response: await tokenOf('pass'), action: 'log-in' })
    expect(answer.body).toEqual(rejected('action-mismatch', { action: 'sign-up' }))
  })

  test('a secret that is not of pass decides by itself', async () => {
    expect((await verify('score-60', { response: await tokenOf('low-score'), action: 'sign-up' })).body).toEqual(
      accepted(0.6),
    )
  })

  test('hostname and cdata are those of the page', async () => {
    const response = await tokenOf('pass', { origin: ORIGIN, cdata: 'basket-7' })
    expect((await verify('pass', { response })).body).toEqual(
      accepted(0.9, { hostname: 'shop.example.com', cdata: 'basket-7' }),
    )
  })
})

const challenge = (sitekey: string, origin = PAGE) =>
  post(`${service.base}/api/v1/challenge`, { sitekey, action: 'sign-up' }, { ...BROWSER, origin })

describe('in the page', () => {
  test.each([
    { name: 'page-hostname-not-allowed', status: 400 },
    { name: 'page-action-not-allowed', status: 400 },
    { name: 'page-rate-limit-exceeded', status: 429 },
    { name: 'page-database-unavailable', status: 503 },
  ])('$name: $status', async ({ name, status }) => {
    const answer = await challenge(scenarioSitekey(named(name)))
    expect([answer.status, answer.body]).toEqual([status, rejected(name.slice('page-'.length))])
  })

  test.each(['http://localhost:3000', 'https://shop.test', 'http://127.0.0.1', ORIGIN])(
    'works at %s',
    async (origin) => {
      expect((await challenge('hv_site_test_pass', origin)).status).toBe(200)
    },
  )

  test('is refused where no site is', async () => {
    expect((await challenge('hv_site_test_pass', 'https://example.org')).body).toEqual(rejected('hostname-not-allowed'))
  })

  test('every challenge says that this is a test, an ordinary site’s too', async () => {
    expect((await challenge('hv_site_test_pass')).body).toMatchObject({ test: true })
    expect((await challenge(SITEKEY, ORIGIN)).body).toMatchObject({ test: true })
  })
})

describe('slow answers', () => {
  test('slow: as pass, but later than a client waits', async () => {
    const started = performance.now()
    expect((await verify('slow', { action: 'sign-up' })).body).toEqual(accepted(0.9))
    expect(performance.now() - started).toBeGreaterThan(SLOW_MS - 50)
  })

  test('page-slow: the challenge comes late, and is good', async () => {
    const started = performance.now()
    const response = await tokenOf('page-slow')
    expect(performance.now() - started).toBeGreaterThan(SLOW_MS - 50)
    expect((await verify('pass', { response, action: 'sign-up' })).body).toEqual(accepted(0.9))
  })
})

test('/health says that this is a test', async () => {
  expect(await (await fetch(`${service.base}/health`)).json()).toEqual({ status: 'ok', test: true })
})

test('a configured site is judged for real', async () => {
  const robot = await token({ ...service.ask, signals: {}, headers: {} })
  const { body } = await post(`${service.base}/api/v1/siteverify`, { secret: SECRET, response: robot })
  expect(body).toMatchObject(rejected('low-score'))
  const answer = await post(`${service.base}/api/v1/siteverify`, { secret: SECRET, response: 'hv_test_response' })
  expect(answer.body).toEqual(rejected('invalid-input-response'))
})

test('outside of test mode no scenario is known, and nothing says test', async () => {
  const ordinary = await testService()
  const unknown = await verify('pass', {}, ordinary.base)
  expect([unknown.status, unknown.body]).toEqual([400, rejected('invalid-input-secret')])
  const page = await post(
    `${ordinary.base}/api/v1/challenge`,
    { sitekey: 'hv_site_test_pass', action: 'sign-up' },
    { ...BROWSER, origin: ORIGIN },
  )
  expect([page.status, page.body]).toEqual([400, rejected('invalid-input-sitekey')])
  expect(await (await fetch(`${ordinary.base}/health`)).json()).toEqual({ status: 'ok' })
  await ordinary.stop(0)
})

test('docs/start/testing.md has the table', () => {
  expect(readFileSync('docs/start/testing.md', 'utf8')).toContain(`\n${markdownTable()}\n`)
})

test('step-up: the ticket of the first try makes a second one, which is accepted', async () => {
  const sitekey = scenarioSitekey(named('step-up'))
  const first = await verify('step-up', { response: await tokenOf('step-up'), action: 'sign-up' })
  const ticket = first.body['step_up'] as string
  const headers = { ...BROWSER, origin: PAGE }
  const asked = { sitekey, action: 'sign-up', ticket }
  const { challenge: issued, work: todo } = (await post(`${service.base}/api/v1/challenge`, asked, headers))
    .body as unknown as ChallengeAnswer
  const solving = { challenge: issued, solution: work(issued, todo), ticket }
  const { body } = await post(`${service.base}/api/v1/solve`, solving, headers)
  const second = await verify('step-up', { response: body['token'] as string, action: 'sign-up' })
  expect(second.body).toEqual(accepted(0.65))
})
