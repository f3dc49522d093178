/** Through the real service, on a real Redis: who pays for neighbours, and who does not. */
import { expect, test } from '@jest/globals'
import { seconds } from '../../../src/domain/words.ts'
import { ORIGIN, SECRET, site, SITEKEY, type TestService, testService } from '../../support/app.ts'
import { redisStores } from '../../support/redis-stores.ts'
import { BROWSER, post, postPatiently, someone, token } from '../../support/visitor.ts'

const stores = await redisStores()

/** Visitors come from the addresses that a proxy names. */
async function startOn(name: string, maxLevel = 0): Promise<TestService> {
  const work = { level: 0, maxLevel, humanCost: seconds(60), fallback: true }
  const siteList = [site({ work })]
  return testService({ ...(await stores.open(name)), trustedProxies: ['127.0.0.0/8'], siteList })
}
const from = (address: string) => ({ ...BROWSER, 'x-forwarded-for': address })

async function visit(on: TestService, address: string, signals: object): Promise<Record<string, unknown>> {
  const response = await token({ ...on.ask, signals, headers: from(address), patient: true })
  const { status, body } = await post(`${on.base}/api/v1/siteverify`, { secret: SECRET, response })
  // A busy machine may answer too late, with the token already used: the visit is made again.
  return status === 503 ? visit(on, address, signals) : body
}
const scoresOf = (on: TestService): number[] =>
  on
    .lines()
    .filter(({ code }) => code === 'solved')
    .map(({ score }) => score as number)

test('a shared address: 30 people of a school sign in within a minute, and none sinks', async () => {
  const on = await startOn('school')
  for (let i = 0; i < 30; i++) expect(await visit(on, '203.0.113.7', someone())).toMatchObject({ success: true })
  expect(new Set(scoresOf(on)).size).toBe(1)
  expect(JSON.stringify(on.lines())).not.toContain('203.0.113.7')
})

test('the level is not raised by low scores, so that nobody can read a verdict from it', async () => {
  const on = await startOn('oracle', 6)
  const unitsFor = async (address: string) => {
    const headers = { ...from(address), origin: ORIGIN }
    const { body } = await postPatiently(
      `${on.base}/api/v1/challenge`,
      { sitekey: SITEKEY, action: 'sign-up' },
      headers,
    )
    return (body['work'] as { n: number }).n
  }
  for (let i = 0; i < 15; i++) {
    await visit(on, '203.0.113.7', { automation: { webdriver: 1 } })
    await visit(on, '198.51.100.7', someone())
  }
  expect(await unitsFor('203.0.113.7')).toBe(await unitsFor('198.51.100.7'))
})
