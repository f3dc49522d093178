/** docs/design/threats.md, "Concurrency": real processes, one Redis, haproxy in front. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Answer, type Crowd, crowd, inTurns } from '../instances/crowd.ts'
import { type Haproxy, startHaproxy } from '../../support/haproxy.ts'
import {
  CONFIG,
  keyringFile,
  ORIGIN,
  SECRET,
  type ServiceProcess,
  SITEKEY,
  sleep,
  startService,
} from '../../support/process.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'
import { BROWSER, solved } from '../../support/visitor.ts'

const keyring = keyringFile()
/** All visitors of this file come from one address: a busy one, whose score is not what is tried here. */
const config = { ...CONFIG, sites: [{ ...CONFIG.sites[0], score_threshold: 0 }] }
let redis: TestRedis
let services: ServiceProcess[]
let proxy: Haproxy
let customers: Crowd
beforeAll(async () => {
  redis = await startRedis()
  services = await Promise.all([1, 2, 3].map(() => startService({ config, keyring, env: { HV_REDIS_URL: redis.url } })))
  proxy = await startHaproxy(services.map(({ url }) => url))
  customers = crowd(200)
})
afterAll(async () => {
  await customers.close()
  await proxy.stop()
  await Promise.all(services.map((service) => service.stop()))
  await redis.remove()
})

const verify = (base: string, response: string): Promise<Answer> =>
  customers.post(`${base}/api/v1/siteverify`, { secret: SECRET, response, action: 'sign-up' })
const through = () => ({ ...services[0]!.ask, base: proxy.url })
const isAccepted = ({ status, body }: Answer): boolean => status === 200 && body['success'] === true

test('of 2,000 tokens presented 20 times each at once to three instances, exactly 2,000 are accepted', async () => {
  const tokens = await customers.tokens(through(), 2000)
  const presented = tokens.flatMap((response, i) => Array.from({ length: 20 }, () => ({ i, response })))
  const answers = await inTurns(presented, 200, async ({ i, response }) => ({
    i,
    ...(await verify(proxy.url, response)),
  }))
  const accepted = answers.filter(isAccepted).map(({ i }) => i)
  expect([accepted.length, new Set(accepted).size]).toEqual([2000, 2000])
  const others = answers
    .filter((answer) => !isAccepted(answer))
    .map(({ status, body }) => `${status} ${JSON.stringify(body)}`)
  expect([...new Set(others)]).toEqual(['200 {"success":false,"error-codes":["timeout-or-duplicate"]}'])
})

interface Load {
  /** Ends it. @returns how often each token was accepted, and what else was answered. */
  end(): Promise<{ accepted: Map<string, number>; answered: number; errors: string[] }>
}

/** Visitors who get a token and present it three times at once, for as long as it lasts. */
function startLoad(): Load {
  const accepted = new Map<string, number>()
  const errors: string[] = []
  let answered = 0
  const over = new AbortController()
  const visitor = async (): Promise<void> => {
    while (!over.signal.aborted) {
      try {
        const [response] = (await customers.tokens(through(), 1)) as [string]
        answered += 2
        const answers = await Promise.allSettled([1, 2, 3].map(() => verify(proxy.url, response)))
        for (const answer of answers) {
          answered++
          if (answer.status === 'rejected') errors.push(String(answer.reason))
          else if (isAccepted(answer.value)) accepted.set(response, (accepted.get(response) ?? 0) + 1)
          else if (answer.value.status !== 200)
            errors.push(`${answer.value.status} ${JSON.stringify(answer.value.body)}`)
        }
        if (!accepted.has(response)) errors.push(`nobody was let in with a genuine token`)
      } catch (error) {
        answered++
        errors.push(String(error))
      }
    }
  }
  const visitors = Array.from({ length: 12 }, visitor)
  return {
    async end() {
      over.abort()
      await Promise.all(visitors)
      return { accepted, answered, errors }
    },
  }
}

async function rollingRestart(): Promise<void> {
  for (const [i, service] of services.entries()) {
    const { host } = new URL(service.url)
    expect(await service.stop()).toBe(0)
    services[i] = await startService({ config, keyring, env: { HV_REDIS_URL: redis.url, HV_LISTEN: host } })
    await sleep(1500)
  }
}

