/** The middlewares in real frameworks, against the real service: people pass, everything else is refused. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { realService } from '../../../packages/client/test/cases.ts'
import { SECRET } from '../../support/app.ts'
import { ATTEMPTS, race, type Target } from './attack.ts'
import { installProject, run, type Running, start } from './projects.ts'

const PROJECTS = [
  { name: 'express', args: ['server.js'] },
  { name: 'fastify', args: ['server.js'] },
  { name: 'hono', args: ['server.js'] },
  { name: 'next', args: ['node_modules/next/dist/bin/next', 'start', '--hostname', '127.0.0.1'], build: true },
]
const NEUTRAL = 'We could not process your request. Please try again.'

describe.each(PROJECTS)('$name', ({ name, args, build }) => {
  let service: Awaited<ReturnType<typeof realService>>
  let server: Running
  let folder: string
  const startWith = (url: string): Promise<Running> =>
    start(folder, args, { HV_URL: url, HV_SECRET: SECRET, HV_HOSTNAMES: 'shop.example.com' })
  const target = (action: string, path: string, field: string): Target => ({
    url: `${server.url}${path}`,
    field,
    token: (change = {}) => service.tokenOf({ action, ...change }),
  })
  const signUp = (): Target => target('sign-up', '/sign-up', 'svc-response')

  beforeAll(async () => {
    service = await realService()
    folder = installProject(name)
    // Without url and secret, as on the machine that builds for a customer.
    if (build === true) run(process.execPath, ['node_modules/next/dist/bin/next', 'build'], folder)
    server = await startWith(service.base)
  }, 300_000)
  afterAll(async () => {
    await server.stop()
    await service.stop()
  })

  test.each([
    { as: 'a form', path: '/sign-up', action: 'sign-up', field: 'svc-response' },
    { as: 'a form with a field of another name', path: '/contact', action: 'contact-form', field: 'proof' },
  ])('a person passes with $as, and the handler knows the verdict', async ({ path, action, field }) => {
    const { url, token } = target(action, path, field)
    const fields = { name: 'Ada', [field]: await token() }
    const res = await fetch(url, { method: 'POST', body: new URLSearchParams(fields) })
    expect([res.status, await res.json()]).toEqual([200, { done: true, score: expect.any(Number) }])
  })

  test('a person passes with JSON', async () => {
    const { url, field, token } = signUp()
    const res = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Ada', [field]: await token() }),
    })
    expect([res.status, await res.json()]).toEqual([200, { done: true, score: expect.any(Number) }])
  })

  test.each(ATTEMPTS)('refused $how', async ({ send, refusals }) => {
    const res = await send(signUp())
    const text = await res.text()
    expect(refusals).toContain(res.status)
    // Which rule failed is for the log: an attacker learns nothing.
    expect(text).not.toMatch(/done|score|rule|timeout-or-duplicate|action-mismatch|invalid-input|hv_secret/)
    expect(res.status !== 422 || text.includes(NEUTRAL)).toBe(true)
  })

  test('of one token submitted ten times at once, one passes', async () => {
    expect(await race(signUp(), 10)).toBe(1)
  })

  test.each([
    { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', type: 'text/html; charset=utf-8', when: 'a browser asks' },
    { accept: 'application/json', type: 'application/json; charset=utf-8', when: 'a program asks for JSON' },
    { accept: '*/*', type: 'application/json; charset=utf-8', when: 'anything will do' },
    {
      accept: 'text/html;q=0.1, application/json',
      type: 'application/json; charset=utf-8',
      when: 'JSON is rather had',
    },
    { accept: 'text/html;q=0', type: 'application/json; charset=utf-8', when: 'HTML is not wanted' },
  ])('the refusal is $type when $when, and is never kept', async ({ accept, type }) => {
    const res = await fetch(signUp().url, {
      method: 'POST',
      body: new URLSearchParams({ a: 'b' }),
      headers: { accept },
    })
    expect(res.status).toBe(422)
    expect(res.headers.get('content-type')?.toLowerCase()).toBe(type)
    expect(res.headers.get('cache-control')).toBe('no-store')
    expect(res.headers.get('vary')?.toLowerCase()).toContain('accept')
    const html = new RegExp(`^<!doctype html>[^]*<p>${NEUTRAL}</p>\\s*$`)
    const json = new RegExp(`^\\{"error":"${NEUTRAL}"\\}$`)
    expect(await res.text()).toMatch(type.startsWith('text/html') ? html : json)
  })

  test('what it logs names the rule, and neither secret nor token', async () => {
    const token = await signUp().token({ action: 'log-in' })
    await fetch(signUp().url, { method: 'POST', body: new URLSearchParams({ 'svc-response': token }) })
    expect(server.said()).toContain('refused by action: rejected: action-mismatch')
    expect(server.said()).not.toContain(SECRET)
    expect(server.said()).not.toContain(token)
  })

  test('everybody is refused while nobody answers for the service', async () => {
    const response = await signUp().token()
    const alone = await startWith('http://127.0.0.1:1')
    try {
      const body = new URLSearchParams({ 'svc-response': response })
      const res = await fetch(`${alone.url}/sign-up`, { method: 'POST', body })
      expect([res.status, await res.text()]).toEqual([503, expect.stringContaining('temporarily unavailable')])
      expect(alone.said()).toContain('refused by transport')
    } finally {
      await alone.stop()
    }
    // The token was never shown to the service, so it is still good.
    const again = await fetch(signUp().url, { method: 'POST', body: new URLSearchParams({ 'svc-response': response }) })
    expect(again.status).toBe(200)
  }, 90_000)

  if (name !== 'next') return

  describe.each([
    { runtime: 'Node.js', path: '/sign-up' },
    { runtime: 'edge', path: '/edge' },
  ])('a route handler in the $runtime runtime', ({ path }) => {
    test.each([
      { as: 'a form', body: (token: string) => new URLSearchParams({ 'svc-response': token }) },
      { as: 'a multipart form with a file', body: multipart },
    ])('lets $as pass with a token, once', async ({ body }) => {
      const token = await service.tokenOf({ action: 'sign-up' })
      const post = (): Promise<Response> => fetch(server.url + path, { method: 'POST', body: body(token) })
      expect((await post()).status).toBe(200)
      expect((await post()).status).toBe(422)
    })
  })

  describe('a server action', () => {
    /** As a browser without JavaScript sends the form: with the fields that Next.js put there. */
    async function send(token: string): Promise<string | null> {
      const page = await (await fetch(`${server.url}/feedback`)).text()
      const form = new FormData()
      for (const [, field = '', value = ''] of page.matchAll(
        /<input type="hidden" name="([^"]+)"(?: value="([^"]*)")?/g,
      ))
        form.set(field, value)
      expect([...form.keys()].length).toBeGreaterThan(0)
      form.set('text', 'Well done')
      form.set('svc-response', token)
      const answer = await fetch(`${server.url}/feedback`, { method: 'POST', body: form, redirect: 'manual' })
      return answer.headers.get('location')
    }

    test('runs for a token, once', async () => {
      const token = await service.tokenOf({ action: 'feedback' })
      expect(await send(token)).toContain('said=thanks')
      expect(await send(token)).toContain('said=no')
    })

    test('refuses without a token, and with one for another action', async () => {
      expect(await send('')).toContain('said=no')
      expect(await send(await service.tokenOf({ action: 'sign-up' }))).toContain('said=no')
    })
  })
})

function multipart(token: string): FormData {
  const form = new FormData()
  form.set('svc-response', token)
  form.set('picture', new Blob(['12345'], { type: 'image/png' }), 'a.png')
  return form
}
