/** The Next.js example beyond its route handlers: the edge runtime, a multipart form, a server action. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { SECRET } from '../../support/app.ts'
import { realService } from '../../../packages/client/test/cases.ts'
import { installProject, run, type Running, start } from './projects.ts'

const NEXT = 'node_modules/next/dist/bin/next'
let service: Awaited<ReturnType<typeof realService>>
let server: Running
beforeAll(async () => {
  service = await realService()
  const folder = installProject('next')
  run(process.execPath, [NEXT, 'build'], folder)
  const env = { HV_URL: service.base, HV_SECRET: SECRET }
  server = await start(folder, [NEXT, 'start', '--hostname', '127.0.0.1'], env)
}, 300_000)
afterAll(async () => {
  await server.stop()
  await service.stop()
})

function multipart(token: string): FormData {
  const form = new FormData()
  form.set('svc-response', token)
  form.set('picture', new Blob(['12345'], { type: 'image/png' }), 'a.png')
  return form
}

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
    for (const [, name = '', value = ''] of page.matchAll(/<input type="hidden" name="([^"]+)"(?: value="([^"]*)")?/g))
      form.set(name, value)
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
