/** What is made of the counts: the port History, over memory and over a real Redis. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { randomInt } from 'node:crypto'
import { networkOf } from '../../../src/domain/address-mark.ts'
import type { BehaviourCell } from '../../../src/score/behaviour.ts'
import { NOTHING, STRANGER } from '../../../src/domain/history.ts'
import { SLOW_PHONE } from '../../../src/work/human-cost.ts'
import { type Action, type Jti, type Sitekey, unixSeconds } from '../../../src/domain/words.ts'
import { history } from '../../../src/history/history.ts'
import { KEPT } from '../../../docs/make/history-kept.ts'
import { memorySketch } from '../../../src/history/memory-sketch.ts'
import { memoryCounters } from '../../../src/history/memory.ts'
import { redisCounters } from '../../../src/history/redis.ts'
import { redisSketch } from '../../../src/history/redis-sketch.ts'
import { type RedisConnection, redisConnection } from '../../../src/store/redis.ts'
import type { History } from '../../../src/ports/stores.ts'
import { eventually, keepLog, type Lines, newJti, random, sleep } from '../../support/ledger-contract.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'

let redis: TestRedis
const ends: (() => Promise<unknown>)[] = []
beforeAll(async () => {
  redis = await startRedis()
})
afterAll(async () => {
  for (const end of ends) await end()
  await redis.remove()
})

const NOW = unixSeconds(1_800_000_300)
const place = { sitekey: 'hv_site_testshop' as Sitekey, action: undefined }
const inTime = { now: NOW }
const clock = { now: () => inTime.now }

async function newLink(url = redis.url): Promise<RedisConnection> {
  const where = { url, cluster: undefined, sentinel: undefined, keyPrefix: 'hv' }
  const link = redisConnection(where, { log: keepLog() })
  ends.push(() => link.close())
  await eventually(() => expect(link.client.status).toBe('ready'))
  return link
}
function opened(of: History): History {
  ends.unshift(() => of.close())
  return of
}
const storesIn = (link: RedisConnection, log: Lines): History =>
  opened(history({ counters: redisCounters(link), sketch: redisSketch(link) }, { clock, log, everyMs: 10 }))
const inRedis = async (log = keepLog(), url = redis.url): Promise<History> => storesIn(await newLink(url), log)
const inMemory = async (): Promise<History> =>
  opened(history({ counters: memoryCounters(), sketch: memorySketch() }, { clock, log: keepLog(), everyMs: 10 }))

/** An address mark: the network, then the address. */
const addressIn = (network = random.id().slice(0, 8)): string => network + random.id().slice(0, 14)
const cell = (): BehaviourCell => [randomInt(2 ** 32), randomInt(2 ** 32)]
const behaviour = cell
const solve = (change: { jti?: Jti; shown?: ReturnType<typeof behaviour>; unfinished?: number } = {}) => ({
  jti: change.jti ?? newJti(),
  place,
  behaviour: change.shown ?? behaviour(),
  unfinished: change.unfinished ?? 0,
})

