import { readFileSync, writeFileSync } from 'node:fs'
import { expect } from '@jest/globals'
import { startHaproxy } from '../../support/proxies.ts'
import { openLedger } from '../../support/ledger-on-redis.ts'
import { failedSince } from './books.ts'
import { fault, type Run, type Stand } from './fault.ts'
import { CONFIG, type Ledger, startInstance } from './instance.ts'
import { sleep, until } from './moments.ts'
import { onRedis, onSentinels } from './stands.ts'

// Faults of the instances themselves, and of their connections.

/** Every visitor who solved a challenge was accepted, once; none was refused. */
function nobodyRefused<S extends Stand>({ books, struckAt }: Run<S>): void {
  expect(failedSince(books, struckAt)).toEqual([])
  expect(books.visits.map(({ accepted }) => accepted).filter((times) => times !== 1)).toEqual([])
}

/** Two instances on one Redis, behind a real haproxy. */
async function behindProxy(ledger: Ledger) {
  const { instances } = await onRedis()(ledger)
  const proxy = await startHaproxy(instances.map(({ url }) => url))
  const asks = async () => (await fetch(`${proxy.url}/health`)).status === 200
  await until(asks, 10_000, 'the proxy found no instance')
  return { instances, urls: [proxy.url] }
}

fault({
  id: 'rolling upgrade',
  what: 'a rolling upgrade: one instance after the other ends and another takes its place',
  stand: behindProxy,
  async strike({ stand: { instances } }) {
    for (const instance of instances) {
      expect(await instance.stop()).toBe(0)
      await instance.start()
      // The balancer asks every second whether it is there again.
      await sleep(2500)
    }
  },
  holds: nobodyRefused,
})

fault({
  id: 'instance killed',
  what: 'an instance behind the proxy is killed',
  stand: behindProxy,
  async strike({ stand: { instances, urls }, books }) {
    for (const url of urls) books.expectLoss(url)
    await instances[0]!.kill()
    await sleep(4000)
  },
  holds({ books, struckAt }) {
    // What was in flight there is lost; from then on the other one answers.
    const lost = books.answers.filter(
      ({ at, status }) => at > struckAt && (status === 0 || status === 502),
    )
    expect(lost.length).toBeLessThanOrEqual(8)
    expect(lost.filter(({ at }) => at > struckAt + 1000)).toEqual([])
  },
})

fault({
  id: 'drain',
  what: 'an instance behind the proxy gets SIGTERM',
  ci: true,
  load: { pauseMs: 50 },
  stand: behindProxy,
  async strike({ stand: { instances } }) {
    expect(await instances[0]!.stop()).toBe(0)
    await sleep(3000)
  },
  holds: nobodyRefused,
})

fault({
  id: 'bad reload',
  what: 'a bad configuration is reloaded, and one is started with it',
  stand: onRedis(),
  async strike({ stand: { instances } }) {
    const service = instances[0]!.process()
    const good = readFileSync(service.configFile, 'utf8')
    const change = { sites: [{ ...CONFIG.sites[0], score_threshold: 50 }] }
    writeFileSync(service.configFile, JSON.stringify({ ...CONFIG, ...change }))
    service.signal('SIGHUP')
    await service.line('sites not reloaded; the old ones stay in force')
    await sleep(2000)
    await expect(startInstance({ ledger: 'product', change })).rejects.toThrow(/score_threshold/)
    writeFileSync(service.configFile, good)
    await service.line('sites reloaded')
  },
  holds: nobodyRefused,
})

fault({
  id: 'many failovers',
  what: '40 failovers, with 12 clients',
  timeoutMs: 400_000,
  load: { users: 1, replayers: 1, pauseMs: 400 },
  async stand(ledger) {
    const watched = await onSentinels()(ledger)
    // Ten more beside the two instances, in this process.
    const nodes = watched.sentinels.nodes.map((node) => ({
      host: '127.0.0.1',
      port: Number(node.split(':')[1]),
    }))
    const others = Array.from({ length: 10 }, () => openLedger({ sentinel: { name: 'hv', nodes } }))
    return { ...watched, others: others.map((each) => each.ledger) }
  },
  async strike({ stand: { sentinels, others } }) {
    for (let done = 0; done < 40; done++) {
      const before = await sentinels.primaryPort()
      // Refused while the last one is being finished, or while no replica is good enough.
      await until(() => succeeds(sentinels.failover()), 20_000, 'no failover')
      await until(
        async () => (await sentinels.primaryPort()) !== before,
        20_000,
        'nobody took over',
      )
    }
    await Promise.all(
      others.map((other) => until(() => succeeds(other.probe()), 3000, 'a client stays dead')),
    )
  },
})

const succeeds = (call: Promise<void>): Promise<boolean> =>
  call.then(
    () => true,
    () => false,
  )
