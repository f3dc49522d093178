/** RFC 6797: the header decides for a whole host, so the service never sends it unless it was told to. */
import { afterEach, expect, test } from '@jest/globals'
import { seconds } from '../../../src/domain/words.ts'
import { ORIGIN, SITEKEY, type TestService, testService } from '../../support/app.ts'

let service: TestService
afterEach(() => service.stop(0))

const ASKED = [
  ['a file', 'GET', '/assets/none.js'],
  ['health', 'GET', '/health'],
  ['a challenge', 'POST', '/api/v1/challenge'],
  ['a refusal', 'POST', '/api/v1/siteverify'],
  ['no path of ours', 'GET', '/nothing'],
] as const

async function saidOf(method: string, path: string): Promise<string | null> {
  const body = method === 'POST' ? { body: new URLSearchParams({ sitekey: SITEKEY, action: 'sign-up' }) } : {}
  const res = await fetch(service.base + path, { method, headers: { origin: ORIGIN }, ...body })
  await res.arrayBuffer()
  return res.headers.get('strict-transport-security')
}

test.each(ASKED)('%s has no Strict-Transport-Security', async (_what, method, path) => {
  service = await testService()
  expect(await saidOf(method, path)).toBeNull()
})

test.each(ASKED)('%s has that of the setting, which leaves subdomains alone', async (_what, method, path) => {
  service = await testService({ hsts: seconds(15_552_000) })
  expect(await saidOf(method, path)).toBe('max-age=15552000')
})
