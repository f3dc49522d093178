import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { Fault } from '../../../src/domain/codes.ts'
import { type Rate } from '../../../src/domain/time.ts'
import { seconds } from '../../../src/domain/words.ts'
import { redisLedger } from '../../../src/ledger/redis.ts'
import { type RedisLink, redisLink } from '../../../src/redis/link.ts'
import { type Budgets, memoryLimiter, redisLimiter } from '../../../src/limits/limits.ts'
import { blameLedgerFirst } from '../../../src/limits/root-cause.ts'
import type { Ledger, Limiter } from '../../../src/ports/stores.ts'
import { anyJti, eventually, faultOf, keepLog, random, sleep } from '../../support/ledger-contract.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'

const rate = (points: number, per: number): Rate => ({ points, per: seconds(per) })
const BUDGETS: Budgets = {
  challenge: rate(3, 60),
  solve: rate(5, 60),
  siteverify: rate(100, 60),
  fallback: rate(2, 60),
  junk: rate(2, 60),
  ticket: rate(2, 60),
}

/** Takes points one by one; how many were granted before the first refusal. */
async function granted(limiter: Limiter, ...of: Parameters<Limiter['take']>): Promise<number> {
  for (let taken = 0; ; taken++) {
    const code = await faultOf(() => limiter.take(...of))
    if (code === 'rate-limit-exceeded') return taken
    expect(code).toBe('none')
  }
}

async function faultAnd<T>(call: () => Promise<T>): Promise<{ readonly fault: Fault; readonly ms: number }> {
  const start = performance.now()
  const thrown = await call().catch((error: unknown) => error)
  if (!(thrown instanceof Fault)) throw new Error('expected a fault')
  return { fault: thrown, ms: performance.now() - start }
}

let redis: TestRedis
let links: RedisLink[] = []

beforeAll(async () => {
  redis = await startRedis()
})
afterAll(() => redis.remove())
afterEach(async () => {
  redis.resume()
  for (const link of links) await link.close()
  links = []
})

async function newLink(url = redis.url): Promise<RedisLink> {
  const link = redisLink({ url, cluster: undefined, sentinel: undefined, keyPrefix: 'hv' }, { log: keepLog() })
  links.push(link)
  await eventually(() => expect(link.client().status).toBe('ready'))
  return link
}

describe.each([
  { name: 'memory', make: async (budgets: Budgets) => memoryLimiter(budgets) },
  { name: 'Redis', make: async (budgets: Budgets) => redisLimiter(await newLink(), budgets) },
])('the $name limiter', ({ make }) => {
  test('grants each caller the budget of each operation, and not one more', async () => {
    const limiter = await make(BUDGETS)
    const [alice, bob] = [random.id(), random.id()]
    // Three times as many visits may come at once as in a minute.
    expect(await granted(limiter, 'challenge', alice)).toBe(9)
    expect(await granted(limiter, 'challenge', bob)).toBe(9)
    expect(await granted(limiter, 'solve', alice)).toBe(5)
    expect(await granted(limiter, 'siteverify', alice)).toBe(100)
  })

  test('says in whole seconds, at least one, when to come again; and then grants again', async () => {
    const limiter = await make({ ...BUDGETS, challenge: rate(1, 2) })
    const who = random.id()
    expect(await granted(limiter, 'challenge', who)).toBe(3)
    const { fault } = await faultAnd(() => limiter.take('challenge', who))
    expect(fault.status).toBe(429)
    expect([1, 2]).toContain(fault.retryAfter)
    await sleep(fault.retryAfter! * 1000 + 100)
    expect(await faultOf(() => limiter.take('challenge', who))).toBe('none')
  })
})

describe.each([
  { name: 'memory', make: async (budgets: Budgets) => memoryLimiter(budgets) },
  { name: 'Redis', make: async (budgets: Budgets) => redisLimiter(await newLink(), budgets) },
])('the visits of a network, in $name', ({ name, make }) => {
  /** An address of the network of this name, as `whoIs` spells it. */
  const address = (family: 4 | 6, network: string, subnet = random.id().slice(0, 4)): string =>
    `${family}${network}${subnet}${random.id().slice(0, 10)}`
  const together = async (who: () => string): Promise<number> => {
    const limiter = await make(BUDGETS)
    for (let taken = 0; ; taken++) {
      if ((await faultOf(() => limiter.take('challenge', who()))) !== 'none') return taken
    }
  }

  test('have sixteen times the room of one address in an IPv4 /24', async () => {
    const network = random.id().slice(0, 8)
    expect(await together(() => address(4, network))).toBe(9 * 16)
  })
  test('have four times the room in an IPv6 /48, and twice in a /56', async () => {
    const network = random.id().slice(0, 8)
    expect(await together(() => address(6, network))).toBe(9 * 4)
    const other = random.id().slice(0, 8)
    expect(await together(() => address(6, other, 'home'))).toBe(9 * 2)
  })
  test('are those of one address, in both families, while the store has little room', async () => {
    const isTight = () => true
    const limiter =
      name === 'memory'
        ? memoryLimiter(BUDGETS, undefined, undefined, isTight)
        : redisLimiter(await newLink(), BUDGETS, isTight)
    for (const family of [4, 6] as const) {
      const network = random.id().slice(0, 8)
      let taken = 0
      while ((await faultOf(() => limiter.take('challenge', address(family, network)))) === 'none') taken++
      expect(taken).toBe(9)
    }
  })
  test('take nothing of anybody where one place has no room', async () => {
    const limiter = await make(BUDGETS)
    const [network, one] = [random.id().slice(0, 8), address(4, random.id().slice(0, 8))]
    expect(await granted(limiter, 'challenge', one)).toBe(9)
    for (let i = 0; i < 200; i++) await faultOf(() => limiter.take('challenge', one))
    expect(await faultOf(() => limiter.take('challenge', address(4, network)))).toBe('none')
  })
  test('that show little take more room, without being refused', async () => {
    const limiter = await make(BUDGETS)
    const who = address(4, random.id().slice(0, 8))
    // The server knows the script from now on, so that it runs what is asked in this order.
    await limiter.take('challenge', address(4, random.id().slice(0, 8)))
    for (let i = 0; i < 6; i++) limiter.charge(who, 0.5)
    expect(await granted(limiter, 'challenge', who)).toBe(6)
  })
})

