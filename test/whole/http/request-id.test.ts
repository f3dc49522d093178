/** One id for the proxy's log, ours and the customer: taken from a trusted proxy, never from a stranger. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import request from 'supertest'
import { ORIGIN, SITEKEY } from '../../support/app.ts'
import { type Edge, edge, FORM } from './edge.ts'

let trusting: Edge
let careful: Edge
beforeAll(async () => {
  trusting = await edge({ trustedProxies: ['127.0.0.1/32'] })
  careful = await edge()
})
afterAll(() => Promise.all([trusting.service.stop(0), careful.service.stop(0)]))

/** What is logged and what is answered for a request with these headers. */
async function idOf(e: Edge, ...given: string[]): Promise<unknown> {
  const headers = given.map((value) => ['X-Request-Id', value] as const)
  const body = `sitekey=${SITEKEY}&action=sign-up`
  await e.ask({ path: '/api/v1/challenge', headers: [FORM, ['Origin', ORIGIN], ...headers], body })
  return e.service.lines().findLast((line) => line['message'] === 'challenge')?.['request_id']
}
const OURS = /^[A-Za-z0-9_-]{22}$/
const THEIRS = '7f8d3a52-0f5e-4c0e-9a51-6c1f6f3f2d11'

test('a trusted proxy names the request', async () => {
  expect(await idOf(trusting, THEIRS)).toBe(THEIRS)
})
test('a stranger does not', async () => {
  expect(await idOf(careful, THEIRS)).toMatch(OURS)
})
test.each([
  ['too short', ['abc']],
  ['too long', ['a'.repeat(65)]],
  ['with a space', ['aaaa aaaa']],
  ['with what a log could take for markup', ['aaaa"}{"level":"error"']],
  ['given twice', [THEIRS, THEIRS]],
])('what is %s is none', async (_what, given) => {
  expect(await idOf(trusting, ...given)).toMatch(OURS)
})
test('the answer has it too, also of what is not found', async () => {
  await request(trusting.service.url).get('/nothing').set('x-request-id', THEIRS).expect('x-request-id', THEIRS)
})
