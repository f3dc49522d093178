import { expect } from '@jest/globals'
import { startCluster } from '../../support/cluster.ts'
import { fault, recover } from './fault.ts'
import type { Ledger } from './instance.ts'
import { sleep, until } from './moments.ts'
import { startRedis } from '../../support/redis.ts'
import { startTcpProxy } from '../../support/tcp-proxy.ts'
import {
  addSentinels,
  onSentinels,
  promoted,
  replication,
  startInstances,
  startReplica,
} from './stands.ts'

// Faults in which another server takes over. What it had not yet heard of, a plain ledger accepts again.

fault({
  id: 'failover, killed',
  what: 'Sentinel failover after kill -9',
  stand: onSentinels(),
  async strike({ stand: { primary, replicas } }) {
    await primary.stop()
    await promoted(replicas)
  },
})

fault({
  id: 'failover, behind',
  what: 'Sentinel failover to a replica that was 1.5 s behind',
  doubles: true,
  ci: true,
  async stand(ledger) {
    const primary = await startRedis()
    const wire = await startTcpProxy(primary.port)
    const replica = await startReplica(wire.port)
    // So long that nobody sets right meanwhile that the replica follows the wire and not the primary itself.
    const failoverTimeoutMs = 60_000
    const at = { host: '127.0.0.1', port: primary.port }
    const { redis } = await addSentinels({ primary: at, replicas: 1, failoverTimeoutMs })
    wire.delay(1500)
    const place = { ledger, redis }
    return { primary, replicas: [replica], instances: await startInstances([place, place]) }
  },
  async strike({ stand: { primary, replicas } }) {
    await sleep(1500)
    await primary.stop()
    await promoted(replicas)
  },
})

fault({
  id: 'primary paused',
  what: 'the primary hangs 10 s, is replaced, and wakes up',
  stand: onSentinels(),
  async strike(run) {
    const { primary, replicas } = run.stand
    const wakesAt = performance.now() + 10_000
    primary.pause()
    await promoted(replicas)
    await recover(run)
    await sleep(wakesAt - performance.now())
    primary.resume()
    await run.load.releaseHoard()
    await until(
      async () => (await replication(primary)).includes('role:slave'),
      30_000,
      'two primaries',
    )
  },
})

fault({
  id: 'Sentinels down',
  what: 'all Sentinels are down, the primary lives',
  stand: onSentinels(),
  async strike({ stand: { sentinels } }) {
    await sentinels.stop()
    await sleep(4000)
  },
  holds({ load, struckAt }) {
    const since = load.genuine.filter(({ at }) => at > struckAt)
    expect(since.length).toBeGreaterThan(10)
    expect(since.filter(({ answer }) => answer?.body['success'] !== true)).toEqual([])
  },
})

fault({
  id: 'Cluster failover',
  what: "a Cluster's primary with the ledger's slot is killed",
  async stand(ledger) {
    const cluster = await startCluster()
    const place = { ledger, redis: { cluster: cluster.nodes } }
    return { cluster, instances: await startInstances([place, place]) }
  },
  async strike({ stand: { cluster } }) {
    await cluster.killPrimaryOf('{hv}:gen')
    // The others notice a death after the node time-out; until then they call the cluster whole.
    await until(async () => !(await cluster.isWhole()), 20_000, 'nobody noticed')
    await until(() => cluster.isWhole(), 20_000, 'no replica took over')
  },
})

/** Two instances that know one name, as of a Kubernetes Service, which leads to the primary; a failover closes no connection. */
async function behindName(ledger: Ledger) {
  const primary = await startRedis()
  const replica = await startReplica(primary.port)
  const name = await startTcpProxy(primary.port)
  const place = { ledger, redis: { url: `redis://127.0.0.1:${name.port}/0` } }
  return { primary, replica, name, instances: await startInstances([place, place]) }
}

fault({
  id: 'demoted, FAILOVER',
  what: 'FAILOVER: the primary becomes a replica, its connections stay open, and its name leads elsewhere',
  ci: true,
  stand: behindName,
  async strike({ stand: { primary, replica, name } }) {
    await primary.cli('FAILOVER')
    await promoted([replica])
    await until(
      async () => (await replication(primary)).includes('role:slave'),
      20_000,
      'two primaries',
    )
    name.lead(replica.port)
  },
})

fault({
  id: 'demoted, REPLICAOF',
  what: 'REPLICAOF on both: the connections stay open, and the name leads elsewhere a second later',
  stand: behindName,
  async strike({ stand: { primary, replica, name } }) {
    await replica.cli('REPLICAOF', 'NO', 'ONE')
    await primary.cli('REPLICAOF', '127.0.0.1', String(replica.port))
    await sleep(1000)
    name.lead(replica.port)
  },
})

fault({
  id: 'demoted, NOREPLICAS',
  what: 'the primary lost its replicas and refuses writes, its connections stay open, and its name leads elsewhere',
  stand: behindName,
  async strike({ stand: { primary, replica, name } }) {
    await replica.cli('REPLICAOF', 'NO', 'ONE')
    await primary.cli('CONFIG', 'SET', 'min-replicas-to-write', '1')
    await sleep(500)
    name.lead(replica.port)
  },
})
