/** docs/design/threats.md, "Concurrency": one budget for a caller, however many processes answer it. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
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
import { BROWSER, post } from '../../support/visitor.ts'

/** What a caller may have at once. */
const BUDGETS = { challenge: 60, junk: 100, fallback: 7, invalid_secret: 5 }
let redis: TestRedis
let services: ServiceProcess[]

beforeAll(async () => {
  redis = await startRedis()
  const limits = Object.fromEntries(Object.entries(BUDGETS).map(([name, points]) => [name, `${points} per 10m`]))
  const config = { ...CONFIG, limits, trusted_proxies: ['127.0.0.1'] }
  const shared = { config, keyring: keyringFile(), env: { HV_REDIS_URL: redis.url } }
  services = await Promise.all([1, 2, 3, 4].map(() => startService(shared)))
}, 30_000)
afterAll(async () => {
  for (const service of services) await service.kill()
  await redis.remove()
})

type Operation = 'challenge' | 'solve' | 'siteverify'
const FIELDS: Record<Operation, Record<string, string>> = {
  challenge: { sitekey: SITEKEY, action: 'sign-up' },
  solve: { challenge: 'none', solution: 'none' },
  siteverify: { secret: SECRET, response: 'none' },
}

/** Asks all four in turns, 40 requests at once. @returns how many were let in, and what the others were told. */
async function ask(operation: Operation, times: number, address: (i: number) => string, fields = FIELDS[operation]) {
  const one = (i: number) => {
    const headers = { ...BROWSER, origin: ORIGIN, 'x-forwarded-for': address(i) }
    return post(`${services[i % services.length]!.url}/api/v1/${operation}`, fields, headers)
  }
  const answers = []
  for (let i = 0; i < times; i += 40) {
    answers.push(...(await Promise.all(Array.from({ length: Math.min(40, times - i) }, (_, k) => one(i + k)))))
  }
  expect(answers.filter(({ status }) => status >= 500).map(({ body }) => body)).toEqual([])
  const refused = answers.filter(({ status }) => status === 429)
  return { granted: times - refused.length, refused }
}

describe('four processes', () => {
  test.each<{ operation: Operation; budget: number; address: (i: number) => string; whose: string; wait: number }>([
    {
      operation: 'challenge',
      budget: BUDGETS.challenge,
      whose: 'an IPv4 address',
      address: () => '203.0.113.7',
      wait: 600,
    },
    // Calls; right solutions have a budget of their own.
    {
      operation: 'solve',
      budget: BUDGETS.challenge,
      whose: 'an IPv4 address',
      address: () => '203.0.113.7',
      wait: 600,
    },
    {
      operation: 'challenge',
      budget: BUDGETS.challenge,
      whose: 'an IPv6 /64',
      address: (i) => `2001:db8:1:2::${i.toString(16)}`,
      wait: 600,
    },
    {
      operation: 'siteverify',
      budget: BUDGETS.junk,
      whose: 'a site, for what is no token of its own, from wherever',
      address: (i) => `198.51.100.${i % 250}`,
      wait: 600,
    },
  ])('grant the budget of $operation to $whose exactly', async ({ operation, budget, address, wait }) => {
    const { granted, refused } = await ask(operation, 200, address)
    expect(granted).toBe(budget)
    for (const { headers, body } of refused) {
      expect(body).toEqual({ success: false, 'error-codes': ['rate-limit-exceeded'] })
      const told = Number(headers.get('retry-after'))
      expect(told).toBeGreaterThan(wait - 60)
      expect(told).toBeLessThanOrEqual(wait)
    }
  })

  test('grant the budget of pb.1 exactly, and then s32.1', async () => {
    const asked = { ...FIELDS.challenge, algorithm: 'pb.1' }
    expect((await ask('challenge', 40, () => '203.0.113.99', asked)).granted).toBe(BUDGETS.fallback)
    expect((await ask('challenge', 20, () => '203.0.113.99')).granted).toBe(20)
  })

  test('grant a budget each to addresses that differ, and to /64s that differ', async () => {
    const { granted } = await ask('challenge', 200, (i) => (i % 2 ? `192.0.2.${i}` : `2001:db8:7:${i.toString(16)}::1`))
    expect(granted).toBe(200)
  })

  test('spend nothing of a site whose secret the caller does not know', async () => {
    const strangers = { secret: `hv_secret_${'wrong'.repeat(8)}`, response: 'none' }
    const before = await redis.cli('GET', `{hv}:l:siteverify:${SITEKEY}`)
    const { granted, refused } = await ask('siteverify', 40, () => '203.0.113.99', strangers)
    // In the memory of each process: the refusal of a wrong secret never depends on Redis.
    expect(granted).toBe(BUDGETS.invalid_secret * services.length)
    expect(refused[0]!.headers.get('retry-after')).toMatch(/^(59\d|600)$/)
    expect(await redis.cli('GET', `{hv}:l:siteverify:${SITEKEY}`)).toBe(before)
  })
})
