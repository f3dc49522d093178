/** Two `hv serve` processes on one Redis: a ticket and a pass count once, whichever of them is asked, at once too. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import {
  CONFIG,
  keyringFile,
  ORIGIN,
  SECRET,
  type ServiceProcess,
  SITEKEY,
  startService,
} from '../../support/process.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'
import { BROWSER, post, token, work } from '../../support/visitor.ts'
import { pass, PASS_KEY } from '../../support/pass.ts'
import type { ChallengeAnswer } from '../../../src/wire.ts'

const keyring = keyringFile()
let redis: TestRedis
let both: ServiceProcess[]
beforeAll(async () => {
  redis = await startRedis()
  const site = { ...CONFIG.sites[0], step_up: 'ticket', pass_keys: [PASS_KEY], score_threshold: 0.99 }
  const start = () => startService({ keyring, env: { HV_REDIS_URL: redis.url }, config: { ...CONFIG, sites: [site] } })
  both = await Promise.all([start(), start()])
})
afterAll(async () => {
  await Promise.all(both.map((one) => one.stop()))
  await redis.remove()
})

const verify = (base: string, response: string) => post(`${base}/api/v1/siteverify`, { secret: SECRET, response })
const headers = { ...BROWSER, origin: ORIGIN }

test('a ticket of one, used at both at once by two solutions, gives one token', async () => {
  const [one, two] = both as [ServiceProcess, ServiceProcess]
  for (let round = 0; round < 2; round++) {
    const { body } = await verify(one.url, await token(one.ask))
    const ticket = body['step_up'] as string
    const solutions = await Promise.all(
      both.map(async ({ url }) => {
        const asked = await post(`${url}/api/v1/challenge`, { sitekey: SITEKEY, action: 'sign-up', ticket }, headers)
        const { challenge, work: todo } = asked.body as unknown as ChallengeAnswer
        return { challenge, solution: work(challenge, todo), signals: '{}', ticket }
      }),
    )
    const answers = await Promise.all(
      [one, two].map(({ url }, i) => post(`${url}/api/v1/solve`, solutions[i] as never, headers)),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.find(({ status }) => status === 400)!.body).toMatchObject({ 'error-codes': ['ticket-expired'] })
  }
  // Two an hour of an address, whichever process is asked.
  expect((await verify(two.url, await token(two.ask))).body).not.toHaveProperty('step_up')
})

test('a pass, presented to both at once, is accepted once; one of before the generation never', async () => {
  const made = () => pass({ aud: CONFIG.sites[0]!.sitekey, hostname: new URL(ORIGIN).hostname })
  const { url } = both[0]!
  expect((await verify(url, await made())).body).toMatchObject({ 'error-codes': ['timeout-or-duplicate'] })
  // As if the generation had begun ten minutes ago.
  await redis.cli('HINCRBY', '{hv}:gen', 'c', '-600000')
  const accepted = async (response: string) => {
    const answers = await Promise.all([...both, ...both].map((each) => verify(each.url, response)))
    return answers.filter(({ body }) => body['success'] === true).length
  }
  // The poll tells both of the generation within a quarter of a second.
  for (const { url: each } of both) while ((await verify(each, await made())).body['success'] !== true);
  for (let round = 0; round < 5; round++) expect(await accepted(await made())).toBe(1)
})
