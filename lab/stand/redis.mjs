import { Cluster, Redis } from 'ioredis'
import { freePort } from '../../test/support/ports.mjs'
import { folder } from './folder.mjs'
import { start, until } from './processes.mjs'

/**
 * Starts a Redis of this run only, as docs/operate/redis.md wants it: noeviction; nothing is kept on disk. `core`: the only
 * one that it runs on; `args`: further arguments of redis-server.
 */
export async function startRedis(core, args = []) {
  const port = await freePort()
  const own = folder('hv-lab-redis')
  const settings = [
    '--save',
    '',
    '--appendonly',
    'no',
    '--maxmemory-policy',
    'noeviction',
    '--bind',
    '127.0.0.1',
    ...args,
  ]
  const server = start('redis-server', ['--port', String(port), '--dir', own.path, ...settings], {
    core,
  })
  await until(() => /Ready to accept/.test(server.said()), 'redis-server', 10_000)
  const client = new Redis({ port, lazyConnect: true })
  await client.connect()
  return {
    port,
    url: `redis://127.0.0.1:${port}/0`,
    client,
    cpu: server.cpu,
    async stop() {
      client.disconnect()
      await server.stop()
      own.remove()
    },
  }
}

const SLOTS = 16_384

/** Starts a Cluster of primaries with equal shares of the slots. @param {number} count of nodes */
export async function startRedisCluster(count, core) {
  const args = ['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1']
  const nodes = []
  while (nodes.length < count) nodes.push(await startRedis(core, args))
  for (const [i, { client }] of nodes.entries()) {
    await client.cluster('MEET', '127.0.0.1', nodes[0].port)
    const [from, to] = [i, i + 1].map((at) => Math.ceil((at * SLOTS) / count))
    await client.call('CLUSTER', 'ADDSLOTSRANGE', from, to - 1)
  }
  const isWhole = async ({ client }) => {
    const info = await client.cluster('INFO')
    return info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${count}`)
  }
  for (const node of nodes) await until(() => isWhole(node), 'the Cluster', 20_000)
  const places = nodes.map(({ port }) => ({ host: '127.0.0.1', port }))
  const client = new Cluster(places)
  return {
    nodes: places.map(({ host, port }) => `${host}:${port}`),
    client,
    cpu: () => nodes.reduce((sum, node) => sum + node.cpu(), 0),
    async stop() {
      client.disconnect()
      for (const node of nodes) await node.stop()
    },
  }
}