describe.each([
  ['a rolling restart', async () => {}, () => rollingRestart()],
  [
    'SCRIPT FLUSH in a loop, during a rolling restart',
    async () => void (await redis.cli('SCRIPT', 'FLUSH')),
    () => rollingRestart(),
  ],
])('%s under load', (_what, again, happens) => {
  test('no token is accepted twice, and less than 0.5 % of the requests fail', async () => {
    const load = startLoad()
    const over = new AbortController()
    const flushes = (async () => {
      while (!over.signal.aborted) {
        await again()
        await sleep(20)
      }
    })()
    await sleep(1000)
    await happens()
    await sleep(1000)
    const { accepted, answered, errors } = await load.end()
    over.abort()
    await flushes
    expect([...accepted.values()].filter((times) => times > 1)).toEqual([])
    expect(accepted.size).toBeGreaterThan(20)
    expect({ failed: errors.length / answered < 0.005, errors: errors.slice(0, 5) }).toMatchObject({ failed: true })
  })
})

const policy = (change: object) => ({ ...CONFIG, sites: [{ ...CONFIG.sites[0], ...change }] })

describe('the configuration is reloaded under load', () => {
  /** Two policies that differ in all that an answer tells. */
  const POLICIES = {
    mild: policy({
      work: { level: 0, max_level: 0 },
      challenge_lifetime: '60s',
      score_threshold: 0.1,
      token_lifetime: '600s',
    }),
    strict: policy({
      work: { level: 0.5, max_level: 0.5 },
      challenge_lifetime: '300s',
      score_threshold: 0.95,
      token_lifetime: '600s',
    }),
  }
  const NAMES = ['mild', 'strict'] as const
  let service: ServiceProcess
  afterEach(() => service.stop())

  test('no answer mixes two policies, and both are seen', async () => {
    service = await startService({ config: POLICIES.mild })
    const tokens = await customers.tokens(service.ask, 400)
    const seen = new Set<string>()
    const mixed: string[] = []
    const tell = (kind: string, text: string, allowed: Record<string, string>): void => {
      const found = Object.keys(allowed).find((name) => allowed[name] === text)
      if (found === undefined) mixed.push(`${kind} ${text}`)
      else seen.add(`${kind} ${found}`)
    }
    const over = new AbortController()
    const reloads = (async () => {
      for (let n = 1; !over.signal.aborted; n++) {
        const from = service.lines().length
        writeFileSync(service.configFile, JSON.stringify(POLICIES[NAMES[n % 2]!]))
        service.signal('SIGHUP')
        await service.line('sites reloaded', from)
      }
    })()
    const headers = { ...BROWSER, origin: ORIGIN }
    await inTurns(Array.from({ length: 2000 }), 20, async () => {
      const { body } = await customers.post(
        `${service.url}/api/v1/challenge`,
        { sitekey: SITEKEY, action: 'a' },
        headers,
      )
      const { work, expires_in } = body as { work: { n: number }; expires_in: number }
      tell('challenge', `${work.n} ${expires_in}`, { mild: '1536 60', strict: '3072 300' })
    })
    await inTurns(tokens, 10, async (response) => {
      const { body } = await verify(service.url, response)
      tell('siteverify', `${String(body['success'])} ${String(body['score_threshold'])}`, {
        mild: 'true 0.1',
        strict: 'false 0.95',
      })
      await sleep(10)
    })
    over.abort()
    await reloads
    expect(mixed).toEqual([])
    expect([...seen].toSorted()).toEqual(['challenge mild', 'challenge strict', 'siteverify mild', 'siteverify strict'])
  })
})

test('while 500 solves arrive at once, the event loop is never later than 100 ms', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hv-loop-'))
  const LOOP_DELAY_FILE = join(folder, 'delay.json')
  const monitor = `--import=${join(import.meta.dirname, 'loop-delay.mjs')}`
  const service = await startService({ env: { HV_REDIS_URL: redis.url, NODE_OPTIONS: monitor, LOOP_DELAY_FILE } })
  const delay = async (): Promise<{ max: number; p99: number }> => {
    rmSync(LOOP_DELAY_FILE, { force: true })
    service.signal('SIGUSR2')
    while (!existsSync(LOOP_DELAY_FILE)) await sleep(20)
    return JSON.parse(readFileSync(LOOP_DELAY_FILE, 'utf8')) as { max: number; p99: number }
  }
  const visitors = crowd(500)
  const bodies = []
  for (let i = 0; i < 500; i++) bodies.push(await solved(service.ask))
  const headers = { ...BROWSER, origin: ORIGIN }
  // All connections are there already: what is tried is the solving.
  await Promise.all(bodies.map(() => visitors.post(`${service.url}/api/v1/siteverify`, {})))
  await delay()
  const answers = await Promise.all(bodies.map((body) => visitors.post(`${service.url}/api/v1/solve`, body, headers)))
  const { max } = await delay()
  await visitors.close()
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  expect(max).toBeLessThan(100)
})
