import { expect } from '@jest/globals'
import { Redis } from 'ioredis'
import { isSinceRedis7, type TestRedis } from '../../support/redis.ts'
import { type Answer, between, codes, statuses } from './books.ts'
import { fault } from './fault.ts'
import { startInstance } from './instance.ts'
import { sleep, until } from './moments.ts'
import { onRedis, startInstances } from './stands.ts'

// Faults in which the store is reachable but refuses: full, loading, without permission, of another schema.

/** Microseconds for each key, and it goes on answering LOADING meanwhile. */
const SLOW_TO_LOAD = [
  // Before Redis 7, DEBUG needs no leave.
  ...(isSinceRedis7() ? ['--enable-debug-command', 'yes'] : []),
  ...'--key-load-delay 150 --loading-process-events-interval-bytes 1024'.split(' '),
]

fault({
  id: 'memory full',
  what: 'memory is full, with noeviction',
  stand: onRedis(),
  async strike({ stand: { redis }, books }) {
    await redis.cli('CONFIG', 'SET', 'maxmemory', '1')
    const from = performance.now()
    await sleep(2500)
    // The limiter cannot count, while the ledger may still read: which of the two is blamed depends on the moment.
    expect(statuses(between(books, from, performance.now()))).toEqual(new Set([503]))
    await redis.cli('CONFIG', 'SET', 'maxmemory', '0')
  },
})

fault({
  id: 'memory nearly full',
  what: 'others fill Redis to 97 %, with noeviction',
  stand: onRedis(),
  async strike({ stand: { redis, instances }, books }) {
    const { url } = instances[0]!
    const [held, solved] = [await books.visit(url), await books.visit(url)]
    const used = async () =>
      Number(/used_memory:(\d+)/.exec(String(await redis.cli('INFO', 'memory')))![1])
    const most = (await used()) + 32 * 1024 * 1024
    await redis.cli('CONFIG', 'SET', 'maxmemory', String(most))
    const others = new Redis(redis.url)
    for (let i = 0; (await used()) < most * 0.97; i++)
      await others.set(`others:${i}`, 'x'.repeat(262_144), 'PX', 6000)
    others.disconnect()
    // Polled four times a second.
    await sleep(1000)
    const from = performance.now()
    expect(await books.spend(held!, url)).toMatchObject({ status: 200, body: { success: true } })
    await books.renew(solved!, url)
    expect(await books.spend(solved!, url)).toMatchObject({ status: 200, body: { success: true } })
    await sleep(1000)
    const meanwhile = between(books, from, performance.now())
    expect(statuses(meanwhile.filter(({ operation }) => operation === 'challenge'))).toEqual(
      new Set([503]),
    )
    expect(statuses(meanwhile.filter(({ operation }) => operation === 'siteverify'))).toEqual(
      new Set([200]),
    )
    await until(async () => (await used()) < most * 0.8, 20_000)
    await redis.cli('CONFIG', 'SET', 'maxmemory', '0')
  },
})

fault({
  id: 'embedded full',
  what: 'the embedded ledger has no room left, in one of two processes',
  stand: async (ledger) => ({
    small: await startInstance({ ledger: 'small' }),
    instances: await startInstances([{ ledger }]),
  }),
  async strike({ stand: { small }, books }) {
    // It has room for 100 entries; a visit makes two.
    let refused: Answer | undefined
    for (let i = 0; i < 60 && refused === undefined; i++) {
      const visit = await books.visit(small.url)
      if (visit) await books.spend(visit, small.url)
      refused = books.answers.find(({ url, status }) => url === small.url && status === 503)
    }
    expect(refused).toMatchObject({ code: 'database-unavailable' })
    const inside = books.visits.filter(({ accepted }) => accepted > 0).slice(-20)
    for (const visit of inside) {
      expect(await books.spend(visit, small.url)).toMatchObject({
        status: 200,
        code: 'timeout-or-duplicate',
      })
    }
    expect(small.crashed()).toBe(false)
  },
})

fault({
  id: 'loading',
  what: 'Redis restarts and loads an older RDB for some seconds',
  doubles: true,
  stand: async (ledger) => ({
    ...(await onRedis({ args: SLOW_TO_LOAD })(ledger)),
    loadsFrom: { at: 0 },
  }),
  async strike({ stand: { redis, loadsFrom } }) {
    await redis.cli('DEBUG', 'POPULATE', '20000', 'filling', '20')
    await redis.cli('SAVE')
    await sleep(1500)
    await redis.stop()
    await redis.start()
    loadsFrom.at = performance.now()
    await until(async () => !(await isLoading(redis)), 30_000, 'still loading')
  },
  holds({ stand: { loadsFrom }, books, backAt }) {
    expect(backAt - loadsFrom.at).toBeGreaterThan(1500)
    // Only what was surely over before it had loaded.
    const loading = between(books, loadsFrom.at, backAt - 300)
    expect(codes(loading)).toEqual(new Set(['database-unavailable']))
  },
})

async function isLoading({ port }: TestRedis): Promise<boolean> {
  // Without the client's own wait for a server that is ready.
  const client = new Redis({ port, enableReadyCheck: false, protocol: 2, disableClientInfo: true })
  try {
    return (await client.info('persistence')).includes('loading:1')
  } finally {
    client.disconnect()
  }
}

fault({
  id: 'limiter or ledger denied',
  what: 'the limiter may not write, then the ledger may not, then both are gone',
  ci: true,
  stand: onRedis(),
  async strike({ stand: { redis }, books }) {
    // A store that fails for one of the two: the user loses the right to the keys of this one.
    for (const { keys, code } of [
      { keys: '~{hv}:[^l]*', code: 'rate-limiter-unavailable' },
      { keys: '~{hv}:l*', code: 'database-unavailable' },
    ]) {
      await redis.cli('ACL', 'SETUSER', 'default', 'resetkeys', keys)
      await sleep(100)
      const from = performance.now()
      await sleep(2000)
      // The generation that an instance has heard is good for 1.5 s more, so some challenges are still given.
      const refused = between(books, from, performance.now()).filter(({ status }) => status !== 200)
      expect(refused.length).toBeGreaterThan(10)
      expect(codes(refused)).toEqual(new Set([code]))
      await redis.cli('ACL', 'SETUSER', 'default', 'allkeys')
      await sleep(500)
    }
    await redis.stop()
    await sleep(100)
    const from = performance.now()
    await sleep(2000)
    expect(codes(between(books, from, performance.now()))).toEqual(
      new Set(['database-unavailable']),
    )
    await redis.start()
  },
})

fault({
  id: 'other schema',
  what: 'the schema is another',
  stand: onRedis(),
  async strike({ stand: { redis, instances }, books }) {
    await redis.cli('HSET', '{hv}:gen', 'v', '999')
    for (const { url } of instances)
      await until(
        async () =>
          (await (await fetch(`${url}/health`)).text()).includes('database-schema-outdated'),
        5000,
      )
    const from = performance.now()
    await sleep(1500)
    expect(codes(between(books, from, performance.now()))).toEqual(
      new Set(['database-schema-outdated']),
    )
    for (const { url } of instances) {
      const health = await fetch(`${url}/health`)
      expect(health.status).toBe(503)
      expect(await health.json()).toEqual({
        status: 'unavailable',
        'error-codes': ['database-schema-outdated'],
      })
    }
    await redis.cli('HSET', '{hv}:gen', 'v', '1')
  },
})
