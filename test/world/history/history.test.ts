/** What is remembered of solves: one promise, kept in memory and in a real Redis. */
import { describe, expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { networkOf } from '../../../src/domain/address-mark.ts'
import { NO_WORK_DONE } from '../../../src/domain/work-done.ts'
import { type Action, type Sitekey, unixSeconds } from '../../../src/domain/words.ts'
import { memoryCounters, redisCounters } from '../../../src/store/counters.ts'
import { history } from '../../../src/store/history.ts'
import { type RedisConnection, redisConnection } from '../../../src/store/redis.ts'
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

/** An address mark: the network, then the address. */
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
    const { address, network } = await on.solved(one, solve(), NOW)
    expect([address, network]).toEqual([{ visits: 2, parts: 1 }, { visits: 2, parts: 1 }]) // prettier-ignore
    expect(await on.near(one, NOW)).toEqual({ address, network })
    expect(await on.near(neighbour, NOW)).toEqual({ address: { visits: 0, parts: 0 }, network })
    expect(await on.near(addressIn(), NOW)).toEqual(NO_WORK_DONE)
    // Whose parts are too many already adds no more of them to those of its neighbours.
    for (let i = 0; i < 40; i++) await on.solved(neighbour, solve({ partOf: 18_432 }), NOW)
    expect((await on.near(one, NOW)).network).toEqual({ visits: 42, parts: 17 })
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
      expect(await on.solved(one, solve({ siteAction: there, units, partOf: units }), NOW)).toEqual(
        {
          address: done,
          network: done,
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
