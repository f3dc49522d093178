/** The budgets of addresses, networks and sites, in memory and in a real Redis. */
import { beforeEach, describe, expect, test } from '@jest/globals'
import { randomBytes } from 'node:crypto'
import type { AddressHash } from '../../../src/domain/address-hash.ts'
import { Fault } from '../../../src/domain/codes.ts'
import { seconds, type Sitekey, unixSeconds } from '../../../src/domain/words.ts'
import type { Limiter, PlainBudget, VisitCharge } from '../../../src/domain/ports.ts'
import { budgetLimiter, type Budgets } from '../../../src/store/limits/budget-limiter.ts'
import { memoryLimits, redisLimits } from '../../../src/store/limits/limit-store.ts'
import { type RedisConnection, redisConnection } from '../../../src/store/redis/redis-connection.ts'
import { closeLater } from '../../support/close-later.ts'
import { everyBudget, patient } from '../../support/ledger-on-redis.ts'
import { eventually, keepLog, newJti, random, sleep } from '../../support/ledger-contract.ts'
import { startLyingRedis } from '../../support/lying-clock/clock.ts'
import { startRedis } from '../../support/redis.ts'

const rate = (points: number, per: number) => ({ points, per: seconds(per) })
const [challenge, solve, siteverify] = [rate(4, 60), rate(18, 60), rate(10, 60)]
const BUDGETS = {
  ...everyBudget(3, 60),
  challenge,
  solve,
  siteverify,
  junk: rate(5, 60),
  ticket: rate(2, 3600),
}

const redis = await startRedis()

async function connected(
  partitions = 1,
  url = redis.url,
  keyPrefix = random.id(),
): Promise<RedisConnection> {
  const link = closeLater(
    redisConnection({ url, keyPrefix }, { log: keepLog(), partitions }),
    (it) => it.close(),
  )
  await eventually(() => expect(link.trouble()).toBeUndefined())
  return link
}

const letters = (length: number): string => randomBytes(32).toString('hex').slice(0, length)
/** An address hash: 8 letters of the network, 4 of the /56, 10 of the address. */
const address = (family: 4 | 6, network = letters(8), subnet = letters(4)): string =>
  `${family}g${network}${subnet}${letters(10)}`

/** A visit of a challenge that is used nowhere else. */
const visit = (change: Partial<VisitCharge> = {}): VisitCharge => ({
  jti: newJti(),
  sitekey: 'hv_site_one' as Sitekey,
  until: unixSeconds(START / 1000 + 600),
  cost: 2,
  extraBudgets: [],
  ...change,
})

const refusalOf = (call: Promise<unknown>) => call.then(() => undefined, (fault: Fault) => fault) // prettier-ignore
/** Calls more often than the budget allows, a hundred at once. @returns how often it was granted, and when there is more. */
async function granted(call: () => Promise<unknown>, calls: number) {
  const refusals: Fault[] = []
  for (let i = 0; i < calls; i += 100) {
    const some = Array.from({ length: Math.min(100, calls - i) }, () => refusalOf(call()))
    refusals.push(...(await Promise.all(some)).filter((refusal) => refusal !== undefined))
  }
  for (const refusal of refusals) expect(refusal.code).toBe('rate-limit-exceeded')
  return { count: calls - refusals.length, retryAfter: refusals[0]?.retryAfter ?? 0 }
}

const START = 1_800_000_000_000

