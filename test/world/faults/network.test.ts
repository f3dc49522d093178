import { expect } from '@jest/globals'
import { type Host, namespacesRefused, twoHosts } from '../../support/namespaces.ts'
import { closeLater } from '../../support/close-later.ts'
import { startRedis } from '../../support/redis.ts'
import type { SentinelPlace } from '../../support/sentinel.ts'
import { fault, recover } from './fault.ts'
import type { Ledger } from './instance.ts'
import { sleep, until } from './moments.ts'
import { addSentinels, promoted, replication, startInstances, startReplica } from './stands.ts'

// Faults of the network, between two network namespaces: packets vanish without an error.

const skip = namespacesRefused()

const redisAt = ({ exec, address, reach }: Host) => ({
  exec,
  host: reach,
  args: ['--bind', '0.0.0.0', '--protected-mode', 'no', '--replica-announce-ip', address],
})

/** The primary at one side, the replica at the other; Sentinels and instances as said. */
function onTwoSides(sentinelsAt: readonly ('a' | 'b')[], instancesAt: readonly ('a' | 'b')[]) {
  return async (ledger: Ledger) => {
    const hosts = closeLater(twoHosts(), (it) => it.remove())
    const primary = await startRedis(redisAt(hosts.a))
    const replica = await startReplica(primary.port, { ...redisAt(hosts.b), of: hosts.a.address })
    const { redis } = await addSentinels({
      primary: { host: hosts.a.address, port: primary.port },
      replicas: 1,
      places: sentinelsAt.map((side): SentinelPlace => hosts[side]),
    })
    const places = instancesAt.map((side) => ({
      ledger,
      redis,
      host: hosts[side].reach,
      exec: hosts[side].exec,
    }))
    return { hosts, primary, replica, instances: await startInstances(places) }
  }
}

fault({
  id: 'failover, host lost',
  what: "Sentinel failover after the primary's host lost its link, without a reset",
  skip,
  stand: onTwoSides(['b', 'b', 'b'], ['b', 'b']),
  async strike(run) {
    const { hosts, primary, replica } = run.stand
    hosts.cut()
    await promoted([replica])
    await recover(run)
    hosts.heal()
    await until(
      async () => (await replication(primary)).includes('role:slave'),
      30_000,
      'two primaries',
    )
  },
})

fault({
  id: 'partition',
  what: 'a partition of 15 s, an instance and a primary on each side',
  doubles: true,
  ci: 'ours',
  skip,
  stand: onTwoSides(['a', 'b', 'b'], ['a', 'b']),
  async strike({ stand: { hosts, primary, replica }, load }) {
    const healsAt = performance.now() + 15_000
    hosts.cut()
    await promoted([replica])
    // Both sides have a primary now, and every token that was held is spent at both.
    expect(await replication(primary)).toMatch('role:master')
    await load.releaseHoard()
    await load.replayAll()
    await sleep(healsAt - performance.now())
    hosts.heal()
    await until(
      async () => (await replication(primary)).includes('role:slave'),
      30_000,
      'two primaries',
    )
  },
})

const NAME = 'redis.fault.internal'

fault({
  id: 'unresolved name',
  what: 'the name of Redis is not resolved for 4 s, with all connections lost',
  skip,
  async stand(ledger) {
    const hosts = closeLater(twoHosts(), (it) => it.remove())
    const redis = await startRedis(redisAt(hosts.a))
    hosts.a.names([`127.0.0.1 ${NAME}`])
    const at = { host: hosts.a.reach, exec: hosts.a.exec }
    const place = { ...at, ledger, redis: { url: `redis://${NAME}:${redis.port}/0` } }
    return { hosts, redis, instances: await startInstances([place, place]) }
  },
  async strike({ stand: { hosts, redis }, books }) {
    hosts.a.names([])
    await redis.cli('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
    await sleep(2500)
    const lastSecond = performance.now()
    await sleep(1500)
    const statuses = books.answers.filter(({ at }) => at > lastSecond).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([503]))
    hosts.a.names([`127.0.0.1 ${NAME}`])
  },
})
