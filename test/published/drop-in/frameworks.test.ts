/** The middleware of Express and Fastify in the versions that people run, with forms, JSON and uploads. */
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { SECRET } from '../../support/app.ts'
import { realService } from '../../../packages/client/test/cases.ts'
import { type Running, start } from '../examples/projects.ts'
import { FOLDER, installThirdParty, versionOf } from './third-party.ts'

let service: Awaited<ReturnType<typeof realService>>
beforeAll(async () => {
  installThirdParty()
  service = await realService()
}, 300_000)
afterAll(() => service.stop())

/** Bodies in each form that a page sends; each with a token, or without. */
const BODIES: readonly { readonly as: string; readonly path: string; readonly body: (token: string) => RequestInit }[] =
  [
    {
      as: 'a form',
      path: '/sign-up',
      body: (token) => ({ body: new URLSearchParams({ name: 'Ada', 'svc-response': token }) }),
    },
    {
      as: 'JSON',
      path: '/sign-up',
      body: (token) => ({
        body: JSON.stringify({ name: 'Ada', 'svc-response': token }),
        headers: { 'content-type': 'application/json' },
      }),
    },
    {
      as: 'a multipart form with a file',
      path: '/upload',
      body(token) {
        const body = new FormData()
        body.set('name', 'Ada')
        body.set('svc-response', token)
        body.set('picture', new Blob(['12345'], { type: 'image/png' }), 'a.png')
        return { body }
      },
    },
  ]

describe.each(['express-4', 'express-5', 'fastify-4', 'fastify-5'])('%s', (name) => {
  let server: Running
  beforeAll(async () => {
    server = await start(FOLDER, [join(FOLDER, 'framework.mjs'), name], { HV_URL: service.base, HV_SECRET: SECRET })
  }, 90_000)
  afterAll(() => server.stop())
  const post = (path: string, init: RequestInit): Promise<Response> =>
    fetch(server.url + path, { method: 'POST', ...init })

  test('is that version', () => {
    expect(versionOf(name)).toMatch(new RegExp(`^${name.split('-')[1]!}\\.`))
  })

  test.each(BODIES)('$as passes with a token, once', async ({ path, body }) => {
    const token = await service.tokenOf({ action: 'sign-up' })
    const first = await post(path, body(token))
    expect([first.status, await first.json()]).toEqual([
      200,
      { done: true, score: expect.any(Number), bytes: path === '/upload' ? 5 : 0 },
    ])
    expect((await post(path, body(token))).status).toBe(422)
  })

  test.each(BODIES)('$as without a token, or with one for another action, is refused', async ({ path, body }) => {
    const other = await service.tokenOf({ action: 'log-in' })
    expect([(await post(path, body(''))).status, (await post(path, body(other))).status]).toEqual([422, 422])
  })
})