describe.each([
  { where: 'memory', partitions: 0 },
  { where: 'Redis', partitions: 1 },
  { where: 'eight partitions', partitions: 8 },
])('the limiter in $where', ({ partitions }) => {
  const at = { ms: START }
  beforeEach(() => {
    at.ms = START
  })
  const make = async (isTight?: () => boolean, budgets = BUDGETS): Promise<Limiter> => {
    const windows =
      partitions === 0 ? memoryLimits() : redisLimits(patient(await connected(partitions)))
    return budgetLimiter(windows, budgets, isTight, () => at.ms)
  }

  const EXTRA_BUDGETS = ['ticket', 'fallback'] as const
  type Taken = PlainBudget | 'junk' | (typeof EXTRA_BUDGETS)[number]
  test.each<{ budget: Taken; points: number; within: number }>([
    { budget: 'invalidSolution', points: 4, within: 60 },
    { budget: 'fallback', points: 3, within: 20 },
    { budget: 'ticket', points: 2, within: 1800 },
    { budget: 'junk', points: 5, within: 60 },
    { budget: 'siteverify', points: 10, within: 60 },
    { budget: 'invalidSecret', points: 3, within: 60 },
  ])(
    'grants $points of $budget to each, and tells when there is more',
    async ({ budget, points, within }) => {
      const limiter = await make()
      const extraBudgets = EXTRA_BUDGETS.filter((each) => each === budget)
      const take = (who: string, site: string) => {
        const sitekey = site as Sitekey
        if (extraBudgets.length > 0) return limiter.visit(who, visit({ extraBudgets, sitekey }))
        if (budget === 'junk') return limiter.junk(who as Sitekey, undefined)
        return limiter.take(budget as PlainBudget, who)
      }
      const sites = extraBudgets.length > 0 ? ['hv_site_one', 'hv_site_other'] : ['any']
      for (const who of [address(4), address(4), address(6)])
        for (const site of sites)
          expect(await granted(() => take(who, site), points + 5)).toEqual({
            count: points,
            retryAfter: within,
          })
    },
  )

  /** Budgets of two seconds, and the call that takes a point of each. */
  const [TIME, POINTS] = [2, 4]
  const short = everyBudget(POINTS, TIME)
  const refuses = async (isRefused: Promise<boolean>) => {
    if (await isRefused) throw new Fault('rate-limit-exceeded', { retryAfter: seconds(1) })
  }
  const TAKE: Record<keyof Budgets, (limiter: Limiter, who: string) => Promise<unknown>> = {
    challenge: (limiter, who) => refuses(limiter.challenge(who)),
    siteverify: (limiter, who) => limiter.take('siteverify', who),
    junk: (limiter, who) => limiter.junk(who as Sitekey, undefined),
    invalidSecret: (limiter, who) => limiter.take('invalidSecret', who),
    solve: (limiter, who) => limiter.visit(who, visit()),
    fallback: (limiter, who) => limiter.visit(who, visit({ extraBudgets: ['fallback'] })),
    ticket: (limiter, who) => limiter.visit(who, visit({ extraBudgets: ['ticket'] })),
  }
  const kindOf = (budget: string) => (/^(solve|fallback|ticket)$/.test(budget) ? 'share' : 'window')
  const budgetsOf = (kind: string) =>
    (Object.keys(TAKE) as (keyof Budgets)[]).filter((budget) => kindOf(budget) === kind)

  test.each(budgetsOf('share'))(
    'all of limits.%s may be used at once, and each returns after its share of the time',
    async (budget) => {
      const limiter = await make(undefined, { ...BUDGETS, [budget]: short[budget] })
      const who = address(4)
      const take = () => TAKE[budget](limiter, who)
      // limits.solve allows ten thirds of it at once.
      const atOnce = budget === 'solve' ? Math.ceil((POINTS * 10) / 3) : POINTS
      expect((await granted(take, atOnce + 5)).count).toBe(atOnce)
      at.ms += (TIME * 1000) / POINTS
      expect((await granted(take, 5)).count).toBe(1)
      at.ms += 2 * ((TIME * 1000) / POINTS)
      expect((await granted(take, 5)).count).toBe(2)
    },
  )

  test.each(budgetsOf('window'))(
    'all of limits.%s may be used at once, and all return when the time since the first has passed',
    async (budget) => {
      const limiter = await make(undefined, { ...BUDGETS, [budget]: short[budget] })
      const who = address(4)
      const take = () => TAKE[budget](limiter, who)
      const began = Date.now()
      expect((await granted(take, POINTS + 5)).count).toBe(POINTS)
      await eventually(take, 10_000)
      // By the clock of Redis or of this process, which no test moves.
      expect(Date.now() - began).toBeGreaterThanOrEqual(TIME * 1000 - 50)
      expect((await granted(take, POINTS + 5)).count).toBe(POINTS - 1)
    },
  )

  test('reports challenges beyond the budget of an address, independent of its /56, and refuses a flood', async () => {
    const limiter = await make()
    const who = address(6)
    const crowded = async (whose: string, calls: number) =>
      (await Promise.all(Array.from({ length: calls }, () => limiter.challenge(whose)))).filter(
        Boolean,
      ).length
    expect(await crowded(who, 6)).toBe(2)
    expect(await crowded(who.slice(0, 14) + letters(10), 4)).toBe(0)
    expect(await crowded(who.slice(0, 14) + letters(10), 4)).toBe(0)
    expect((await granted(() => limiter.challenge(who), 120)).count).toBe(25 * 4 - 6)
  })

  test('checks for room, and takes none', async () => {
    const limiter = await make()
    const who = address(6)
    const check = (site: string) => refusalOf(limiter.check('ticket', who, site as Sitekey))
    for (let i = 0; i < 9; i++) expect(await check('hv_site_one')).toBeUndefined()
    for (let i = 0; i < 2; i++) await limiter.visit(who, visit({ extraBudgets: ['ticket'] }))
    expect(await check('hv_site_one')).toMatchObject({ code: 'rate-limit-exceeded' })
    expect(await check('hv_site_other')).toBeUndefined()
  })

  test('lets a class of 40 visit at once, and makes visitors over the budget wait for seconds', async () => {
    const limiter = await make()
    const who = address(4)
    expect(await granted(() => limiter.visit(who, visit()), 80)).toEqual({
      count: 60,
      retryAfter: 4,
    })
  })

  test('takes more for a visit that shows little, and for one from elsewhere, and of ordinary ones no more than for one', async () => {
    const limiter = await make()
    const [little, elsewhere] = [address(4), address(4)]
    expect((await granted(() => limiter.visit(little, visit({ cost: 3 })), 60)).count).toBe(40)
    expect((await granted(() => limiter.visit(elsewhere, visit({ cost: 5 })), 60)).count).toBe(24)
    expect((await granted(() => limiter.visit(elsewhere, visit()), 60)).count).toBe(60 - 24)
  })

  test.each([
    { where: 'a /24', family: 4, subnet: undefined, visits: 16 * 60 },
    { where: 'a /48', family: 6, subnet: undefined, visits: 16 * 60 },
    { where: 'a /56', family: 6, subnet: 'home', visits: 2 * 60 },
  ] as const)(
    'charges $where for solved visits: $visits at once',
    async ({ family, subnet, visits }) => {
      const limiter = await make()
      const network = letters(8)
      const call = () => limiter.visit(address(family, network, subnet), visit())
      expect((await granted(call, visits + 20)).count).toBe(visits)
    },
  )

  test('charges the visits of one site to none of another', async () => {
    const limiter = await make()
    const who = address(4)
    const other = () => visit({ sitekey: 'hv_site_other' as Sitekey })
    expect((await granted(() => limiter.visit(who, other()), 80)).count).toBe(60)
    expect((await granted(() => limiter.visit(who, visit()), 80)).count).toBe(60)
  })

  test('grants no more visits if the clocks of two callers differ by ten seconds', async () => {
    const limiter = await make()
    const who = address(4)
    const ahead = async () => {
      at.ms += 9500
      return limiter.visit(who, visit()).finally(() => {
        at.ms -= 9500
      })
    }
    let count = 0
    for (let i = 0; i < 80; i++) for (const call of [ahead, () => limiter.visit(who, visit())]) count += (await granted(call, 1)).count // prettier-ignore
    expect(count).toBeGreaterThan(56)
    expect(count).toBeLessThan(64)
  })

  test('does not charge the surrounding networks for unsolved challenges', async () => {
    const limiter = await make()
    const network = letters(8)
    for (const family of [4, 6] as const)
      for (let i = 0; i < 40; i++)
        expect(await limiter.challenge(address(family, network))).toBe(false)
  })

  test('charges a visit once for its challenge, whatever the number of concurrent calls, and again only if it was refused', async () => {
    const limiter = await make()
    const who = address(6)
    const once = visit()
    const calls = await Promise.all(Array.from({ length: 20 }, () => limiter.visit(who, once)))
    expect(calls.filter((charged) => charged === 'first')).toHaveLength(1)
    expect((await granted(() => limiter.visit(who, visit()), 80)).count).toBe(59)
    const refused = visit()
    for (let i = 0; i < 20; i++)
      expect(await refusalOf(limiter.visit(who, refused))).toMatchObject({
        code: 'rate-limit-exceeded',
      })
    expect(await limiter.visit(who, once)).toBe('again')
    at.ms += 7000
    const later = await Promise.all(Array.from({ length: 20 }, () => limiter.visit(who, refused)))
    expect(later.filter((charged) => charged === 'first')).toHaveLength(1)
    expect((await granted(() => limiter.visit(who, visit()), 9)).count).toBe(1)
  })

  test('takes of all budgets of a visit or of none', async () => {
    const limiter = await make(() => true)
    const network = letters(8)
    const [busy, neighbour] = [address(6, network), address(6, network)]
    const stepped = () =>
      limiter.visit(busy, visit({ cost: 3, extraBudgets: ['ticket', 'fallback'] }))
    expect((await granted(stepped, 40)).count).toBe(2)
    expect((await granted(() => limiter.visit(neighbour, visit()), 80)).count).toBe(58)
    // The network has as much as one address where the store has little room, so nothing is left of it.
    expect((await granted(() => limiter.visit(busy, visit()), 40)).count).toBe(0)
    at.ms += 100_000
    // None of the 40 was charged to the address.
    expect((await granted(() => limiter.visit(busy, visit()), 40)).count).toBe(30)
  })

  test('one sender wastes a share of the junk of each site, a /56 like an address', async () => {
    const limiter = await make(undefined, { ...BUDGETS, junk: rate(400, 60) })
    const network = letters(8)
    const [home, elsewhere] = [letters(4), letters(4)]
    const waste = async (site: string, subnet: string, calls: number) => {
      const call = () => limiter.junk(site as Sitekey, address(6, network, subnet) as AddressHash)
      return (await granted(call, calls)).count
    }
    expect(await waste('hv_site_one', home, 40)).toBe(20)
    expect(await waste('hv_site_one', elsewhere, 40)).toBe(20)
    expect(await waste('hv_site_other', home, 40)).toBe(20)
    // What was refused to a sender took nothing of the site's.
    const rest = () => limiter.junk('hv_site_one' as Sitekey, undefined)
    expect((await granted(rest, 400)).count).toBe(400 - 40)
  })

  test('gives a point back', async () => {
    const limiter = await make()
    const site = `hv_site_${letters(8)}`
    expect((await granted(() => limiter.take('siteverify', site), 10)).count).toBe(10)
    for (let i = 0; i < 3; i++) await limiter.giveBack('siteverify', site)
    expect((await granted(() => limiter.take('siteverify', site), 12)).count).toBe(3)
  })
})

