import { startRedis, type RedisOptions, type TestRedis } from '../support/redis.ts'
import { fault, type Stand, type Undo } from './fault.ts'
import { type Ledger, startInstance } from './instance.ts'
import { sleep } from './moments.ts'

// Faults in which a store forgets what was spent. A plain ledger accepts it again; ours ends its generation.

interface OneRedis extends Stand {
  readonly redis: TestRedis
}

const onRedis =
  (options: RedisOptions = {}) =>
  async (ledger: Ledger, undo: Undo): Promise<OneRedis> => {
    const redis = await startRedis(options)
    undo.push(() => redis.remove())
    const place = { redis: { url: redis.url } }
    const instances = await Promise.all([startInstance({ ledger, ...place }), startInstance({ ledger, ...place })])
    undo.push(() => Promise.all(instances.map((each) => each.remove())))
    return { redis, instances }
  }

fault({
  id: 'F3',
  what: 'FLUSHALL',
  freshWithin: 1000,
  doubles: true,
  ci: true,
  stand: onRedis(),
  strike: async ({ stand }) => void (await stand.redis.cli('FLUSHALL')),
})

fault({
  id: 'F1',
  what: 'Redis is killed and comes back empty',
  freshWithin: 3000,
  doubles: true,
  ci: true,
  stand: onRedis(),
  async strike({ stand }) {
    await stand.redis.stop()
    await sleep(500)
    await stand.redis.start()
  },
})
