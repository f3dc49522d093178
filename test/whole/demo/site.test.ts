import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { DEMO_SECRET, DEMO_SITEKEY } from '../../../src/demo/credentials.ts'
import { decisionMemory } from '../../../src/demo/decisions.ts'
import { demoSite } from '../../../src/demo/site.ts'
import { type Listening, listen } from '../../../src/http/server/listen.ts'
import { site, testService, type TestService } from '../../support/app.ts'
import { token } from '../../support/visitor.ts'

const ORIGIN = 'http://127.0.0.1:8081'
let service: TestService
let demo: Listening
beforeAll(async () => {
  const demoPolicy = site(
    { sitekey: DEMO_SITEKEY as never, hostnames: ['127.0.0.1', 'localhost'], passes: true },
    DEMO_SECRET,
  )
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

test('a refusal for the score says score and threshold, what counted and how to test with tools open', async () => {
  const decisions = decisionMemory()
  const wordsFor = (rule: string) => `words for <${rule}>`
  const explaining = await listen(demoSite(service.base, { decisions, wordsFor }), { host: '127.0.0.1', port: 0 })
  const response = await visitorToken('sign-up', { automation: { webdriver: 1 } })
  const page = fetch(`${explaining.url}/sign-up`, {
    method: 'POST',
    body: new URLSearchParams({ 'svc-response': response }),
  })
  // As `hv demo` hands them on: the lines of the service's log, in any order with the form.
  for (const line of service.lines()) decisions.add(JSON.stringify(line))
  const text = await (await page).text()
  const line = service.lines().findLast(({ decision }) => decision !== undefined)!
  const { score, threshold, contributions } = line['decision'] as {
    score: number
    threshold: number
    contributions: { name: string }[]
  }
  expect(text).toContain(`<dt>score</dt><dd>${score}</dd><dt>threshold</dt><dd>${threshold}</dd>`)
  expect(contributions.length).toBeGreaterThan(0)
  for (const { name } of contributions) expect(text).toContain(`<code>${name}</code>`)
  expect(text).toContain('words for &#60;')
  expect(text).toContain('To test with tools open')
  await explaining.stop(0)
})

test('the result has the question without secret and token, and the answer of siteverify', async () => {
  const response = await visitorToken()
  const { text } = await submit({ name: 'Ada', 'svc-response': response })
  expect(text).toContain('POST /api/v1/siteverify\nsecret=hv_secret_demo…')
  expect(text).toContain(`response=${response.slice(0, 24)}… (${response.length} characters)\naction=sign-up`)
  expect(text).not.toContain(`secret=${DEMO_SECRET}\n`)
  expect(text).toMatch(/&#34;success&#34;: true,[\s\S]*&#34;score&#34;: [\d.]+/)
})

test('a button sends the same token again, and shows timeout-or-duplicate', async () => {
  const response = await visitorToken()
  const { text } = await submit({ name: 'Ada', 'svc-response': response })
  expect(text).toContain(
    `<form method="post" action="/again">\n<input type="hidden" name="svc-response" value="${response}">`,
  )
  const again = async (sent: string) => {
    const res = await fetch(`${demo.url}/again`, {
      method: 'POST',
      body: new URLSearchParams({ 'svc-response': sent }),
    })
    return { status: res.status, text: await res.text() }
  }
  const replay = await again(response)
  expect([replay.status, replay.text.includes('data-outcome="refused"')]).toEqual([422, true])
  expect(replay.text).toContain('&#34;timeout-or-duplicate&#34;')
  expect(replay.text).toContain('a token is accepted at most once')
  const rubbish = await again('"><script>')
  expect([rubbish.status, rubbish.text.includes('at most once'), rubbish.text.includes('<script>')]).toEqual([
    422,
    false,
    false,
  ])
})

test('the second button asks for more than anybody has: the visitor is refused, and helped', async () => {
  const { status, text } = await submit({ name: 'Ada', plan: 'strict', 'svc-response': await visitorToken() })
  expect(status).toBe(422)
  expect(text).toContain('<dt>asked for by the second button</dt><dd>1.00</dd>')
  expect(text).toContain('<h2>Other ways to sign up</h2>')
})

test.each([
  { query: '', theme: 'auto', post: '/sign-up' },
  { query: '?theme=light', theme: 'light', post: '/sign-up?theme=light' },
  { query: '?theme=dark', theme: 'dark', post: '/sign-up?theme=dark' },
  { query: '?theme="><script>', theme: 'auto', post: '/sign-up' },
])('the theme $theme is that of page, widget and form (query "$query")', async ({ query, theme, post }) => {
  const html = await (await fetch(`${demo.url}/${query}`)).text()
  expect(/<html lang="en"(?: data-theme="(\w+)")?>/.exec(html)![1] ?? 'auto').toBe(theme)
  expect(html).toContain(`data-size="flexible" data-theme="${theme}"`)
  expect(html).toContain(`action="${post}"`)
  expect(html).toContain(`aria-current="true">${theme}</a>`)
})

test('503 and "temporarily unavailable" when the service cannot be reached', async () => {
  const alone = await listen(demoSite('http://127.0.0.1:1'), { host: '127.0.0.1', port: 0 })
  const res = await fetch(`${alone.url}/sign-up`, {
    method: 'POST',
    body: new URLSearchParams({ 'svc-response': 'x' }),
  })
  expect([res.status, await res.text()]).toEqual([503, expect.stringContaining('temporarily unavailable')])
  await alone.stop(0)
})

test.each([429, 503])('%i of the service: 503 and its Retry-After, never a refusal', async (status) => {
  const busy = createServer((_req, res) => {
    const code = status === 429 ? 'rate-limit-exceeded' : 'database-unavailable'
    res.writeHead(status, { 'content-type': 'application/json', 'retry-after': '7' })
    res.end(JSON.stringify({ success: false, 'error-codes': [code] }))
  })
  busy.listen(0, '127.0.0.1')
  await once(busy, 'listening')
  const alone = await listen(demoSite(`http://127.0.0.1:${(busy.address() as AddressInfo).port}`), {
    host: '127.0.0.1',
    port: 0,
  })
  const res = await fetch(`${alone.url}/sign-up`, {
    method: 'POST',
    body: new URLSearchParams({ 'svc-response': 'x' }),
  })
  expect([res.status, res.headers.get('retry-after')]).toEqual([503, '7'])
  expect(await res.text()).toContain('temporarily unavailable')
  await alone.stop(0)
  busy.close()
})

test('a refused visitor is shown the step, the support desk and another channel', async () => {
  const { text } = await submit({ 'svc-response': await visitorToken('sign-up', { automation: { webdriver: 1 } }) })
  expect(text).toContain('<h2>Other ways to sign up</h2>')
  for (const way of ['href="/">Send the form again', 'href="/support"', 'href="mailto:help@example.com"'])
    expect(text).toContain(way)
})

test('a refused visitor is shown the support desk, whose pass gets the form through, once', async () => {
  const refused = await submit({ 'svc-response': await visitorToken('sign-up', { automation: { webdriver: 1 } }) })
  expect(refused.text).toContain('href="/support"')
  // As in a service that has been running for a while.
  service.parts.ledger.beganAt = () => 1 as never
  const desk = await (await fetch(`${demo.url}/support`)).text()
  const response = /name="svc-response" value="([\w.-]+)"/.exec(desk)![1]!
  expect(desk).toContain(`href="/#hv=${response}"`)
  const fields = { name: 'Ada', email: 'ada@example.com', 'svc-response': response }
  expect((await submit(fields)).status).toBe(200)
  expect((await submit(fields)).status).toBe(422)
})