describe('in Redis', () => {
  test('a budget has the name of its setting, and each further one is named for what it counts', async () => {
    const link = await connected()
    const limiter = budgetLimiter(redisLimits(link), BUDGETS)
    const [site, who] = ['hv_site_one' as Sitekey, address(4)]
    await limiter.challenge(who)
    await limiter.take('invalidSolution', who)
    await limiter.take('invalidSecret', who)
    await limiter.take('siteverify', site)
    await limiter.junk(site, who as AddressHash)
    await limiter.visit(who, visit({ cost: 3, extraBudgets: ['ticket', 'fallback'] }))
    const keys = (await redis.cli('KEYS', `${link.prefixFor(who)}l:*`)) as string[]
    const names = new Set(keys.map((key) => key.split(':')[2]!))
    const further = ['invalidSolution', 'junkOfSender', 'paid', 'solveCostly']
    const { invalidSecret: _inMemory, ...shared } = BUDGETS
    expect([...names].sort()).toEqual([...Object.keys(shared), ...further].sort())
  })

  test.each([1, 8])(
    'four instances that are asked at once share one budget, also after all was lost; %i partitions',
    async (partitions) => {
      const keyPrefix = random.id()
      const links = await Promise.all(
        [1, 2, 3, 4].map(() => connected(partitions, redis.url, keyPrefix)),
      )
      const four = links.map((link) =>
        budgetLimiter(redisLimits(patient(link)), BUDGETS, undefined, () => START),
      )
      for (const who of [address(4), address(6)]) {
        for (let losses = 0; losses <= 1; losses++) {
          let i = 0
          expect((await granted(() => four[i++ % 4]!.take('siteverify', who), 40)).count).toBe(10)
          await redis.cli('FLUSHALL')
        }
      }
    },
  )

  test('wrong secrets are counted without it', async () => {
    const own = await startRedis()
    const limiter = budgetLimiter(redisLimits(await connected(1, own.url)), BUDGETS)
    await own.remove()
    const guesses = async (who: string) =>
      (await granted(() => limiter.take('invalidSecret', who), 5)).count
    // The last two are of one /64.
    for (const [who, points] of [
      ['203.0.113.7', 3],
      ['2001:db8::1', 3],
      ['2001:db8::2', 0],
    ] as const)
      // prettier-ignore
      expect(await guesses(who)).toBe(points)
  })

  test.each([
    { name: 'an hour ahead', ahead: 3_600_000, forMs: 0 },
    { name: 'ahead by less than the time of the budget', ahead: 3000, forMs: 3000 },
  ])(
    'whoever used up a budget while the clock was $name waits no longer for the next one',
    async ({ ahead, forMs }) => {
      const server = await startLyingRedis()
      const at = { ms: START }
      const budgets = { ...BUDGETS, fallback: rate(4, 4) }
      const limiter = budgetLimiter(
        redisLimits(await connected(1, server.url)),
        budgets,
        undefined,
        () => at.ms,
      )
      const visitors = Array.from({ length: 20 }, () => address(4))
      const come = (who: string) => limiter.visit(who, visit({ extraBudgets: ['fallback'] }))
      const allCome = () => Promise.all(visitors.map(come))
      server.shift(ahead)
      for (let i = 0; i < 4; i++) await allCome()
      await sleep(forMs)
      server.shift(0)
      await expect(allCome()).rejects.toMatchObject({ code: 'rate-limit-exceeded' })
      at.ms += 4000
      for (let i = 0; i < 4; i++) await allCome()
    },
  )

  test('a window that was opened while the clock of Redis was ahead refuses a site no longer than its time', async () => {
    const server = await startLyingRedis()
    const limiter = budgetLimiter(redisLimits(await connected(1, server.url)), {
      ...BUDGETS,
      siteverify: rate(4, 4),
    })
    const take = () => limiter.take('siteverify', 'hv_site_one')
    server.shift(3_600_000)
    expect((await granted(take, 6)).count).toBe(4)
    server.shift(0)
    // It would last for an hour: it is counted anew.
    expect((await granted(take, 6)).count).toBe(4)
    expect((await granted(take, 6)).retryAfter).toBeLessThanOrEqual(4)
  })

  test.each(['siteverify', 'invalidSolution'] as const)(
    'a key of %s that something else wrote is a fault of the limiter, not of the ledger',
    async (budget) => {
      const link = await connected()
      const limiter = budgetLimiter(redisLimits(link), BUDGETS)
      const who = address(4)
      await link.client.hset(`${link.prefixFor(who)}l:${budget}:${who}`, 'a', 'b')
      await expect(limiter.take(budget, who)).rejects.toMatchObject({
        code: 'rate-limiter-unavailable',
      })
    },
  )
})
