import type { ServerResponse } from 'node:http'
import { expect, test } from '@jest/globals'
import request from 'supertest'
import { DEMO_SECRET, DEMO_SITEKEY } from '../../../src/demo/credentials.ts'
import type { DecisionRecord } from '../../../src/score/decision-record.ts'
import { demoSite, LOCAL } from '../../../src/demo/site.ts'
import { site, testService } from '../../support/app.ts'
import { serve } from '../../support/serve.ts'
import { token } from '../../support/visitor.ts'

const policy = site(
  { sitekey: DEMO_SITEKEY as never, hostnames: ['127.0.0.1', 'localhost'] },
  DEMO_SECRET,
)
const service = await testService({ siteList: [policy] })
const demo = await serve(
  demoSite({ ...LOCAL, own: service.base, page: service.base }, { of: () => lastDecision() }),
)

/** What the service decided of the last visit, from its log. */
const lastDecision = () =>
  service.lines().findLast(({ message }) => message === 'solve')?.['decision'] as
    DecisionRecord | undefined

const submit = async (fields: Record<string, string>, address = demo.url) => {
  const { status, text, headers } = await request(address)
    .post('/sign-up')
    .type('form')
    .accept('html')
    .send(fields)
  return { status, text, retryAfter: headers['retry-after'] ?? null }
}

test('the form embeds the widget with three attributes, and has no secret in it', async () => {
  const { text: html } = await request(demo.url).get('/')
  expect(html).toContain(`data-sitekey="${DEMO_SITEKEY}" data-action="sign-up"`)
  expect(html).toContain(`data-api-base="${service.base}/"`)
  expect(html).toMatch(/<script src="[^"]+\/assets\/captcha\.js\?v=1" defer>/)
  expect(html).not.toContain(DEMO_SECRET)
})

// What is accepted: test/browser/tour.test.ts.
test('what is no token is refused with a neutral message, and not repeated', async () => {
  const { status, text } = await submit({
    name: 'Ada',
    'svc-response': '<script>alert(1)</script>',
  })
  expect([status, text]).toEqual([
    422,
    expect.stringContaining('We could not process your request. Please try again.'),
  ])
  expect(text).not.toContain('<script>alert')
})

test('a refusal for the score shows score, threshold, what counted and how to test with tools open', async () => {
  const signals = { automation: { webdriver: 1 } }
  const response = await token({
    ...service.ask,
    sitekey: DEMO_SITEKEY,
    origin: 'http://127.0.0.1:8081',
    signals,
  })
  const { text } = await submit({ 'svc-response': response })
  const { score, threshold, contributions } = lastDecision()!
  expect(text).toContain(`<dt>score</dt><dd>${score}</dd><dt>threshold</dt><dd>${threshold}</dd>`)
  expect(contributions.length).toBeGreaterThan(0)
  for (const { name } of contributions) expect(text).toContain(`<code>${name}</code>`)
  expect(text).toContain('Reasons: automation')
  expect(text).toContain('test with tools open')
  expect(text).toContain('href="/">Send the form again')
})

test.each([
  [429, 'rate-limit-exceeded'],
  [503, 'database-unavailable'],
])('%i of the service: 503 and its Retry-After, never a refusal', async (status, code) => {
  const answer = (_req: unknown, res: ServerResponse): void => {
    res.writeHead(status, { 'content-type': 'application/json', 'retry-after': '7' })
    res.end(JSON.stringify({ success: false, 'error-codes': [code] }))
  }
  const busy = await serve(answer)
  const alone = await serve(
    demoSite({ ...LOCAL, own: busy.url, page: busy.url }, { of: () => undefined }),
  )
  const text = expect.stringContaining('temporarily unavailable')
  expect(await submit({ 'svc-response': 'x' }, alone.url)).toEqual({
    status: 503,
    retryAfter: '7',
    text,
  })
})
