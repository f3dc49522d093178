/** Wrong clocks where servers change: on a replica that is promoted, in a Cluster, while a slot moves, and while instances start. */
import { describe, expect, test } from '@jest/globals'
import { unixSeconds } from '../../../src/domain/words.ts'
import type { Consumable, Ledger } from '../../../src/domain/ports.ts'
import type { RedisPlace } from '../../../src/store/redis/redis-client.ts'
import { CLUSTER_ARGS, formCluster } from '../../support/cluster.ts'
import { acceptedAgain, openLedger } from '../../support/ledger-on-redis.ts'
import { anyJti, entry, eventually, now } from '../../support/ledger-contract.ts'
import { startLyingRedis } from '../../support/lying-clock/clock.ts'

const HOUR = 3_600_000

async function instance(place: Partial<RedisPlace>): Promise<Ledger> {
  const { ledger } = openLedger(place)
  await eventually(() => ledger.generation(anyJti), 10_000)
  return ledger
}

async function spend(ledger: Ledger): Promise<readonly Consumable[]> {
  const tokens = Array.from({ length: 40 }, () => entry(ledger.generation(anyJti)))
  for (const token of tokens) expect(await ledger.consume(token)).toBe('first')
  return tokens
}

const freshWorks = (ledger: Ledger): Promise<void> =>
  eventually(
    async () => expect(await ledger.consume(entry(ledger.generation(anyJti)))).toBe('first'),
    3000,
  )

describe('a clock that is an hour ahead accepts nothing twice', () => {
  test('while instances start, each of which removes what it takes for over', async () => {
    const redis = await startLyingRedis()
    const one = await instance({ url: redis.url })
    const tokens = await spend(one)
    const buckets = async () => ((await redis.cli('KEYS', '{hv}:t:*')) as string[]).length
    expect(await buckets()).toBeGreaterThan(0)
    redis.shift(HOUR)
    const other = await instance({ url: redis.url })
    await eventually(async () => expect(await buckets()).toBe(0))
    expect(await acceptedAgain(other, tokens)).toBe(0)
    redis.shift(0)
    for (const ledger of [one, other]) expect(await acceptedAgain(ledger, tokens)).toBe(0)
    for (const ledger of [one, other]) await freshWorks(ledger)
  })

  test('on a replica that is promoted', async () => {
    const primary = await startLyingRedis()
    const tokens = await spend(await instance({ url: primary.url }))
    const args = [
      '--replicaof',
      '127.0.0.1',
      String(primary.port),
      '--repl-diskless-sync-delay',
      '0',
    ]
    const replica = await startLyingRedis(args)
    const copied = async () =>
      expect(String(await replica.cli('INFO', 'replication'))).toContain('master_link_status:up')
    await eventually(copied, 20_000)
    replica.shift(HOUR)
    await replica.cli('REPLICAOF', 'NO', 'ONE')
    const ledger = await instance({ url: replica.url })
    expect(await acceptedAgain(ledger, tokens)).toBe(0)
    replica.shift(0)
    expect(await acceptedAgain(ledger, tokens)).toBe(0)
    await freshWorks(ledger)
    // The former primary still has its own history, in which all of them are also spent.
    expect(await acceptedAgain(await instance({ url: primary.url }), tokens)).toBe(0)
  })

  test("on a Cluster's one primary", async () => {
    const node = await startLyingRedis(CLUSTER_ARGS)
    await formCluster([node])
    const ledger = await instance({ cluster: [{ host: '127.0.0.1', port: node.port }] })
    const tokens = await spend(ledger)
    await node.blink(HOUR, 500)
    expect(await acceptedAgain(ledger, tokens)).toBe(0)
    await freshWorks(ledger)
  })

  test('while a slot of a Cluster moves, key by key', async () => {
    const [from, to] = await Promise.all([
      startLyingRedis(CLUSTER_ARGS),
      startLyingRedis(CLUSTER_ARGS),
    ])
    await formCluster([from, to], undefined, 1)
    const ledger = await instance({
      cluster: [from, to].map(({ port }) => ({ host: '127.0.0.1', port })),
    })
    const tokens = await spend(ledger)

    const slot = String(await from.cli('CLUSTER', 'KEYSLOT', '{hv}:gen'))
    const [fromId, toId] = [
      String(await from.cli('CLUSTER', 'MYID')),
      String(await to.cli('CLUSTER', 'MYID')),
    ]
    await to.cli('CLUSTER', 'SETSLOT', slot, 'IMPORTING', fromId)
    await from.cli('CLUSTER', 'SETSLOT', slot, 'MIGRATING', toId)
    const keys = (await from.cli('CLUSTER', 'GETKEYSINSLOT', slot, '1000')) as string[]
    expect(keys.length).toBeGreaterThan(1)
    let twice = 0
    for (const key of keys.toSorted().toReversed()) {
      twice += await acceptedAgain(ledger, tokens)
      await Promise.all([from.blink(HOUR, 120), to.blink(HOUR, 120)])
      await from.cli('MIGRATE', '127.0.0.1', String(to.port), key, '0', '1000')
      twice += await acceptedAgain(ledger, tokens)
    }
    for (const node of [to, from]) await node.cli('CLUSTER', 'SETSLOT', slot, 'NODE', toId)
    await freshWorks(ledger)
    twice += await acceptedAgain(ledger, tokens)
    expect(twice).toBe(0)
  })
})

test('buckets that are evicted one by one, by a server that must not, accept nothing twice', async () => {
  const redis = await startLyingRedis()
  const ledger = await instance({ url: redis.url })
  const lives = Array.from({ length: 20 }, (_, i) => i * 10)
  const tokens = lives.map((life) =>
    entry(ledger.generation(anyJti), { keepUntil: unixSeconds(now() + 240 + life) }),
  )
  for (const token of tokens) expect(await ledger.consume(token)).toBe('first')
  const generation = ledger.generation(anyJti)
  // An instance asks about the policy when it connects, so this goes by unseen.
  await redis.cli('CONFIG', 'SET', 'maxmemory-policy', 'volatile-random')
  for (const limit of ['1', '0', '1', '0']) await redis.cli('CONFIG', 'SET', 'maxmemory', limit)
  await redis.cli('CONFIG', 'SET', 'maxmemory-policy', 'noeviction')
  expect(String(await redis.cli('INFO', 'stats'))).toMatch(/evicted_keys:[1-9]/)
  await redis.cli('CONFIG', 'RESETSTAT')
  expect(await acceptedAgain(ledger, tokens)).toBe(0)
  await freshWorks(ledger)
  expect(ledger.generation(anyJti)).not.toBe(generation)
})
