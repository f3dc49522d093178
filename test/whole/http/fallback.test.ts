/** `pb.1`, the work of browsers without a JIT: what a client gains who asks for it without need. Nothing. */
import { beforeEach, expect, test } from '@jest/globals'
import { seconds } from '../../../src/domain/words.ts'
import { debtLimiter } from '../../../src/store/debt-limiter.ts'
import { memoryDebts } from '../../../src/store/debts.ts'
import { ORIGIN, PLENTY, SECRET, site, SITEKEY, testService, type TestService } from '../../support/app.ts'
import { BROWSER, post, solved } from '../../support/visitor.ts'

/** A site that disables it. */
const OFF = 'hv_site_withoutit'
const work = { level: 0, maxLevel: 0, humanCost: seconds(2), fallback: false }

let service: TestService
beforeEach(async () => {
  const limiter = debtLimiter(memoryDebts(), { ...PLENTY, fallback: { points: 3, per: seconds(60) } })
  service = await testService({ siteList: [site(), site({ sitekey: OFF as never, work }, 'x'.repeat(40))], limiter })
})

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

const BAD = { success: false, 'error-codes': ['bad-request'] }
test.each([
  { algorithm: 'pb.1', gives: { work: { a: 'pb.1', s: 2000, n: 128 } }, status: 200 },
  { algorithm: 's32.1', gives: { work: { a: 's32.1', s: 1024, n: 1536 } }, status: 200 },
  { algorithm: '', gives: { work: { a: 's32.1', s: 1024, n: 1536 } }, status: 200 },
  { algorithm: 'pb.2', gives: BAD, status: 400 },
  { algorithm: 'PB.1', gives: BAD, status: 400 },
  { algorithm: 'none', gives: BAD, status: 400 },
  { sitekey: OFF, algorithm: 'pb.1', gives: BAD, status: 400 },
  { sitekey: OFF, algorithm: '', gives: { work: { a: 's32.1' } }, status: 200 },
])('algorithm "$algorithm" at $sitekey: $status', async ({ sitekey = SITEKEY, algorithm, gives, status }) => {
  const asked = { sitekey, action: 'sign-up', algorithm }
  expect(await post(`${service.base}/api/v1/challenge`, asked, { origin: ORIGIN })).toMatchObject({
    status,
    body: gives,
  })
})
