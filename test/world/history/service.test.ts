/** Through the real service, on a real Redis: the same summary sent 20 times sinks. */
import { expect, test } from '@jest/globals'
import { seconds } from '../../../src/domain/words.ts'
import { ORIGIN, SECRET, site, SITEKEY, type TestService, testService } from '../../support/app.ts'
import { redisStores } from '../../support/redis-stores.ts'
import { BROWSER, PERSON, post, postPatiently, someone, token } from '../../support/visitor.ts'

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

test('the same summary, sent in turns to two instances from 26 networks, sinks, and the log says why', async () => {
  const both = [await startOn('shared'), await startOn('shared')]
  const answers: Record<string, unknown>[] = []
  for (let i = 0; i < 26; i++) answers.push(await visit(both[i % 2]!, `198.51.${i}.7`, PERSON))
  expect(answers[0]).toMatchObject({ success: true })
  expect(answers.at(-1)).toMatchObject({ success: false, 'error-codes': ['low-score'] })
  for (const on of both) {
    const scores = scoresOf(on)
    expect(scores.at(-1)).toBeLessThan(0.2)
    expect(scores.toSorted((a, b) => b - a)).toEqual(scores)
    const { decision } = on.lines().findLast(({ code }) => code === 'solved') as { decision: object }
    expect(JSON.stringify(decision)).toContain('"name":"same-behaviour-again","family":"history","reason":"velocity"')
    expect(JSON.stringify(on.lines())).not.toMatch(/198\.51\.\d+\.[1-9]/)
  }
})

test('a shared address: 30 people of a school sign in within a minute, and none sinks', async () => {
  const on = await startOn('school')
  for (let i = 0; i < 30; i++) expect(await visit(on, '203.0.113.7', someone())).toMatchObject({ success: true })
  expect(new Set(scoresOf(on)).size).toBe(1)
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
