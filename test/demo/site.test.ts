import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { DEMO_SECRET, DEMO_SITEKEY } from '../../src/demo/credentials.ts'
import { demoSite } from '../../src/demo/site.ts'
import { type Listening, listen } from '../../src/http/listen.ts'
import { site, testService, type TestService } from '../support/app.ts'
import { token } from '../support/visitor.ts'

const ORIGIN = 'http://127.0.0.1:8081'
let service: TestService
let demo: Listening
beforeAll(async () => {
  const demoPolicy = site({ sitekey: DEMO_SITEKEY as never, hostnames: ['127.0.0.1', 'localhost'] }, DEMO_SECRET)
  service = await testService({ siteList: [demoPolicy] })
  demo = await listen(demoSite(service.base), { host: '127.0.0.1', port: 0 })
})
afterAll(async () => {
  await demo.stop(0)
  await service.stop(0)
})

const submit = async (fields: Record<string, string>) => {
  const res = await fetch(`${demo.url}/sign-up`, { method: 'POST', body: new URLSearchParams(fields) })
  return { status: res.status, text: await res.text() }
}
const visitorToken = (action = 'sign-up', signals?: object) =>
  token({ ...service.ask, sitekey: DEMO_SITEKEY, origin: ORIGIN, action, ...(signals && { signals }) })

test('the form embeds the widget with three attributes, and has no secret in it', async () => {
  const html = await (await fetch(demo.url)).text()
  expect(html).toContain(`data-sitekey="${DEMO_SITEKEY}" data-action="sign-up"`)
  expect(html).toContain(`data-api-base="${service.base}/"`)
  expect(html).toMatch(/<script src="[^"]+\/assets\/captcha\.js\?v=1" defer>/)
  expect(html).not.toContain(DEMO_SECRET)
})

test('a genuine submission is accepted, and its token a second time is not', async () => {
  const response = await visitorToken()
  const first = await submit({ name: 'Ada', email: 'ada@example.com', 'svc-response': response })
  expect([first.status, first.text.includes('data-outcome="accepted"')]).toEqual([200, true])
  const second = await submit({ name: 'Ada', email: 'ada@example.com', 'svc-response': response })
  expect([second.status, second.text.includes('timeout-or-duplicate')]).toEqual([422, true])
  expect(await (await fetch(`${demo.url}/last-token`)).text()).toBe(response)
})

test.each([
  { when: 'there is no token', fields: async () => ({}) },
  { when: 'the token is empty', fields: async () => ({ 'svc-response': '' }) },
  { when: 'the token is rubbish', fields: async () => ({ 'svc-response': '<script>alert(1)</script>' }) },
  { when: 'the token is of another action', fields: async () => ({ 'svc-response': await visitorToken('log-in') }) },
  {
    when: 'the visit looks like a bot',
    fields: async () => ({ 'svc-response': await visitorToken('sign-up', { automation: { webdriver: 1 } }) }),
  },
])('422 and a neutral message when $when', async ({ fields }) => {
  const { status, text } = await submit({ name: 'Ada', ...(await fields()) } as Record<string, string>)
  expect(status).toBe(422)
  expect(text).toContain('We could not process your request. Please try again.')
  expect(text).not.toContain('<script>alert')
})

test('422 when the service cannot be reached', async () => {
  const alone = await listen(demoSite('http://127.0.0.1:1'), { host: '127.0.0.1', port: 0 })
  const res = await fetch(`${alone.url}/sign-up`, {
    method: 'POST',
    body: new URLSearchParams({ 'svc-response': 'x' }),
  })
  expect(res.status).toBe(422)
  await alone.stop(0)
})
