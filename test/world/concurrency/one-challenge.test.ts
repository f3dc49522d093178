/** docs/design/threats.md, "Concurrency": one challenge, fifty solves, and its tokens presented everywhere. */
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { SECRET, testService } from '../../support/app.ts'
import { BROWSER, postPatiently, solved } from '../../support/visitor.ts'

const service = await testService({ trustedProxies: ['127.0.0.1/32'] })

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
      // Every fourth is the first one again; others come from elsewhere, or try to look better.
      const address = i % 4 === 0 ? 0 : i
      const signals =
        i % 2 === 0
          ? body.signals
          : JSON.stringify({ ...shown, input: { ...shown.input, moves: i } })
      const headers = {
        ...BROWSER,
        origin: service.ask.origin,
        'x-forwarded-for': `203.0.113.${address}`,
      }
      return postPatiently(`${service.base}/api/v1/solve`, { ...body, signals }, headers)
    }),
  )
  const tokens = answers.flatMap(({ body: answer }) =>
    typeof answer['token'] === 'string' ? [answer['token']] : [],
  )
  expect(tokens).toHaveLength(13)
  const refused = answers
    .filter(({ status }) => status !== 200)
    .map(({ body: answer }) => answer['error-codes'])
  expect(refused).toEqual(Array.from({ length: 37 }, () => ['challenge-expired']))

  const verdicts = await Promise.all(
    tokens.flatMap((each) => [verify(each), verify(each, 'log-in')]),
  )
  // Whoever comes first consumes it, with the right action or the wrong one.
  const first = verdicts.filter(
    ({ body: verdict }) => (verdict['error-codes'] as string[])[0] !== 'timeout-or-duplicate',
  )
  expect(first).toHaveLength(1)
  expect(
    verdicts.filter(({ body: verdict }) => verdict['success'] === true).length,
  ).toBeLessThanOrEqual(1)
})
