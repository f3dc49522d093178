/** docs/start/testing.md: each secret of the test server has its outcome, and everything else is the service. */
import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import request from 'supertest'
import { createApp } from '../../../src/app.ts'
import { OUTCOMES, testApp } from '../../../src/demo/test-server.ts'
import { SHAPES } from '../../../src/http/vendor-shapes.ts'
import { ORIGIN, testService } from '../../support/app.ts'
import { serve } from '../../support/serve.ts'
import { post, token } from '../../support/visitor.ts'

const service = await testService()
const server = await serve(testApp(createApp(service.parts), service.parts.log))

const verify = (secret: string, response: string) =>
  post(`${server.url}/api/v1/siteverify`, { secret, response, action: 'sign-up' })

test.each([
  [
    'accepted',
    200,
    { success: true, score: 0.9, score_threshold: 0.5, hostname: 'localhost', action: 'sign-up' },
  ],
  [
    'low-score',
    200,
    { success: false, score: 0.1, score_threshold: 0.5, 'error-codes': ['low-score'] },
  ],
  ['timeout-or-duplicate', 200, { success: false, 'error-codes': ['timeout-or-duplicate'] }],
  [
    'action-mismatch',
    200,
    { success: false, action: 'hv-test-another-action', 'error-codes': ['action-mismatch'] },
  ],
  ['remoteip-mismatch', 200, { success: false, 'error-codes': ['remoteip-mismatch'] }],
  ['bad-request', 400, { success: false, 'error-codes': ['bad-request'] }],
  ['rate-limit-exceeded', 429, { success: false, 'error-codes': ['rate-limit-exceeded'] }],
  ['database-unavailable', 503, { success: false, 'error-codes': ['database-unavailable'] }],
])('%s: %s', async (name, status, answer) => {
  const answered = await verify(`hv_secret_test_${name}`, 'any-text')
  expect([answered.status, answered.body]).toMatchObject([status, answer])
  expect(answered.headers.get('retry-after')).toBe(status > 400 ? '1' : null)
})

test.each(Object.entries(SHAPES))(
  'each secret has its outcome in the shape of %s',
  async (name, shape) => {
    const path = shape.path.replace('{sitekey}', 'hv_site_testsite')
    const ask = async (secret: string) => {
      const asked = request(server.url).post(path).type('form')
      const { status, body } = await asked.send({ secret, response: 'any-text' })
      return [status, body] as const
    }
    expect(await ask('hv_secret_test_accepted')).toMatchObject([200, { success: true }])
    const used = name === 'hcaptcha' ? 'invalid-or-already-seen-response' : 'timeout-or-duplicate'
    const refusals = {
      'hv_secret_test_timeout-or-duplicate': [200, used],
      'hv_secret_test_bad-request': [200, 'bad-request'],
      'hv_secret_test_database-unavailable': [503, 'database-unavailable'],
      hv_secret_x: [200, 'invalid-input-secret'],
    }
    for (const [secret, [status, code]] of Object.entries(refusals))
      expect(await ask(secret)).toMatchObject([status, { success: false, 'error-codes': [code] }])
  },
)

test('slow: accepted after 5 s', async () => {
  const began = performance.now()
  expect((await verify('hv_secret_test_slow', 'any-text')).body).toMatchObject({ success: true })
  expect(performance.now() - began).toBeGreaterThan(4900)
})

test('a token of the widget brings its hostname and its action; it is never used up', async () => {
  const response = await token({ ...service.ask, base: server.url, action: 'log-in' })
  for (let i = 0; i < 2; i++) {
    expect((await verify('hv_secret_test_accepted', response)).body).toMatchObject({
      success: true,
      hostname: new URL(ORIGIN).hostname,
      action: 'log-in',
    })
  }
})

test('an unknown secret and a missing token are refused as by the service', async () => {
  expect((await verify('hv_secret_x', 'any-text')).body).toMatchObject({
    'error-codes': ['invalid-input-secret'],
  })
  expect((await verify('hv_secret_test_accepted', '')).body).toMatchObject({
    'error-codes': ['missing-input-response'],
  })
})

test('the page has a row for every secret, and no other', () => {
  const page = readFileSync('docs/start/testing.md', 'utf8')
  const rows = [...page.matchAll(/^\| `(hv_secret_\S+)` \| (.*) \|$/gm)].map(
    ([, secret, says]) => ({ secret, says }),
  )
  expect(rows).toEqual(OUTCOMES.map(({ secret, says }) => ({ secret, says })))
})
