import { startRedis, type RedisOptions, type TestRedis } from '../../support/redis.ts'
import { type SentinelOptions, startSentinels } from '../../support/sentinel.ts'
import { startTcpProxy } from '../../support/tcp-proxy.ts'
import { until } from './moments.ts'
import { type InstanceOptions, type Ledger, startInstance } from './instance.ts'

export const startInstances = (places: readonly InstanceOptions[]) =>
  Promise.all(places.map(startInstance))

/** Starts Sentinels. @returns them, and the setting by which an instance finds Redis through them. */
export async function addSentinels(options: SentinelOptions) {
  const sentinels = await startSentinels(options)
  return { sentinels, redis: { sentinel: { name: 'hv', nodes: sentinels.nodes } } }
}

/** Two instances on one Redis. */
export const onRedis = (options: RedisOptions = {}) => onServer(() => startRedis(options))

export function onServer<Server extends TestRedis>(start: () => Promise<Server>) {
  return async (ledger: Ledger) => {
    const redis = await start()
    const place = { ledger, redis: { url: redis.url } }
    return { redis, instances: await startInstances([place, place]) }
  }
}

/** Two instances on one Redis, over a wire that can be broken. */
export async function onWire(ledger: Ledger) {
  const redis = await startRedis()
  const wire = await startTcpProxy(redis.port)
  const place = { ledger, redis: { url: `redis://127.0.0.1:${wire.port}/0` } }
  return { redis, wire, instances: await startInstances([place, place]) }
}

/** Two instances, a primary, replicas and three Sentinels on one machine. */
export function onSentinels(replicaCount = 2) {
  return async (ledger: Ledger) => {
    const primary = await startRedis()
    const replicas = await Promise.all(
      Array.from({ length: replicaCount }, () => startReplica(primary.port)),
    )
    const host = '127.0.0.1'
    const at = { host, port: primary.port }
    const { sentinels, redis } = await addSentinels({ primary: at, replicas: replicaCount })
    const place = { ledger, redis }
    return { primary, replicas, sentinels, instances: await startInstances([place, place]) }
  }
}

/** A replica that has all data of the server at this port. */
export async function startReplica(
  ofPort: number,
  { args = [], of = '127.0.0.1', ...options }: RedisOptions & { readonly of?: string } = {},
): Promise<TestRedis> {
  const own = ['--replicaof', of, String(ofPort), '--repl-diskless-sync-delay', '0']
  const replica = await startRedis({ ...options, args: [...own, ...args] })
  await until(
    async () => (await replication(replica)).includes('master_link_status:up'),
    20_000,
    'no data',
  )
  return replica
}

/** Waits until one of these is the primary. @throws {Error} after 20 s. */
export async function promoted(replicas: readonly TestRedis[]): Promise<void> {
  await until(
    async () => (await Promise.all(replicas.map(isPrimary))).includes(true),
    20_000,
    'nobody was promoted',
  )
}

const isPrimary = async (redis: TestRedis) => (await replication(redis)).includes('role:master')
export const replication = async (redis: TestRedis): Promise<string> =>
  String(await redis.cli('INFO', 'replication'))
