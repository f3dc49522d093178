/** Two `hv serve` processes on one Redis behind haproxy, all of them real: docs/design/threats.md, "Concurrency". */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Haproxy, startHaproxy } from '../../support/haproxy.ts'
import { keyringFile, SECRET, type ServiceProcess, sleep, startService } from '../../support/process.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'
import { token } from '../../support/visitor.ts'
import { type Answer, type Crowd, crowd, inTurns } from './crowd.ts'

const keyring = keyringFile()
let redis: TestRedis
let one: ServiceProcess
let two: ServiceProcess
let proxy: Haproxy
let customers: Crowd

beforeAll(async () => {
  redis = await startRedis()
  const env = { HV_REDIS_URL: redis.url }
  ;[one, two] = await Promise.all([startService({ keyring, env }), startService({ keyring, env })])
  proxy = await startHaproxy([one.url, two.url])
  customers = crowd(200)
})
afterAll(async () => {
  await customers.close()
  await proxy.stop()
  await Promise.all([one.stop(), two.stop()])
  await redis.remove()
})

const verify = (base: string, response: string): Promise<Answer> =>
  customers.post(`${base}/api/v1/siteverify`, { secret: SECRET, response, action: 'sign-up' })
const through = () => ({ ...one.ask, base: proxy.url })
const DUPLICATE = { success: false, 'error-codes': ['timeout-or-duplicate'] }
const isAccepted = ({ status, body }: Answer): boolean => status === 200 && body['success'] === true

test.each([
  ['one', 'one', () => [one.url, one.url, two.url]],
  ['one', 'the other', () => [one.url, two.url, one.url]],
  ['the proxy', 'the proxy', () => [proxy.url, proxy.url, proxy.url]],
])('a token obtained through %s is accepted once, by %s', async (_from, _by, route) => {
  const [from, first, second] = route() as [string, string, string]
  const response = await token({ ...one.ask, base: from })
  expect((await verify(first, response)).body).toMatchObject({ success: true, 'error-codes': [] })
  expect((await verify(second, response)).body).toEqual(DUPLICATE)
  expect((await verify(first, response)).body).toEqual(DUPLICATE)
})

test('a challenge of one is solved at the other, and both share the load', async () => {
  const before = [one, two].map((service) => service.lines().length)
  await Promise.all(Array.from({ length: 20 }, () => token(through())))
  for (const [i, service] of [one, two].entries()) expect(service.lines().length).toBeGreaterThan(before[i]! + 10)
})

test('a token presented to both at once is accepted once', async () => {
  const tokens = await customers.tokens(through(), 50)
  for (const response of tokens) {
    const answers = await Promise.all([one, two, one, two].map(({ url }) => verify(url, response)))
    expect(answers.filter(isAccepted)).toHaveLength(1)
    expect(answers.filter((answer) => !isAccepted(answer)).map(({ body }) => body)).toEqual([
      DUPLICATE,
      DUPLICATE,
      DUPLICATE,
    ])
  }
})

/** As a customer does who is answered 503: the same attempt once more, so that it is judged once. */
async function verifyOnceMore(response: string): Promise<Answer> {
  const attempt = { secret: SECRET, response, action: 'sign-up', idempotency_key: randomUUID() }
  for (;;) {
    const answer = await customers.post(`${proxy.url}/api/v1/siteverify`, attempt)
    if (answer.status !== 503) return answer
    await sleep(100)
  }
}

test('of 2,000 tokens presented 20 times each at once, exactly 2,000 are accepted', async () => {
  const tokens = await customers.tokens(through(), 2000)
  expect(new Set(tokens).size).toBe(2000)
  const presented = tokens.flatMap((response, i) => Array.from({ length: 20 }, () => ({ i, response })))

  const answers = await inTurns(presented, 200, async ({ i, response }) => ({
    i,
    ...(await verifyOnceMore(response)),
  }))

  const kinds = new Set(
    answers.filter((answer) => !isAccepted(answer)).map(({ status, body }) => `${status} ${JSON.stringify(body)}`),
  )
  expect([...kinds]).toEqual([`200 ${JSON.stringify(DUPLICATE)}`])
  const accepted = answers.filter(isAccepted)
  expect(accepted).toHaveLength(2000)
  expect(new Set(accepted.map(({ i }) => i)).size).toBe(2000)
}, 300_000)

test('an instance is killed and started again under load; no token is accepted twice, and soon all is well', async () => {
  const tokens = await customers.tokens(through(), 200)
  const presented = tokens.flatMap((response, i) => Array.from({ length: 5 }, () => ({ i, response })))
  const load = inTurns(presented, 50, ({ i, response }) =>
    verify(proxy.url, response).then(
      (answer) => ({ i, accepted: isAccepted(answer) }),
      // Cut off in the middle, or told by haproxy: nobody knows, so nobody is let in.
      () => ({ i, accepted: false }),
    ),
  )
  await two.kill()
  two = await startService({ keyring, env: { HV_REDIS_URL: redis.url, HV_LISTEN: new URL(two.url).host } })
  const accepted = (await load).filter((answer) => answer.accepted).map(({ i }) => i)
  expect(new Set(accepted).size).toBe(accepted.length)
  expect(accepted.length).toBeGreaterThan(100)
  expect(isAccepted(await verify(two.url, await token(through())))).toBe(true)
})

test('a process with the same keyring and a ledger of its own refuses the tokens of the two', async () => {
  const third = await startService({ keyring })
  const response = await token(one.ask)
  expect((await verify(third.url, response)).body).toEqual(DUPLICATE)
  expect(isAccepted(await verify(two.url, response))).toBe(true)
  expect((await verify(one.url, await token(third.ask))).body).toEqual(DUPLICATE)
  await third.stop()
})

test('no secret and no token is in the log of either', async () => {
  const log = JSON.stringify([one.lines(), two.lines()])
  expect(log).toContain('timeout-or-duplicate')
  expect(log).not.toContain(SECRET)
  expect(log).not.toMatch(/eyJ[\w-]{20}/)
})
