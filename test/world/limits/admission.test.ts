import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Redis } from 'ioredis'
import { Fault } from '../../../src/domain/codes.ts'
import { seconds } from '../../../src/domain/words.ts'
import { memoryLedger } from '../../../src/ledger/memory.ts'
import { redisLedger } from '../../../src/ledger/redis.ts'
import { type RedisLink, redisLink } from '../../../src/redis/link.ts'
import { limiterWithLedger, limiterThenLedger } from '../../../src/limits/admission.ts'
import { type Budgets, memoryLimiter, redisLimiter } from '../../../src/limits/limits.ts'
import type { Admission, Consumable, Ledger } from '../../../src/ports/stores.ts'
import {
  anyJti,
  entry,
  eventually,
  faultOf,
  keepLog,
  newAttempt,
  newJti,
  random,
} from '../../support/ledger-contract.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'

const rate = { points: 3, per: seconds(60) }
const BUDGETS: Budgets = {
  challenge: rate,
  solve: rate,
  siteverify: { points: 100, per: seconds(60) },
  fallback: rate,
  junk: rate,
  ticket: rate,
}

let redis: TestRedis
const links: RedisLink[] = []
beforeAll(async () => {
  redis = await startRedis()
})
afterAll(async () => {
  for (const link of links) await link.close()
  await redis.remove()
})

async function onRedis(join: boolean): Promise<{ admission: Admission; ledger: Ledger; link: RedisLink }> {
  const log = keepLog()
  const link = redisLink({ url: redis.url, cluster: undefined, sentinel: undefined, keyPrefix: 'hv' }, { log })
  links.push(link)
  const ledger = redisLedger(link, { random, log })
  await eventually(() => ledger.generation(anyJti))
  const apart = limiterThenLedger(redisLimiter(link, BUDGETS), ledger)
  return { admission: join ? limiterWithLedger(ledger, BUDGETS, apart) : apart, ledger, link }
}

describe.each([
  {
    name: 'in turn, in memory',
    make: async () => {
      const ledger = memoryLedger({ random, clock: Date.now })
      return { admission: limiterThenLedger(memoryLimiter(BUDGETS), ledger), ledger }
    },
  },
  { name: 'in turn, in Redis', make: () => onRedis(false) },
  { name: 'in one call', make: () => onRedis(true) },
])('admission $name', ({ make }) => {
  test('consumes as often as the budget says; over it nothing is consumed, and the wait is told', async () => {
    const { admission, ledger } = await make()
    const who = random.id()
    const fresh = () => entry(ledger.generation(anyJti))
    for (let i = 0; i < 3; i++) expect(await admission.admit('solve', who, fresh())).toBe('ours')

    const refused = fresh()
    const thrown = await admission.admit('solve', who, refused).catch((error: unknown) => error)
    expect(thrown).toBeInstanceOf(Fault)
    expect((thrown as Fault).code).toBe('rate-limit-exceeded')
    expect((thrown as Fault).retryAfter).toBeGreaterThan(57)
    expect((thrown as Fault).retryAfter).toBeLessThanOrEqual(60)
    // Nobody has it yet.
    expect(await ledger.consume({ ...refused, attempt: newAttempt() })).toBe('ours')
  })

  test('takes a point whatever becomes of the token', async () => {
    const { admission, ledger } = await make()
    const who = random.id()
    const first = entry(ledger.generation(anyJti))
    const outcomes = [
      await admission.admit('solve', who, first),
      await admission.admit('solve', who, { ...first, attempt: newAttempt() }),
      await admission.admit('solve', who, entry(random.id() as never)),
      await faultOf(() => admission.admit('solve', who, entry(ledger.generation(anyJti)))),
    ]
    expect(outcomes).toEqual(['ours', 'taken', 'stale', 'rate-limit-exceeded'])
  })

  // One token that was used, posted through the form 6,000 times, kept every genuine one out for a minute.
  test('gives the point of a siteverify back whose token is not ours', async () => {
    const { admission, ledger } = await make()
    const who = random.id()
    const first = entry(ledger.generation(anyJti))
    expect(await admission.admit('siteverify', who, first)).toBe('ours')
    for (let i = 0; i < 150; i++) {
      expect(await admission.admit('siteverify', who, { ...first, attempt: newAttempt() })).toBe('taken')
      expect(await admission.admit('siteverify', who, entry(random.id() as never))).toBe('stale')
    }
    for (let i = 1; i < 100; i++) {
      expect(await admission.admit('siteverify', who, entry(ledger.generation(anyJti)))).toBe('ours')
    }
    const over = entry(ledger.generation(anyJti))
    expect(await faultOf(() => admission.admit('siteverify', who, over))).toBe('rate-limit-exceeded')
  })

  test('gives one of 50 callers the token, and counts all that are ours', async () => {
    const { admission, ledger } = await make()
    const [who, first] = [random.id(), entry(ledger.generation(anyJti))]
    const ask = (one: Consumable) => admission.admit('siteverify', who, one).catch((error: Fault) => error.code)
    const same = await Promise.all(Array.from({ length: 50 }, () => ask({ ...first, attempt: newAttempt() })))
    expect(same.filter((outcome) => outcome === 'ours')).toHaveLength(1)
    const others = await Promise.all(
      Array.from({ length: 150 }, () => ask({ ...first, jti: newJti(), attempt: newAttempt() })),
    )
    expect(others.filter((outcome) => outcome === 'ours')).toHaveLength(99)
    expect(others.filter((outcome) => outcome === 'rate-limit-exceeded')).toHaveLength(51)
  })
})

