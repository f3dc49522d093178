import { readdirSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from '@jest/globals'
import { startLyingRedis } from '../../support/lying-clock/clock.ts'
import { failedSince } from './books.ts'
import { fault } from './fault.ts'
import { sleep, until } from './moments.ts'
import { startRedis } from '../../support/redis.ts'
import { onRedis, onServer, startInstances, startReplica } from './stands.ts'

// Faults in which a store forgets what was spent. A plain ledger accepts it again; ours ends its generation.

fault({
  id: 'restarted empty',
  what: 'Redis is killed and comes back empty',
  doubles: true,
  ci: true,
  stand: onRedis(),
  async strike({ stand: { redis } }) {
    await redis.stop()
    await sleep(500)
    await redis.start()
  },
})

fault({
  id: 'restarted from a snapshot',
  what: 'Redis is killed and comes back from an older RDB',
  doubles: true,
  ci: true,
  stand: onRedis(),
  async strike({ stand: { redis } }) {
    await redis.cli('SAVE')
    await sleep(1500)
    await redis.stop()
    await redis.start()
  },
})

const onWrongClock = onServer(startLyingRedis)

fault({
  id: 'clock ahead',
  what: "Redis' clock is an hour ahead for two seconds",
  doubles: true,
  stand: onWrongClock,
  strike: ({ stand: { redis } }) => redis.blink(3_600_000, 2000),
})

fault({
  id: 'clock behind',
  what: "Redis' clock is an hour behind for two seconds",
  stand: onWrongClock,
  strike: ({ stand: { redis } }) => redis.blink(-3_600_000, 2000),
})

fault({
  id: 'flushed',
  what: 'FLUSHALL',
  freshWithin: 1000,
  doubles: true,
  ci: true,
  stand: onRedis(),
  strike: async ({ stand: { redis } }) => void (await redis.cli('FLUSHALL')),
  holds: ({ books, struckAt }) => expect(failedSince(books, struckAt)).toEqual([]),
})

fault({
  id: 'evicting',
  what: 'an eviction policy is set while running, and memory is full',
  doubles: true,
  stand: onRedis(),
  async strike({ stand: { redis } }) {
    // Only what has an end of life is evicted: our entries, and not the hash that names the generation.
    await redis.cli('CONFIG', 'SET', 'maxmemory-policy', 'volatile-random')
    await redis.cli('CONFIG', 'SET', 'maxmemory', '1')
    await until(
      async () => /evicted_keys:[1-9]\d/.test(String(await redis.cli('INFO', 'stats'))),
      5000,
      'nothing evicted',
    )
    await redis.cli('CONFIG', 'SET', 'maxmemory', '0')
    await redis.cli('CONFIG', 'SET', 'maxmemory-policy', 'noeviction')
  },
})

fault({
  id: 'power lost',
  what: 'power fails with AOF everysec: the last second of the file is gone',
  doubles: true,
  stand: onRedis({ args: ['--appendonly', 'yes', '--appendfsync', 'everysec'] }),
  async strike({ stand: { redis } }) {
    // kill -9 alone loses nothing: the kernel still has the file. A power failure has not.
    const [, folder] = (await redis.cli('CONFIG', 'GET', 'dir')) as [string, string]
    const files = join(folder, 'appendonlydir')
    const file = join(
      files,
      readdirSync(files).find((name) => name.endsWith('.incr.aof'))!,
    )
    const { size } = statSync(file)
    await sleep(1000)
    await redis.stop()
    expect(statSync(file).size).toBeGreaterThan(size)
    truncateSync(file, size)
    await redis.start()
  },
})

fault({
  id: 'two databases',
  what: 'two instances use two databases',
  freshWithin: 1000,
  doubles: true,
  async stand(ledger) {
    const redis = await startRedis()
    const at = (database: number) => ({
      ledger,
      redis: { url: redis.url.replace(/\d$/, String(database)) },
    })
    return { redis, instances: await startInstances([at(0), at(1)]) }
  },
  strike: async () => {},
})

fault({
  id: 'embedded restarted',
  what: 'two processes with embedded ledgers and one keyring; both are killed and start again',
  doubles: true,
  ci: true,
  stand: async (ledger) => ({ instances: await startInstances([{ ledger }, { ledger }]) }),
  async strike({ stand: { instances }, books }) {
    for (const instance of instances) books.expectLoss(instance.url)
    await Promise.all(instances.map((each) => each.kill()))
    await Promise.all(instances.map((each) => each.start()))
  },
})

fault({
  id: 'first replica',
  what: 'the first replica is attached',
  stand: onRedis(),
  async strike({ stand: { redis } }) {
    const replica = await startReplica(redis.port)
    await sleep(1000)
    await replica.remove()
  },
})
