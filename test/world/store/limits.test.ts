/** The budgets of addresses, networks and sites, in memory and in a real Redis. */
import { describe, expect, test } from '@jest/globals'
import { randomBytes } from 'node:crypto'
import type { Fault } from '../../../src/domain/codes.ts'
import { seconds } from '../../../src/domain/words.ts'
import type { Limiter, Operation } from '../../../src/domain/stores.ts'
import { memoryLimiter, redisLimiter } from '../../../src/store/limits.ts'
import { type RedisConnection, redisConnection } from '../../../src/store/redis.ts'
import { closeLater } from '../../support/close-later.ts'
import { everyBudget, patient } from '../../support/ledger-on-redis.ts'
import { eventually, keepLog, random, sleep } from '../../support/ledger-contract.ts'
import { startLyingRedis } from '../../support/lying-clock/clock.ts'
import { startRedis } from '../../support/redis.ts'

const rate = (points: number, per: number) => ({ points, per: seconds(per) })
const [challenge, solve, siteverify] = [rate(4, 60), rate(18, 60), rate(10, 60)]
const BUDGETS = { ...everyBudget(3, 60), challenge, solve, siteverify, junk: rate(5, 60), ticket: rate(2, 3600) }

const redis = await startRedis()

async function connected(partitions = 1, url = redis.url, keyPrefix = random.id()): Promise<RedisConnection> {
  const link = closeLater(redisConnection({ url, keyPrefix }, { log: keepLog(), partitions }), (it) => it.close())
  await eventually(() => expect(link.trouble()).toBeUndefined())
  return link
}

const letters = (length: number): string => randomBytes(32).toString('hex').slice(0, length)
/** An address mark: 8 letters of the network, 4 of the /56, 10 of the address. */
const address = (family: 4 | 6, network = letters(8), subnet = letters(4)): string =>
  `${family}g${network}${subnet}${letters(10)}`

const refusalOf = (call: Promise<void>) => call.catch((fault: Fault) => fault)
/** How many points are granted before the first refusal. */
async function granted(limiter: Limiter, operation: Operation, who: string | (() => string), halves?: number) {
  for (let count = 0; ; count++) {
    const whose = typeof who === 'string' ? who : who()
    const refusal = await refusalOf(limiter.take(operation, whose, halves))
    if (refusal === undefined) continue
    expect(refusal.code).toBe('rate-limit-exceeded')
    return { count, retryAfter: refusal.retryAfter! }
  }
}

describe.each([
  { where: 'memory', partitions: 0 },
  { where: 'Redis', partitions: 1 },
  { where: 'eight partitions', partitions: 8 },
])('the limiter in $where', ({ partitions }) => {
  const make = async (isTight?: () => boolean, budgets = BUDGETS): Promise<Limiter> =>
    partitions === 0
      ? memoryLimiter(budgets, isTight)
      : redisLimiter(patient(await connected(partitions)), budgets, isTight)

  test.each<{ operation: Operation; points: number; within: number }>([
    { operation: 'challenge', points: 4, within: 60 },
    { operation: 'solve', points: 4, within: 60 },
    { operation: 'fallback', points: 3, within: 60 },
    { operation: 'ticket', points: 2, within: 3600 },
    { operation: 'junk', points: 5, within: 60 },
    { operation: 'siteverify', points: 10, within: 60 },
    { operation: 'guess', points: 3, within: 60 },
  ])('grants $points of $operation to each, and tells when there is more', async ({ operation, points, within }) => {
    const limiter = await make()
    for (const who of [address(4), address(4), address(6)]) {
      const { count, retryAfter } = await granted(limiter, operation, who)
      expect(count).toBe(points)
      expect(retryAfter).toBeGreaterThanOrEqual(1)
      expect(retryAfter).toBeLessThanOrEqual(within)
    }
  })

  test('grants again once the time is over', async () => {
    const limiter = await make(undefined, { ...BUDGETS, challenge: rate(1, 1) })
    const who = address(4)
    const { retryAfter } = await granted(limiter, 'challenge', who)
    await sleep(retryAfter * 1000)
    expect(await refusalOf(limiter.take('challenge', who))).toBeUndefined()
  })

  test('lets a class of 40 visit at once, and whoever is over the budget wait for ten seconds at most', async () => {
    const limiter = await make()
    const { count, retryAfter } = await granted(limiter, 'visit', address(4))
    expect(count).toBe(3 + 60)
    expect(retryAfter).toBeLessThanOrEqual(10)
  })

  test('takes more for a visit that shows little, and for one from elsewhere', async () => {
    const limiter = await make()
    // 6 and 120 halves: two visits of 3 and 40 more.
    expect((await granted(limiter, 'visit', address(4), 3)).count).toBe(2 + 40)
    expect((await granted(limiter, 'visit', address(4), 5)).count).toBe(1 + 24)
  })

  test.each([
    { where: 'a /24', family: 4, subnet: undefined, visits: 16 * 63 },
    { where: 'a /48', family: 6, subnet: undefined, visits: 16 * 63 },
    { where: 'a /56', family: 6, subnet: 'home', visits: 2 * 63 },
  ] as const)('charges $where for solved visits: $visits at once', async ({ family, subnet, visits }) => {
    const limiter = await make()
    const network = letters(8)
    expect((await granted(limiter, 'visit', () => address(family, network, subnet))).count).toBe(visits)
  })

  test('charges no network of strangers for challenges that nobody solved, and a /56 twice', async () => {
    const limiter = await make()
    const network = letters(8)
    for (let i = 0; i < 50; i++) expect(await refusalOf(limiter.take('challenge', address(4, network)))).toBeUndefined()
    for (let i = 0; i < 50; i++) expect(await refusalOf(limiter.take('challenge', address(6, network)))).toBeUndefined()
    expect((await granted(limiter, 'challenge', () => address(6, network, 'home'))).count).toBe(8)
  })

  test('takes nothing of a network for a visit that its address has no room for', async () => {
    const limiter = await make(() => true)
    const network = letters(8)
    const busy = address(4, network)
    expect((await granted(limiter, 'visit', busy)).count).toBe(63)
    for (let i = 0; i < 30; i++) await refusalOf(limiter.take('visit', busy))
    // The network has as much as one address where the store has little room.
    expect((await granted(limiter, 'visit', () => address(4, network))).count).toBe(0)
    expect((await granted(limiter, 'visit', address(4))).count).toBe(63)
  })

  test('gives a site its point back', async () => {
    const limiter = await make()
    const site = `hv_site_${letters(8)}`
    expect((await granted(limiter, 'siteverify', site)).count).toBe(10)
    for (let i = 0; i < 3; i++) await limiter.giveBack('siteverify', site)
    // One of them is of the call that was refused.
    expect((await granted(limiter, 'siteverify', site)).count).toBeGreaterThanOrEqual(1)
  })
})

