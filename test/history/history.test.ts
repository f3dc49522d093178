/** What is made of the counts: the port History, over memory and over a real Redis. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { networkOf } from '../../src/domain/address.ts'
import { NOTHING, STRANGER } from '../../src/domain/history.ts'
import { SLOW_PHONE } from '../../src/domain/human-cost.ts'
import { type Action, type Jti, type Sitekey, unixSeconds } from '../../src/domain/words.ts'
import { history } from '../../src/history/history.ts'
import { KEPT } from '../../src/history/kept.ts'
import { memoryCounters } from '../../src/history/memory.ts'
import { redisCounters } from '../../src/history/redis.ts'
import { type RedisLink, redisLink } from '../../src/ledger/redis-link.ts'
import type { History } from '../../src/ports.ts'
import { eventually, keepLog, newJti, random } from '../ledger/contract.ts'
import { startRedis, type TestRedis } from '../support/redis.ts'

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

async function newLink(url = redis.url): Promise<RedisLink> {
  const where = { url, cluster: undefined, sentinel: undefined, keyPrefix: 'hv' }
  const link = redisLink(where, { log: keepLog() })
  ends.push(() => link.close())
  await eventually(() => expect(link.client().status).toBe('ready'))
  return link
}
function opened(of: History): History {
  ends.unshift(() => of.close())
  return of
}
const inRedis = async (log = keepLog(), url = redis.url): Promise<History> =>
  opened(history(redisCounters(await newLink(url)), { clock, log, everyMs: 10 }))
const inMemory = async (): Promise<History> => opened(history(memoryCounters(), { clock, log: keepLog(), everyMs: 10 }))

/** An address mark: the network, then the address. */
const addressIn = (network = random.id().slice(0, 8)): string => network + random.id().slice(0, 14)
const behaviour = () => ({ exact: random.id().slice(0, 8), alike: [random.id().slice(0, 8), random.id().slice(0, 8)] })
const solve = (change: { jti?: Jti; shown?: ReturnType<typeof behaviour> } = {}) => ({
  jti: change.jti ?? newJti(),
  place,
  behaviour: change.shown ?? behaviour(),
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

  test('of strangers without an address knows nothing, however many', async () => {
    for (let i = 0; i < 5; i++) await on.challenged(undefined, NOW)
    expect(await on.challenged(undefined, NOW)).toEqual(STRANGER)
    expect(await on.solved(undefined, solve(), NOW)).toMatchObject({ ...STRANGER, first: true, again: 0 })
  })

  test('counts the earlier solves with the same behaviour, of the network and no other', async () => {
    const [one, other, shown] = [addressIn(), addressIn(), behaviour()]
    const seen: number[] = []
    for (let i = 0; i < 4; i++) seen.push((await on.solved(addressIn(networkOf(one)), solve({ shown }), NOW)).again)
    expect(seen).toEqual([0, 1, 2, 3])
    expect((await on.solved(other, solve({ shown }), NOW)).again).toBe(0)
    expect((await on.solved(one, solve(), NOW)).again).toBe(0)
  })

  test('takes the better of the two grids for what is almost the same', async () => {
    const [one, first] = [addressIn(), behaviour()]
    await on.solved(one, solve({ shown: first }), NOW)
    const near = { ...behaviour(), alike: [behaviour().exact, first.alike[1]!] }
    expect(await on.solved(one, solve({ shown: near }), NOW)).toMatchObject({ again: 0, alike: 1 })
  })

  test('counts a challenge once, however often its solution is sent again', async () => {
    const [one, jti, shown] = [addressIn(), newJti(), behaviour()]
    expect(await on.solved(one, solve({ jti, shown }), NOW)).toMatchObject({ first: true, again: 0 })
    for (let i = 0; i < 3; i++) {
      const known = await on.solved(one, solve({ jti, shown }), NOW)
      expect(known).toMatchObject({ first: false, again: 0, address: { ...NOTHING, solves: 1 } })
    }
  })

  test('is told afterwards what became of a visit', async () => {
    const one = addressIn()
    for (const what of ['verified', 'failed', 'low', 'low'] as const) on.note({ place, address: one, what })
    on.note({ place, address: one, what: 'solved', unfinished: 0.25 })
    await eventually(async () => {
      const { address, network } = await on.challenged(one, NOW)
      expect(address).toMatchObject({ verified: 1, failed: 1, low: 2, unfinished: 0.25, solves: 0 })
      expect(network).toEqual(address)
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
    expect((await later(300)).again).toBeCloseTo(10, 1)
    expect((await later(600)).again).toBeCloseTo(6, 1)
    expect((await later(1500)).again).toBeCloseTo(0, 1)
    inTime.now = NOW
  })

  test('knows how busy a place is, apart from others', async () => {
    const busy = { sitekey: `hv_site_${random.id()}` as Sitekey, action: 'log-in' as Action }
    for (let i = 0; i < 30; i++) on.note({ place: busy, what: 'challenged' })
    await eventually(() => expect(on.load(busy, NOW).recent).toBe(30))
    await eventually(() => expect(on.load(busy, NOW).usual).toBeCloseTo((30 * 600) / 86_400))
    expect(on.load({ ...busy, action: undefined }, NOW)).toEqual({ recent: 0, usual: 0, unitCost: SLOW_PHONE })
    expect(on.load(busy, unixSeconds(NOW + 1200)).recent).toBe(0)
  })

  test('knows how long the work takes a site’s visitors', async () => {
    const slow = { sitekey: `hv_site_${random.id()}` as Sitekey, action: undefined }
    for (let i = 0; i < 500; i++) on.note({ place: slow, what: 'solved', costBin: 13 })
    await eventually(() => expect(on.load(slow, NOW).unitCost).toBeGreaterThan(SLOW_PHONE * 1.5))
  })

  test('sees a behaviour that comes through many networks, a moment later', async () => {
    const shown = behaviour()
    for (let i = 0; i < 15; i++) {
      const known = await on.solved(addressIn(), solve({ shown }), NOW)
      expect(known.again).toBe(0)
      on.note({ place, what: 'solved', behaviour: shown.exact })
    }
    await eventually(async () => expect((await on.solved(addressIn(), solve({ shown }), NOW)).everywhere).toBe(15))
    const elsewhere = { sitekey: 'hv_site_another0' as Sitekey, action: undefined }
    const known = await on.solved(addressIn(), { ...solve({ shown }), place: elsewhere }, NOW)
    expect(known.everywhere).toBe(0)
  })
})

describe('in Redis', () => {
  test('two instances know the same', async () => {
    const [one, two] = [await inRedis(), await inRedis()]
    const [address, shown] = [addressIn(), behaviour()]
    await one.solved(address, solve({ shown }), NOW)
    expect(await two.solved(address, solve({ shown }), NOW)).toMatchObject({ again: 1, address: { solves: 2 } })
    one.note({ place, address, what: 'verified' })
    await eventually(async () => expect((await two.challenged(address, NOW)).address.verified).toBe(1))
  })

  test('no key is other than history/kept.ts says, and each has an end', async () => {
    const on = await inRedis()
    const listed = { ...place, action: 'log-in' as Action }
    await on.challenged(addressIn(), NOW)
    await on.solved(addressIn(), solve(), NOW)
    on.note({ place: listed, address: addressIn(), what: 'solved', behaviour: behaviour().exact, costBin: 3 })
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
    expect(hung.known).toMatchObject({ ...STRANGER, first: true, again: 0, alike: 0 })
    expect(hung.ms).toBeLessThan(700)
    await own.stop()
    expect(await on.challenged(address, NOW)).toEqual(STRANGER)
    on.note({ place, address, what: 'failed' })
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(log.lines.filter((line) => line.includes('history cannot be asked'))).toHaveLength(1)
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