describe('the Redis limiter', () => {
  test('counts exactly over two processes that ask at once', async () => {
    const limiters = [redisLimiter(await newLink(), BUDGETS), redisLimiter(await newLink(), BUDGETS)]
    const who = random.id()
    const asked = Array.from({ length: 300 }, (_, i) => faultOf(() => limiters[i % 2]!.take('siteverify', who)))
    const codes = await Promise.all(asked)
    expect(codes.filter((code) => code === 'none')).toHaveLength(100)
    expect(codes.filter((code) => code === 'rate-limit-exceeded')).toHaveLength(200)
  })

  test('charges an address that has no room left, so that another process has it wait for longer', async () => {
    const [one, other] = [redisLimiter(await newLink(), BUDGETS), redisLimiter(await newLink(), BUDGETS)]
    const who = random.id()
    expect(await granted(one, 'challenge', who)).toBe(9)
    one.charge(who, 2)
    // Of a place of 20 s for each visit.
    await eventually(async () => {
      const { fault } = await faultAnd(() => other.take('challenge', who))
      expect(fault.retryAfter).toBeGreaterThan(50)
    })
  })

  test('keeps the room of visits and of tickets under {hv}:l:, each until all of it is free', async () => {
    const limiter = redisLimiter(await newLink(), BUDGETS)
    const who = random.id()
    for (const operation of ['challenge', 'ticket'] as const) await limiter.take(operation, who)
    for (const [kind, ms] of Object.entries({ visit: 20_000, ticket: 30_000 })) {
      const left = Number(await redis.cli('PTTL', `{hv}:l:${kind}:${who}`))
      expect(left).toBeLessThanOrEqual(ms)
      expect(left).toBeGreaterThan(ms - 5000)
    }
  })

  test('keeps its windows under {hv}:l:, each with an end', async () => {
    const limiter = redisLimiter(await newLink(), BUDGETS)
    const who = random.id()
    await limiter.take('solve', who)
    expect(await redis.cli('GET', `{hv}:l:solve:${who}`)).toBe('1')
    const left = Number(await redis.cli('TTL', `{hv}:l:solve:${who}`))
    expect(left).toBeGreaterThan(57)
    expect(left).toBeLessThanOrEqual(60)
  })

  test('needs INCRBY, PTTL, GET and TIME beside what the ledger needs', async () => {
    const allowed = '+evalsha +eval +info +set +get +time +incrby +pttl'.split(' ')
    await redis.cli('ACL', 'SETUSER', 'limiter', 'on', '>pa55word', '~{hv}:*', '-@all', ...allowed)
    const limiter = redisLimiter(await newLink(redis.url.replace('//', '//limiter:pa55word@')), BUDGETS)
    expect(await granted(limiter, 'challenge', random.id())).toBe(9)
    expect(await granted(limiter, 'solve', random.id())).toBe(5)
  })

  test('is unavailable while Redis is gone or hangs, each within 450 ms, and follows it back', async () => {
    const link = await newLink()
    const limiter = redisLimiter(link, BUDGETS)
    const who = random.id()
    redis.pause()
    const hanging = await faultAnd(() => limiter.take('solve', who))
    redis.resume()
    expect(hanging.fault.code).toBe('rate-limiter-unavailable')
    expect(hanging.fault.retryAfter).toBe(1)
    expect(hanging.ms).toBeLessThan(450)

    await redis.stop()
    await sleep(100)
    const gone = await faultAnd(() => limiter.take('solve', who))
    expect(gone.fault.code).toBe('rate-limiter-unavailable')
    expect(gone.ms).toBeLessThan(100)

    await redis.start()
    await eventually(() => limiter.take('solve', who))
  })

  test('follows the link to a new client', async () => {
    const link = await newLink()
    const limiter = redisLimiter(link, BUDGETS)
    const dead = link.client()
    dead.disconnect()
    await eventually(() => limiter.take('solve', random.id()))
    expect(link.client()).not.toBe(dead)
  })
})