describe.each([
  { name: 'memory', make: inMemory },
  { name: 'Redis', make: () => inRedis() },
])('history in $name', ({ make }) => {
  let on: History
  beforeAll(async () => {
    on = await make()
  })

  test('knows an address and its network, and nobody else', async () => {
    const [one, other] = [addressIn(), addressIn()]
    const neighbour = addressIn(networkOf(one))
    await on.challenged(one, NOW)
    await on.solved(one, solve(), NOW)
    expect(await on.challenged(one, NOW)).toEqual({
      address: { ...NOTHING, challenges: 2, solves: 1 },
      network: { ...NOTHING, challenges: 2, solves: 1 },
    })
    expect(await on.challenged(neighbour, NOW)).toEqual({
      address: { ...NOTHING, challenges: 1 },
      network: { ...NOTHING, challenges: 3, solves: 1 },
    })
    expect((await on.challenged(other, NOW)).network).toEqual({ ...NOTHING, challenges: 1 })
  })

  test('raises the count of a network by as many challenges of an address as are ordinary, and no more', async () => {
    const one = addressIn()
    const neighbour = addressIn(networkOf(one))
    for (let i = 0; i < 30; i++) await on.challenged(one, NOW)
    expect(await on.challenged(neighbour, NOW)).toMatchObject({
      address: { challenges: 1 },
      network: { challenges: 21 },
    })
    for (let i = 0; i < 3; i++) await on.solved(one, solve(), NOW)
    expect((await on.challenged(neighbour, NOW)).network).toMatchObject({ challenges: 22, solves: 3 })
  })

  test('of strangers without an address knows nothing, however many', async () => {
    for (let i = 0; i < 5; i++) await on.challenged(undefined, NOW)
    expect(await on.challenged(undefined, NOW)).toEqual(STRANGER)
    expect(await on.solved(undefined, solve(), NOW)).toMatchObject({ ...STRANGER, first: true })
  })

  test('counts the earlier solves with the same behaviour on the whole site, through whatever networks', async () => {
    const shown = behaviour()
    const seen: number[] = []
    for (let i = 0; i < 4; i++) seen.push(Math.round((await on.solved(addressIn(), solve({ shown }), NOW)).again))
    expect(seen).toEqual([0, 1, 2, 3])
    expect((await on.solved(addressIn(), solve(), NOW)).again).toBe(0)
  })

  test('knows what an address did on a site apart from what it did elsewhere', async () => {
    const one = addressIn()
    const elsewhere = { sitekey: 'hv_site_another0' as Sitekey, action: undefined }
    on.note({ place: elsewhere, address: one, what: 'low' })
    on.note({ place, address: one, what: 'low' })
    on.note({ place, address: one, what: 'failed' })
    await eventually(async () => {
      const { here, address, network } = await on.solved(one, solve(), NOW)
      expect(here).toMatchObject({ low: 1, failed: 1 })
      expect(address).toMatchObject({ low: 2, failed: 1 })
      // A wrong solution stays with the address.
      expect(network).toMatchObject({ low: 2, failed: 0 })
    })
  })

  test('counts a challenge once, however often its solution is sent again', async () => {
    const [one, jti, shown] = [addressIn(), newJti(), behaviour()]
    expect(await on.solved(one, solve({ jti, shown }), NOW)).toMatchObject({ first: true, again: 0 })
    for (let i = 0; i < 3; i++) {
      const known = await on.solved(one, solve({ jti, shown }), NOW)
      const once = { ...NOTHING, solves: 1 }
      expect(known).toMatchObject({ first: false, address: once, network: once })
      expect(known.again).toBeCloseTo(0, 2)
    }
  })

  test('knows at once what a solve left undone, its own included: a hundred parts may come in one moment', async () => {
    const one = addressIn()
    await on.solved(one, solve({ unfinished: 0.75 }), NOW)
    const { address, network, here } = await on.solved(one, solve({ unfinished: 0.25 }), NOW)
    for (const counts of [address, network, here]) expect(counts).toMatchObject({ solves: 2, parts: 2, unfinished: 1 })
    const jti = newJti()
    for (let i = 0; i < 3; i++) await on.solved(one, solve({ jti, unfinished: 0.5 }), NOW)
    expect((await on.challenged(one, NOW)).address).toMatchObject({ solves: 3, parts: 3, unfinished: 1.5 })
  })

  test('counts the parts of a site before the store has heard of them, and none of them twice', async () => {
    const there = { sitekey: `hv_site_${random.id()}` as Sitekey, action: undefined }
    const part = () => on.note({ place: there, what: 'solved', isPart: true })
    for (let i = 1; i <= 20; i++) {
      part()
      expect(on.load(there, NOW).parts).toBe(i)
    }
    await eventually(() => expect(on.load(there, NOW)).toMatchObject({ solves: 20, parts: 20 }))
    part()
    await eventually(() => expect(on.load(there, NOW)).toMatchObject({ solves: 21, parts: 21 }))
    // As of the day; a hundred solves with five parts are taken for seen before.
    await eventually(() => expect(on.load(there, NOW).usualParts).toBeCloseTo(26 / 121))
  })

  test('is told afterwards what became of a visit', async () => {
    const one = addressIn()
    for (const what of ['verified', 'failed', 'low', 'low'] as const) on.note({ place, address: one, what })
    await eventually(async () => {
      const { address, network } = await on.challenged(one, NOW)
      expect(address).toMatchObject({ verified: 1, failed: 1, low: 2, solves: 0 })
      expect(network).toEqual({ ...address, failed: 0 })
    })
  })

  test('forgets within 20 minutes', async () => {
    const [one, shown] = [addressIn(), behaviour()]
    for (let i = 0; i < 10; i++) await on.solved(one, solve({ shown }), NOW)
    const later = async (by: number) => {
      inTime.now = unixSeconds(NOW + by)
      return on.solved(one, solve({ shown }), inTime.now)
    }
    // 300 s later a new bucket has just begun; half of it later, half of the ten are left, and the one in between.
    expect((await later(300)).again).toBeCloseTo(10, 0)
    expect((await later(600)).again).toBeCloseTo(6, 0)
    expect((await later(1500)).again).toBeCloseTo(0, 0)
    inTime.now = NOW
  })

  test('knows how busy a place is, apart from others', async () => {
    const busy = { sitekey: `hv_site_${random.id()}` as Sitekey, action: 'log-in' as Action }
    for (let i = 0; i < 30; i++) on.note({ place: busy, what: 'challenged' })
    await eventually(() => expect(on.load(busy, NOW).recent).toBe(30))
    await eventually(() => expect(on.load(busy, NOW).usual).toBeCloseTo((30 * 600) / 86_400))
    expect(on.load({ ...busy, action: undefined }, NOW)).toEqual({
      recent: 0,
      usual: 0,
      unitCost: SLOW_PHONE,
      solves: 0,
      verified: 0,
      parts: 0,
      usualParts: 0.05,
    })
    expect(on.load(busy, unixSeconds(NOW + 1200)).recent).toBe(0)
  })

  test('counts challenges and solves for a site’s day; tokens for its minutes; wrong solutions not at all', async () => {
    const one = { sitekey: `hv_site_${random.id()}` as Sitekey, action: undefined }
    for (const what of ['failed', 'verified', 'low', 'verified'] as const) on.note({ place: one, what })
    await eventually(() => expect(on.load(one, NOW)).toMatchObject({ verified: 2, recent: 0, solves: 0 }))
    for (let i = 0; i < 30; i++) on.note({ place: one, what: 'solved' })
    on.note({ place: one, what: 'challenged' })
    await eventually(() => expect(on.load(one, NOW).usual).toBeCloseTo(600 / 86_400))
    await eventually(() => expect(on.load(one, NOW).usualParts).toBeCloseTo(5 / 130))
    expect(on.load(one, NOW)).toMatchObject({ verified: 2, recent: 1, solves: 30, parts: 0 })
  })

  test('knows how long the work takes a site’s visitors', async () => {
    const slow = { sitekey: `hv_site_${random.id()}` as Sitekey, action: undefined }
    // One vote of each network.
    for (let i = 0; i < 500; i++) on.note({ place: slow, address: addressIn(), what: 'solved', costBin: 13 })
    await eventually(() => expect(on.load(slow, NOW).unitCost).toBeGreaterThan(SLOW_PHONE * 1.5))
  })

  test('takes one vote of a network in a day for the time of the work', async () => {
    const slow = { sitekey: `hv_site_${random.id()}` as Sitekey, action: undefined }
    const network = addressIn().slice(0, 8)
    for (let i = 0; i < 300; i++) on.note({ place: slow, address: addressIn(network), what: 'solved', costBin: 13 })
    await eventually(() => expect(on.load(slow, NOW).solves).toBe(300))
    await sleep(500)
    expect(on.load(slow, NOW).unitCost).toBe(SLOW_PHONE)
  })

  test('does not know a behaviour of another site', async () => {
    const shown = behaviour()
    const elsewhere = { sitekey: 'hv_site_another1' as Sitekey, action: undefined }
    for (let i = 0; i < 3; i++) await on.solved(addressIn(), solve({ shown }), NOW)
    const known = await on.solved(addressIn(), { ...solve({ shown: behaviour() }), place: elsewhere }, NOW)
    expect(known.again).toBe(0)
  })
})