describe('in Redis', () => {
  test.each([1, 8])(
    'four instances that are asked at once share one budget, also after all was lost; %i partitions',
    async (partitions) => {
      const keyPrefix = random.id()
      const links = await Promise.all([1, 2, 3, 4].map(() => connected(partitions, redis.url, keyPrefix)))
      const four = links.map((link) => redisLimiter(patient(link), BUDGETS))
      for (const who of [address(4), address(6)]) {
        for (let losses = 0; losses <= 1; losses++) {
          const asked = Array.from({ length: 40 }, (_, i) => refusalOf(four[i % 4]!.take('siteverify', who)))
          expect((await Promise.all(asked)).filter((refusal) => refusal === undefined)).toHaveLength(10)
          await redis.cli('FLUSHALL')
        }
      }
    },
  )

  test.each([
    { end: 'an hour too late, as after a wrong clock,', late: 3_600_000, points: 5 },
    { end: 'a second too late, as by the clock of another instance,', late: 1000, points: 0 },
  ])('in a window that ends $end a visitor has $points points', async ({ late, points }) => {
    const link = patient(await connected())
    const end = String(Date.now() + 60_000 + late)
    await redis.cli('HSET', `${link.prefixes[0]}l:junk:somebody`, 'end', end, 'points', '1000')
    const { count, retryAfter } = await granted(redisLimiter(link, BUDGETS), 'junk', 'somebody')
    expect(count).toBe(points)
    expect(retryAfter).toBeLessThanOrEqual(61)
  })

  test('wrong secrets are counted without it', async () => {
    const own = await startRedis()
    const limiter = redisLimiter(await connected(1, own.url), BUDGETS)
    await own.remove()
    expect((await granted(limiter, 'guess', '203.0.113.7')).count).toBe(3)
    // Of one /64.
    expect((await granted(limiter, 'guess', '2001:db8::1')).count).toBe(3)
    expect((await granted(limiter, 'guess', '2001:db8::2')).count).toBe(0)
  })

  test.each([
    { name: 'an hour ahead', ahead: 3_600_000, forMs: 0 },
    { name: 'ahead by less than the time of the budget', ahead: 3000, forMs: 3000 },
  ])(
    'whoever used up a budget while the clock was $name waits no longer for the next one',
    async ({ ahead, forMs }) => {
      const server = await startLyingRedis()
      const limiter = redisLimiter(await connected(1, server.url), { ...BUDGETS, challenge: rate(4, 4) })
      const visitors = Array.from({ length: 20 }, (_, i) => `somebody-${i}`)
      const allCome = () => Promise.all(visitors.map((who) => limiter.take('solve', who)))
      server.shift(ahead)
      const over = sleep(4100)
      for (let i = 0; i < 4; i++) await allCome()
      await sleep(forMs)
      server.shift(0)
      await expect(allCome()).rejects.toMatchObject({ code: 'rate-limit-exceeded' })
      await over
      for (let i = 0; i < 4; i++) await allCome()
    },
  )
})
