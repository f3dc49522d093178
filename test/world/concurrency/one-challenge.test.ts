/** docs/design/threats.md, "Concurrency": one challenge, fifty solves, and its tokens presented everywhere; tokens at the edge of their life. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { seconds } from '../../../src/domain/words.ts'
import { openLedger } from '../../support/ledger-on-redis.ts'
import { eventually } from '../../support/ledger-contract.ts'
import { SECRET, site, testService, type TestService } from '../../support/app.ts'
import { startRedis } from '../../support/redis.ts'
import { BROWSER, post, postPatiently, solved, token } from '../../support/visitor.ts'

let service: TestService
let now = Date.now()
beforeAll(async () => {
  service = await testService({ nowMs: () => now, trustedProxies: ['127.0.0.1/32'] })
})
afterAll(() => service.stop(0))

/** Asks again where the service has no time to judge, as a customer does: with the same key, which no other caller has. */
const verify = (response: string, action = 'sign-up') =>
  postPatiently(`${service.base}/api/v1/siteverify`, {
    secret: SECRET,
    response,
    action,
    idempotency_key: randomUUID(),
  })

test('one challenge solved 50 times, with other signals and addresses, is worth one success', async () => {
  const body = await solved(service.ask)
  const shown = JSON.parse(body.signals) as { input: object }
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, i) => {
      // Every second body is the first one again; the others try to look better.
      const signals = i % 2 === 0 ? body.signals : JSON.stringify({ ...shown, input: { ...shown.input, moves: i } })
      const headers = { ...BROWSER, origin: service.ask.origin, 'x-forwarded-for': `203.0.113.${i}` }
      return postPatiently(`${service.base}/api/v1/solve`, { ...body, signals }, headers)
    }),
  )
  const tokens = answers.flatMap(({ body: answer }) => (typeof answer['token'] === 'string' ? [answer['token']] : []))
  expect(tokens).toHaveLength(25)
  const refused = answers.filter(({ status }) => status !== 200).map(({ body: answer }) => answer['error-codes'])
  expect(refused).toEqual(Array.from({ length: 25 }, () => ['challenge-expired']))

  const verdicts = await Promise.all(tokens.flatMap((each) => [verify(each), verify(each, 'log-in')]))
  // Whoever comes first consumes it, with the right action or the wrong one.
  const first = verdicts.filter(
    ({ body: verdict }) => (verdict['error-codes'] as string[])[0] !== 'timeout-or-duplicate',
  )
  expect(first).toHaveLength(1)
  expect(verdicts.filter(({ body: verdict }) => verdict['success'] === true).length).toBeLessThanOrEqual(1)
})

test.each([
  [-1, 1],
  [0, 0],
  [1, 0],
  [5, 0],
])('a token presented 20 times at once, %i s from its end: %i accepted', async (fromEnd, accepted) => {
  const response = await token(service.ask)
  const issued = Math.floor(now / 1000)
  now = (issued + 120 + fromEnd) * 1000
  const verdicts = await Promise.all(Array.from({ length: 20 }, () => verify(response)))
  expect(verdicts.filter(({ body }) => body['success'] === true)).toHaveLength(accepted)
  expect(new Set(verdicts.map(({ status }) => status))).toEqual(new Set([200]))
})

test('20 callers at once, from 1.5 s before the end of a token to 1 s after it, by the clock of a real Redis', async () => {
  const redis = await startRedis()
  const { ledger, close } = openLedger({ url: redis.url })
  await eventually(() => ledger.probe())
  const onRedis = await testService({ siteList: [site({ tokenLifetime: seconds(4) })], ledger })
  try {
    const around = async (response: string, offset: number) => {
      const { exp } = JSON.parse(Buffer.from(response.split('.')[1]!, 'base64url').toString()) as { exp: number }
      await sleep(Math.max(0, exp * 1000 + offset - Date.now()))
      const sentAt = Date.now() - exp * 1000
      const ask = () => post(`${onRedis.base}/api/v1/siteverify`, { secret: SECRET, response, action: 'sign-up' })
      const verdicts = await Promise.all(Array.from({ length: 20 }, ask))
      const accepted = verdicts.filter(({ body }) => body['success'] === true).length
      // On a machine so busy that the service refuses for want of time, the one that was first may be among those refused.
      const judged = verdicts.every(({ status }) => status === 200)
      return { accepted, judged, sentAt, answeredAt: Date.now() - exp * 1000 }
    }
    const asked: ReturnType<typeof around>[] = []
    // One by one: their work is done in this process, and all of it at once would hold up the service in it.
    for (const offset of [-1500, -1200, -900, -600, -300, -150, -50, -10, 0, 10, 50, 150, 300, 600, 1000]) {
      asked.push(around(await token({ ...onRedis.ask, patient: true }), offset))
    }
    const seen = await Promise.all(asked)
    const wrong = seen.filter(
      ({ accepted, judged, sentAt, answeredAt }) =>
        accepted > 1 || (judged && answeredAt < 0 && accepted === 0) || (sentAt >= 0 && accepted > 0),
    )
    expect(wrong).toEqual([])
    // Both sides were seen, however busy the machine.
    expect(seen.some(({ accepted }) => accepted === 1)).toBe(true)
    expect(seen.some(({ accepted }) => accepted === 0)).toBe(true)
  } finally {
    await onRedis.stop(0)
    await close()
    await redis.remove()
  }
})