describe('in Redis', () => {
  test('two instances know the same', async () => {
    const [one, two] = [await inRedis(), await inRedis()]
    const [address, shown] = [addressIn(), behaviour()]
    await one.solved(address, solve({ shown }), NOW)
    const known = await two.solved(address, solve({ shown }), NOW)
    expect(known).toMatchObject({ address: { solves: 2 } })
    expect(known.again).toBeCloseTo(1, 2)
    one.note({ place, address, what: 'verified' })
    await eventually(async () => expect((await two.challenged(address, NOW)).address.verified).toBe(1))
  })

  test('no key is other than docs/make/history-kept.ts lists, and each has an end', async () => {
    const on = await inRedis()
    const listed = { ...place, action: 'log-in' as Action }
    await on.challenged(addressIn(), NOW)
    await on.solved(addressIn(), solve(), NOW)
    on.note({ place: listed, address: addressIn(), what: 'solved', costBin: 3 })
    on.note({ place: listed, what: 'challenged' })
    await eventually(() => expect(on.load(listed, NOW).usual).toBeGreaterThan(0))
    const keys = (await redis.cli('KEYS', '{hv}:h:*')) as string[]
    const shapes = KEPT.map(({ key }) => new RegExp(`^\\{hv\\}:${key.replaceAll(/[A-Z]+/g, '[\\w/-]+')}$`))
    expect(keys.filter((key) => !shapes.some((shape) => shape.test(key)))).toEqual([])
    for (const shape of shapes) expect(keys.some((key) => shape.test(key))).toBe(true)
    const longest = { d: 2 * 86_400, t: 2 * 86_400 } as Record<string, number>
    for (const key of keys) {
      const left = Number(await redis.cli('TTL', key))
      expect(left).toBeGreaterThan(0)
      expect(left).toBeLessThanOrEqual(longest[key.split(':')[2]!] ?? 1200)
    }
  })

  test('gone, hung and back: nothing is known meanwhile, within a third of a second, and it is said once', async () => {
    const own = await startRedis()
    ends.push(() => own.remove())
    const log = keepLog()
    const on = await inRedis(log, own.url)
    const address = addressIn()
    const solving = async () => {
      const started = performance.now()
      const known = await on.solved(address, solve(), NOW)
      return { known, ms: performance.now() - started }
    }
    expect((await solving()).known.address.solves).toBe(1)
    own.pause()
    const hung = await solving()
    own.resume()
    expect(hung.known).toMatchObject({ ...STRANGER, first: true, again: 0 })
    expect(hung.ms).toBeLessThan(700)
    await own.stop()
    expect(await on.challenged(address, NOW)).toEqual(STRANGER)
    on.note({ place, address, what: 'failed' })
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(log.lines.filter((line) => line.includes('history is unreachable'))).toHaveLength(1)
    await own.start()
    await eventually(async () => expect((await solving()).known.address.solves).toBeGreaterThan(0))
    expect(log.lines.at(-1)).toContain('history is back')
  })

  test('a server that is full refuses history, and history refuses nobody', async () => {
    const own = await startRedis()
    ends.push(() => own.remove())
    const on = await inRedis(keepLog(), own.url)
    await own.cli('CONFIG', 'SET', 'maxmemory', '1')
    expect(await on.challenged(addressIn(), NOW)).toEqual(STRANGER)
  })
})

