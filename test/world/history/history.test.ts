/** What is remembered of solves: one promise, kept in memory and in a real Redis. */
import { describe, expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { networkOf } from '../../../src/domain/address-hash.ts'
import { NO_WORK_DONE } from '../../../src/domain/work-done.ts'
import { type Action, type Sitekey, unixSeconds } from '../../../src/domain/words.ts'
import { memoryCounters, redisCounters } from '../../../src/store/history/counters.ts'
import { history } from '../../../src/store/history/history.ts'
import { type RedisConnection, redisConnection } from '../../../src/store/redis/redis-connection.ts'
import type { History } from '../../../src/domain/ports.ts'
import { closeLater } from '../../support/close-later.ts'
import { eventually, keepLog, random } from '../../support/ledger-contract.ts'
import { startRedis } from '../../support/redis.ts'

const redis = await startRedis()

/** The middle of a bucket. */
const NOW = unixSeconds(1_800_000_300)
const later = (by: number) => unixSeconds(NOW + by)
const newSiteAction = () => ({ sitekey: `hv_site_${random.id()}` as Sitekey, action: undefined })
const siteAction = newSiteAction()

async function newLink(url = redis.url, partitions = 1): Promise<RedisConnection> {
  const made = redisConnection({ url, keyPrefix: 'hv' }, { log: keepLog(), partitions })
  const link = closeLater(made, (it) => it.close())
  await eventually(() => expect(link.client.status).toBe('ready'))
  return link
}
const inRedis = async (log = keepLog(), url = redis.url, partitions = 1): Promise<History> =>
  history(redisCounters(await newLink(url, partitions)), log)

/** An address hash: the network, then the address. */
const addressIn = (network = `4g${random.id().slice(0, 8)}`): string =>
  network + random.id().slice(0, 14)
const solve = (change: Partial<Parameters<History['solved']>[1]> = {}) => ({
  siteAction,
  units: 18_432,
  partOf: 0,
  ...change,
})

describe.each([
  { name: 'memory', on: history(memoryCounters(), keepLog()) },
  { name: 'Redis', on: await inRedis() },
  { name: 'Redis in four partitions', on: await inRedis(keepLog(), redis.url, 4) },
])('history in $name', ({ on }) => {
  test('knows what was solved at an address and in its network, and nobody else', async () => {
    const one = addressIn()
    const neighbour = addressIn(networkOf(one))
    await on.solved(one, solve({ partOf: 18_432 }), NOW)
    const { address, subnet, network } = await on.solved(one, solve(), NOW)
    // An ordinary rate does not count for the network.
    expect([address, network]).toEqual([{ visits: 2, parts: 1 }, { visits: 0, parts: 1 }]) // prettier-ignore
    expect(subnet).toEqual(address)
    expect(await on.near(one, NOW)).toEqual({ address, subnet, network })
    const nothing = { visits: 0, parts: 0 }
    expect(await on.near(neighbour, NOW)).toEqual({ address: nothing, subnet: nothing, network })
    expect(await on.near(addressIn(), NOW)).toEqual(NO_WORK_DONE)
    // Whose parts are too many already adds no more of them to those of its neighbours.
    for (let i = 0; i < 40; i++) await on.solved(neighbour, solve({ partOf: 18_432 }), NOW)
    expect((await on.near(one, NOW)).network).toEqual({ visits: 7, parts: 17 })
  })

  test.each([
    { who: 'an address of a /24', family: '4g', visits: 50 },
    { who: 'a /56, from whichever of its networks,', family: '6g', visits: 50 },
  ])('$who counts for its network from the fourth visit on, as seven at most', async (row) => {
    const [network, home] = [`${row.family}${random.id().slice(0, 8)}`, random.id().slice(0, 4)]
    const own = home + random.id().slice(0, 10)
    const within = (): string =>
      network + (row.family === '4g' ? own : home + random.id().slice(0, 10))
    const seen: number[] = []
    for (let i = 0; i < row.visits; i++)
      seen.push((await on.solved(within(), solve(), NOW)).network.visits)
    expect(seen.slice(0, 11)).toEqual([0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 7])
    expect(seen.at(-1)).toBe(7)
    expect((await on.near(within(), NOW)).subnet.visits).toBe(row.visits)
    // The next bucket begins anew, and the last one fades.
    expect((await on.solved(within(), solve(), later(300))).network.visits).toBe(7)
    expect((await on.near(within(), later(600))).network.visits).toBe(3.5)
  })

  test('parts of one /56 are too many there, and add no more than those of an address to its network', async () => {
    const network = `6g${random.id().slice(0, 8)}`
    const home = random.id().slice(0, 4)
    const within = () => network + home + random.id().slice(0, 10)
    for (let i = 0; i < 80; i++) await on.solved(within(), solve({ partOf: 18_432 }), NOW)
    const { subnet } = await on.near(within(), NOW)
    expect(subnet.parts).toBe(80)
    expect((await on.near(addressIn(network), NOW)).network.parts).toBe(16)
  })

  test('a network rises when many of its customers are busy', async () => {
    const network = `4g${random.id().slice(0, 8)}`
    const addresses = Array.from({ length: 40 }, () => addressIn(network))
    for (let i = 0; i < 6; i++) for (const each of addresses) await on.solved(each, solve(), NOW)
    expect((await on.near(addressIn(network), NOW)).network.visits).toBe(40 * 3)
  })

  test('counts nothing by being asked', async () => {
    const one = addressIn()
    for (let i = 0; i < 50; i++) expect(await on.near(one, NOW)).toEqual(NO_WORK_DONE)
  })

  test('of strangers without an address knows nothing, however many', async () => {
    for (let i = 0; i < 5; i++)
      expect(await on.solved(undefined, solve(), NOW)).toEqual(NO_WORK_DONE)
    expect(await on.near(undefined, NOW)).toEqual(NO_WORK_DONE)
  })

  test.each([
    { does: 'the least work', units: 1536, visits: 1 / 12 },
    { does: 'half of the ordinary work', units: 9216, visits: 0.5 },
    { does: 'the most work', units: 589_824, visits: 1 },
  ])(
    'counts a visit that does $does as $visits, here, around and at its site',
    async ({ units, visits }) => {
      const one = addressIn()
      const there = newSiteAction()
      const done = { visits, parts: visits }
      const around = { visits: 0, parts: visits }
      expect(await on.solved(one, solve({ siteAction: there, units, partOf: units }), NOW)).toEqual(
        {
          address: done,
          subnet: done,
          network: around,
        },
      )
      expect(on.load(there, NOW).recent).toBe(visits)
    },
  )

  test('forgets within 20 minutes', async () => {
    const one = addressIn()
    for (let i = 0; i < 11; i++) await on.solved(one, solve(), NOW)
    const solvesAt = async (by: number) => (await on.near(one, later(by))).address.visits
    // 300 s later a new bucket begins; 300 s after that, half of the eleven are left.
    expect([
      await solvesAt(299),
      await solvesAt(300),
      await solvesAt(600),
      await solvesAt(900),
    ]).toEqual([11, 11, 5.5, 0])
  })

  test('loses nothing among many at once', async () => {
    const one = addressIn()
    await Promise.all(Array.from({ length: 200 }, () => on.solved(one, solve(), NOW)))
    expect((await on.near(one, NOW)).address.visits).toBe(200)
  })
})

describe('in Redis', () => {
  // Two versions run side by side during an upgrade.
  test('no key is other than docs/operate/privacy.md lists, and each ends with the bucket after its own', async () => {
    await redis.cli('FLUSHALL')
    const on = await inRedis()
    await on.solved(
      addressIn(),
      solve({ partOf: 18_432, siteAction: { ...siteAction, action: 'log-in' as Action } }),
      NOW,
    )
    await on.solved(addressIn(`6g${random.id().slice(0, 8)}`), solve(), NOW)
    const keys = (await redis.cli('KEYS', '*')) as string[]
    const rows = readFileSync('docs/operate/privacy.md', 'utf8').matchAll(/`(h:[^`]+)` \|$/gm)
    const shapes = [...rows].map(
      ([, key]) => new RegExp(`^\\{hv\\}:${key!.replaceAll(/[A-Z]+/g, '[\\w/-]+')}$`),
    )
    expect(keys.filter((key) => !shapes.some((shape) => shape.test(key)))).toEqual([])
    for (const shape of shapes) expect(keys.some((key) => shape.test(key))).toBe(true)
    for (const key of keys) {
      const life = key.startsWith('{hv}:h:d:') ? (Math.floor(NOW / 86_400) + 2) * 86_400 - NOW : 900
      const left = Number(await redis.cli('TTL', key))
      expect(left).toBeGreaterThan(life - 20)
      expect(left).toBeLessThanOrEqual(life)
    }
  })

  test('gone, hung and back: nothing is known meanwhile, within a second, and it is said once', async () => {
    const own = await startRedis()
    const log = keepLog()
    const on = await inRedis(log, own.url)
    const address = addressIn()
    const solving = async () => {
      const started = performance.now()
      const known = await on.solved(address, solve(), NOW)
      return { known, ms: performance.now() - started }
    }
    expect((await solving()).known.address.visits).toBe(1)
    own.pause()
    const hung = await solving()
    own.resume()
    expect(hung.known).toEqual(NO_WORK_DONE)
    expect(hung.ms).toBeLessThan(1000)
    await own.stop()
    expect(await on.near(address, NOW)).toEqual(NO_WORK_DONE)
    expect(log.lines.filter((line) => line.includes('history is unreachable'))).toHaveLength(1)
    await own.start()
    await eventually(async () => expect((await solving()).known.address.visits).toBeGreaterThan(0))
    expect(log.lines.at(-1)).toContain('history is back')
  })

  test('a server that is full refuses history, and history refuses nobody', async () => {
    const own = await startRedis()
    const on = await inRedis(keepLog(), own.url)
    await own.cli('CONFIG', 'SET', 'maxmemory', '1')
    expect(await on.solved(addressIn(), solve(), NOW)).toEqual(NO_WORK_DONE)
  })
})