describe('admission in one call', () => {
  test('is one script call, in the windows in which the limiter counts', async () => {
    const { ledger, link, admission } = await onRedis(true)
    const who = random.id()
    await redisLimiter(link, BUDGETS).take('solve', who)
    // The first call ever sends the script itself once more.
    await admission.admit('solve', random.id(), entry(ledger.generation(anyJti)))
    const fresh = entry(ledger.generation(anyJti))
    const calls = await scriptCallsOf(() => admission.admit('solve', who, fresh))
    // The ledgers of this file poll meanwhile.
    const ours = calls.filter((words) => words.includes(who) || words.includes(fresh.jti))
    expect(ours).toEqual([expect.stringContaining(fresh.jti)])
    expect(ours[0]).toContain(who)
    expect(await ledger.consume({ ...fresh, attempt: newAttempt() })).toBe('taken')
    expect(await redis.cli('GET', `{hv}:l:solve:${who}`)).toBe('2')
    expect(Number(await redis.cli('TTL', `{hv}:l:solve:${who}`))).toBeGreaterThan(57)
  })

  test('tells a window that cannot be counted in from a ledger that cannot be asked', async () => {
    const { ledger, admission } = await onRedis(true)
    const [who, fresh] = [random.id(), entry(ledger.generation(anyJti))]
    await redis.cli('HSET', `{hv}:l:solve:${who}`, 'a', 'b')
    expect(await faultOf(() => admission.admit('solve', who, fresh))).toBe('rate-limiter-unavailable')
    expect(await ledger.consume(fresh)).toBe('ours')
  })

  test('tells a right that only the limiter lacks from a ledger that cannot be asked', async () => {
    const { ledger, admission } = await onRedis(true)
    const fresh = entry(ledger.generation(anyJti))
    await redis.cli('ACL', 'SETUSER', 'default', '-incrby')
    expect(await faultOf(() => admission.admit('solve', random.id(), fresh))).toBe('rate-limiter-unavailable')
    await redis.cli('ACL', 'SETUSER', 'default', '+incrby')
    expect(await ledger.consume(fresh)).toBe('ours')
  })

  test('falls back to one after the other where a call cannot reach both', async () => {
    const asked: string[] = []
    const apart: Admission = { admit: async () => (asked.push('apart'), 'ours') }
    const admission = limiterWithLedger({ consumeWithin: () => undefined }, BUDGETS, apart)
    expect(await admission.admit('solve', 'x', entry('g' as never))).toBe('ours')
    expect(asked).toEqual(['apart'])
  })

  test.each([
    [-2, 1],
    [0, 1],
    [1, 1],
    [1001, 2],
  ])('a window with %i ms left is to be waited for %i s', async (waitMs, wait) => {
    const admission = limiterWithLedger({ consumeWithin: async () => ({ waitMs }) }, BUDGETS, {} as Admission)
    const thrown = await admission.admit('solve', 'x', entry('g' as never)).catch((error: unknown) => error)
    expect((thrown as Fault).retryAfter).toBe(wait)
  })
})

/** The script calls that the server has while something is done, each as the words it was sent. */
async function scriptCallsOf(act: () => Promise<unknown>): Promise<string[]> {
  const client = new Redis(redis.url)
  const monitor = await client.monitor()
  const calls: string[] = []
  const end: string = random.id()
  const ended = new Promise<void>((resolve) => {
    monitor.on('monitor', (_time: string, [command, ...words]: string[]) => {
      if (/^evalsha$/i.test(command!)) calls.push(words.join(' '))
      if (words.includes(end)) resolve()
    })
  })
  try {
    await act()
    await redis.cli('ECHO', end)
    await ended
  } finally {
    monitor.disconnect()
    client.disconnect()
  }
  return calls
}