function limited(capacity: number) {
  let ms = 0
  const limiter = memoryLimiter({ ...BUDGETS, solve: rate(1, 60) }, () => ms, capacity)
  const codes = async (...who: string[]): Promise<string[]> => {
    const answers: string[] = []
    for (const each of who) answers.push(await faultOf(() => limiter.take('solve', each)))
    return answers
  }
  return { codes, pass: (by: number) => (ms += by) }
}

describe('the memory limiter', () => {
  const [once, refused] = ['none', 'rate-limit-exceeded']

  test('never holds more callers than it has places: the window that began first goes', async () => {
    const { codes } = limited(2)
    expect(await codes('a', 'b', 'c')).toEqual([once, once, once])
    expect(await codes('b', 'c')).toEqual([refused, refused])
    expect(await codes('a')).toEqual([once])
  })

  test('makes room of windows that are over, so that none that is open goes', async () => {
    const { codes, pass } = limited(2)
    await codes('a')
    pass(30_000)
    await codes('b')
    pass(30_000)
    expect(await codes('c', 'b', 'a')).toEqual([once, refused, once])
  })

  // The library's kept a Node timer and some 700 bytes for each caller, without a bound.
  test('stays small while 300,000 addresses ask once', async () => {
    const { codes } = limited(1000)
    globalThis.gc?.()
    const before = process.memoryUsage().heapUsed
    for (let i = 0; i < 300_000; i += 1000) await codes(...Array.from({ length: 1000 }, (_, k) => `${i + k}`))
    globalThis.gc?.()
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(40_000_000)
  })

  // A Node timer of more than 2^31 ms fires at once; windows are measured, not timed.
  test('keeps a window of 25 days', async () => {
    const limiter = memoryLimiter({ ...BUDGETS, solve: rate(1, 25 * 86_400) })
    expect(await faultOf(() => limiter.take('solve', 'a'))).toBe('none')
    await sleep(20)
    expect(await faultOf(() => limiter.take('solve', 'a'))).toBe('rate-limit-exceeded')
  })
})

const slow = (ms: number): Limiter => ({
  take: () => sleep(ms),
  charge: () => {},
  giveBack: () => {},
  close: async () => {},
})
const failing = (fault: Fault): Limiter => ({
  take: () => Promise.reject(fault),
  charge: () => {},
  giveBack: () => {},
  close: async () => {},
})

describe('blaming the ledger first', () => {
  const answering = { probe: async () => {} }
  const broken = { probe: () => Promise.reject(new Fault('database-schema-outdated')) }
  const unavailable = new Fault('rate-limiter-unavailable')
  const exceeded = new Fault('rate-limit-exceeded', { retryAfter: seconds(7) })

  test.each([
    { code: 'rate-limiter-unavailable', when: 'the ledger answers', limiter: unavailable, ledger: answering },
    { code: 'database-schema-outdated', when: 'the ledger faults so', limiter: unavailable, ledger: broken },
    { code: 'rate-limit-exceeded', when: 'the caller asks too often', limiter: exceeded, ledger: broken },
  ])('says $code when $when', async ({ code, limiter, ledger }) => {
    const { fault } = await faultAnd(() => blameLedgerFirst(failing(limiter), ledger).take('solve', 'someone'))
    expect(fault.code).toBe(code)
  })

  test('asks the ledger once the limiter is slow, and not when it is quick', async () => {
    let probes = 0
    const ledger = { probe: async () => void probes++ }
    await blameLedgerFirst(slow(20), ledger).take('solve', 'someone')
    await sleep(300)
    expect(probes).toBe(0)
    await blameLedgerFirst(slow(400), ledger).take('solve', 'someone')
    expect(probes).toBe(1)
  })

  test('leaves no rejection unhandled when the ledger faults and the limiter was only slow', async () => {
    const unhandled: unknown[] = []
    const keep = (reason: unknown): void => void unhandled.push(reason)
    process.on('unhandledRejection', keep)
    await blameLedgerFirst(slow(300), broken).take('solve', 'someone')
    await sleep(20)
    process.off('unhandledRejection', keep)
    expect(unhandled).toEqual([])
  })

  test('says database-unavailable when both are in one Redis, gone or hanging, within 800 ms', async () => {
    const link = await newLink()
    const ledger: Ledger = redisLedger(link, { random, log: keepLog() })
    await eventually(() => ledger.generation(anyJti))
    const limiter = blameLedgerFirst(redisLimiter(link, BUDGETS), ledger)
    const who = random.id()
    await limiter.take('siteverify', who)

    redis.pause()
    const hanging = await faultAnd(() => limiter.take('siteverify', who))
    expect(hanging.fault.code).toBe('database-unavailable')
    expect(hanging.ms).toBeLessThan(800)
    redis.resume()
    await eventually(() => limiter.take('siteverify', who))

    await redis.stop()
    await sleep(100)
    const gone = await faultAnd(() => limiter.take('siteverify', who))
    expect(gone.fault.code).toBe('database-unavailable')
    expect(gone.ms).toBeLessThan(450)
    await redis.start()
    await ledger.close()
  })
})
