/** `pb.1`, the work of browsers without a JIT: what a client gains who asks for it without need. Nothing. */
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { seconds } from '../../../src/domain/words.ts'
import { memoryLimiter } from '../../../src/store/limits.ts'
import { ORIGIN, PLENTY, SECRET, site, SITEKEY, testService, type TestService } from '../../support/app.ts'
import { BROWSER, post, solved } from '../../support/visitor.ts'

const limiter = () => memoryLimiter({ ...PLENTY, fallback: { points: 3, per: seconds(60) } })
const work = { level: 0, maxLevel: 0, humanCost: seconds(2) }

let service: TestService
beforeEach(async () => {
  const off = site({ sitekey: 'hv_site_withoutit' as never, work: { ...work, fallback: false } }, 'x'.repeat(40))
  service = await testService({ siteList: [site(), off], limiter: limiter() })
})
afterEach(() => service.stop(0))

const challenge = (fields: Record<string, string>) =>
  post(`${service.base}/api/v1/challenge`, { sitekey: SITEKEY, action: 'sign-up', ...fields }, { origin: ORIGIN })
const codes = (...list: string[]) => ({ success: false, 'error-codes': list })

test('a fast client gets a capped score with it, three times a minute, and full scores without', async () => {
  const solve = async (algorithm?: 'pb.1') => {
    const fields = await solved({ ...service.ask, ...(algorithm && { algorithm }) })
    const { body } = await post(`${service.base}/api/v1/solve`, fields, { ...BROWSER, origin: ORIGIN })
    const response = String(body['token'])
    return (await post(`${service.base}/api/v1/siteverify`, { secret: SECRET, response })).body
  }
  for (let i = 0; i < 3; i++) expect(await solve('pb.1')).toMatchObject({ success: true, score: 0.6 })
  await expect(solve('pb.1')).rejects.toThrow('challenge: 429')
  expect((await solve())['score']).toBeGreaterThan(0.8)
})

test.each([
  { algorithm: 'pb.1', gives: { work: { a: 'pb.1', s: 2000, n: 128 } }, status: 200 },
  { algorithm: 's32.1', gives: { work: { a: 's32.1', s: 1024, n: 1536 } }, status: 200 },
  { algorithm: '', gives: { work: { a: 's32.1', s: 1024, n: 1536 } }, status: 200 },
  { algorithm: 'pb.2', gives: codes('bad-request'), status: 400 },
  { algorithm: 'PB.1', gives: codes('bad-request'), status: 400 },
  { algorithm: 'none', gives: codes('bad-request'), status: 400 },
])('algorithm "$algorithm": $status', async ({ algorithm, gives, status }) => {
  expect(await challenge({ algorithm })).toMatchObject({ status, body: gives })
})

test('a site that disables it answers bad-request, and still offers s32.1', async () => {
  const sitekey = 'hv_site_withoutit'
  expect(await challenge({ sitekey, algorithm: 'pb.1' })).toMatchObject({ status: 400, body: codes('bad-request') })
  expect(await challenge({ sitekey })).toMatchObject({ status: 200, body: { work: { a: 's32.1' } } })
})