/** By the simulated clock; Redis has its own, and the time that it keeps a bucket for is the counters' test. */
describe('history in memory', () => {
  let on: History
  beforeAll(async () => {
    on = await inMemory()
  })

  // Who asked for 45 challenges, waited two minutes and asked again, had 165 at the price of the first: 187 CPU seconds for
  // a thousand tokens of one address, where one who solved them at once paid 2,400.
  test('remembers who asks for more than an ordinary rate, though nothing is solved', async () => {
    const [few, many] = [addressIn(), addressIn()]
    const challenges = async (one: string, by: number) =>
      (await on.challenged(one, unixSeconds(NOW + by))).address.challenges
    for (let i = 0; i < 4; i++) await on.challenged(few, NOW)
    for (let i = 0; i < 5; i++) await on.challenged(many, NOW)
    expect([await challenges(few, 121), await challenges(many, 121)]).toEqual([1, 6])
  })

  test('remembers a network where many ask, though nothing is solved', async () => {
    const [quiet, busy] = [addressIn(), addressIn()]
    for (let i = 0; i < 10; i++) for (const one of [quiet, busy]) await on.challenged(addressIn(networkOf(one)), NOW)
    for (let i = 0; i < 10; i++) await on.challenged(addressIn(networkOf(quiet)), NOW)
    for (let i = 0; i < 11; i++) await on.challenged(addressIn(networkOf(busy)), NOW)
    const later = async (one: string) => (await on.challenged(one, unixSeconds(NOW + 121))).network.challenges
    expect([await later(quiet), await later(busy)]).toEqual([1, 22])
  })
})
