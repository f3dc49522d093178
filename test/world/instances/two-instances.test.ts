/** Two `hv serve` processes on one Redis behind haproxy, all of them real: docs/design/threats.md, "Concurrency". */
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { startHaproxy } from '../../support/proxies.ts'
import { pass, PASS_KEY } from '../../support/pass.ts'
import {
  CONFIG,
  keyringFile,
  ORIGIN,
  SECRET,
  siteWith,
  sleep,
  startService,
} from '../../support/process.ts'
import { startRedis } from '../../support/redis.ts'
import { BROWSER, post, postPatiently, token, work } from '../../support/visitor.ts'
import type { ChallengeAnswer } from '../../../src/wire.ts'
import { type Answer, manyTokens } from './crowd.ts'

/** A second site with a threshold that no visit reaches, so that each gets a ticket. */
const STRICT = 'hv_site_strictshop'
const STRICT_SECRET = `hv_secret_${'strictS0'.repeat(5)}abc`
const strict = siteWith(STRICT_SECRET, {
  sitekey: STRICT,
  step_up: 'ticket',
  pass_keys: [PASS_KEY],
  score_threshold: 0.99,
})
const config = { ...CONFIG, sites: [...CONFIG.sites, strict] }
const keyring = keyringFile()
const redis = await startRedis()
const start = () => startService({ config, keyring, env: { HV_REDIS_URL: redis.url } })
const [one, two] = await Promise.all([start(), start()])
const proxy = await startHaproxy([one.url, two.url])

/** As a customer does who gets 503, or no answer on a connection that is just closed: repeats the attempt under its key. */
async function verify(base: string, response: string, secret = SECRET): Promise<Answer> {
  const attempt = { secret, response, action: 'sign-up', idempotency_key: randomUUID() }
  const send = () => postPatiently(`${base}/api/v1/siteverify`, attempt)
  return send().catch(send)
}
const visitor = () => ({ ...one.ask, patient: true })
const through = () => ({ ...visitor(), base: proxy.url })
const DUPLICATE = { success: false, 'error-codes': ['timeout-or-duplicate'] }
const isAccepted = ({ status, body }: Answer): boolean => status === 200 && body['success'] === true

test('of 300 tokens presented 20 times each, concurrently and at both instances, exactly 300 are accepted', async () => {
  const tokens = await manyTokens(through(), keyring, 300)
  expect(new Set(tokens).size).toBe(300)
  const bases = [proxy.url, one.url, two.url]
  const presented = tokens.flatMap((response) => Array.from({ length: 20 }, () => response))
  const answers: Answer[] = []
  for (let i = 0; i < presented.length; i += 100) {
    const hundred = presented
      .slice(i, i + 100)
      .map((response, n) => verify(bases[n % 3]!, response))
    answers.push(...(await Promise.all(hundred)))
  }
  const others = answers
    .filter((answer) => !isAccepted(answer))
    .map(({ body }) => JSON.stringify(body))
  expect([...new Set(others)]).toEqual([JSON.stringify(DUPLICATE)])
  const accepted = presented.filter((_, n) => isAccepted(answers[n]!))
  expect([accepted.length, new Set(accepted).size]).toEqual([300, 300])
}, 120_000)

const ofStrict = () => ({ ...visitor(), sitekey: STRICT })
const headers = { ...BROWSER, origin: ORIGIN }

test('a ticket used concurrently at both instances gives one token', async () => {
  const { body } = await verify(one.url, await token(ofStrict()), STRICT_SECRET)
  const ticket = body['step_up'] as string
  const solutions = await Promise.all(
    [one, two].map(async ({ url }) => {
      const asked = await post(
        `${url}/api/v1/challenge`,
        { sitekey: STRICT, action: 'sign-up', ticket },
        headers,
      )
      const { challenge, work: todo } = asked.body as unknown as ChallengeAnswer
      return { url, fields: { challenge, solution: work(challenge, todo), signals: '{}', ticket } }
    }),
  )
  const answers = await Promise.all(
    solutions.map(({ url, fields }) => post(`${url}/api/v1/solve`, fields, headers)),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(answers.find(({ status }) => status === 400)!.body).toMatchObject({
    'error-codes': ['ticket-expired'],
  })
  // An address has two an hour, whichever process is asked, and both solutions did their work.
  expect((await verify(two.url, await token(ofStrict()), STRICT_SECRET)).body).not.toHaveProperty(
    'step_up',
  )
})

test('a pass presented concurrently to both instances is accepted once; one older than the generation never', async () => {
  const made = () => pass({ aud: STRICT, hostname: new URL(ORIGIN).hostname })
  const begins = (ms: number) => redis.cli('HSET', '{hv}:gen', 'c', String(ms))
  // Each process learns the age of the generation with its next poll.
  await begins(Date.now())
  while (isAccepted(await verify(one.url, await made(), STRICT_SECRET))) await sleep(20)
  expect((await verify(one.url, await made(), STRICT_SECRET)).body).toEqual(DUPLICATE)
  await begins(Date.now() - 600_000)
  for (const { url } of [one, two])
    while (!isAccepted(await verify(url, await made(), STRICT_SECRET))) await sleep(20)
  for (let round = 0; round < 5; round++) {
    const response = await made()
    const answers = await Promise.all(
      [one, two, one, two].map(({ url }) => verify(url, response, STRICT_SECRET)),
    )
    expect(answers.filter(isAccepted)).toHaveLength(1)
  }
})
