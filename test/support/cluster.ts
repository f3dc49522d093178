import { allOf, orRemove, startRedis, type TestRedis } from './redis.ts'

/** A real Redis Cluster on this machine. */
export interface TestCluster {
  /** `host:port` of every node. */
  readonly nodes: readonly string[]
  /** The primary that has this key now. */
  primaryOf(key: string): Promise<TestRedis>
  /** Whether every node that lives says that all slots are served. */
  isWhole(): Promise<boolean>
  /** Kills a node for good. */
  kill(redis: TestRedis): Promise<void>
  remove(): Promise<void>
}

const SLOTS = 16_384

/** Three primaries with a replica each. Any of them may fail; the rest decides after about a second. */
export async function startCluster(primaries = 3): Promise<TestCluster> {
  const nodes = await allOf(Array.from({ length: primaries * 2 }, startNode))
  const living = new Set(nodes)
  const remove = async (): Promise<void> => void (await Promise.all(nodes.map((redis) => redis.remove())))

  async function join(): Promise<void> {
    for (const [i, redis] of nodes.entries()) {
      if (i > 0) await redis.cli('CLUSTER', 'MEET', '127.0.0.1', String(nodes[0]!.port))
      if (i >= primaries) continue
      const from = Math.ceil((i * SLOTS) / primaries)
      const to = Math.ceil(((i + 1) * SLOTS) / primaries) - 1
      await redis.cli('CLUSTER', 'ADDSLOTSRANGE', String(from), String(to))
    }
    const all = async () => (await Promise.all(nodes.map(known))).every((n) => n === nodes.length)
    await soon(all, 'the nodes do not know of each other')
    for (const [i, redis] of nodes.slice(primaries).entries()) {
      await redis.cli('CLUSTER', 'REPLICATE', String(await nodes[i]!.cli('CLUSTER', 'MYID')))
    }
    await soon(isWhole, 'not all slots are served')
    for (const redis of nodes.slice(primaries)) {
      await soon(
        async () => String(await redis.cli('INFO', 'replication')).includes('master_link_status:up'),
        'a replica has no data',
      )
    }
  }

  async function isWhole(): Promise<boolean> {
    const infos = await Promise.all([...living].map((redis) => redis.cli('CLUSTER', 'INFO')))
    return infos.every((info) => String(info).includes('cluster_state:ok'))
  }

  await orRemove(join(), remove)
  return {
    nodes: nodes.map(({ port }) => `127.0.0.1:${port}`),
    isWhole,
    async primaryOf(key) {
      const [asked] = living
      const slot = Number(await asked!.cli('CLUSTER', 'KEYSLOT', key))
      const ranges = (await asked!.cli('CLUSTER', 'SLOTS')) as [number, number, [string, number]][]
      const range = ranges.find(([from, to]) => slot >= from && slot <= to)!
      return nodes.find(({ port }) => port === range[2][1])!
    },
    async kill(redis) {
      living.delete(redis)
      await redis.stop()
    },
    remove,
  }
}

const known = async (redis: TestRedis): Promise<number> =>
  Number(/cluster_known_nodes:(\d+)/.exec(String(await redis.cli('CLUSTER', 'INFO')))?.[1])

/** @throws {Error} after 20 s. */
async function soon(ask: () => Promise<boolean>, otherwise: string): Promise<void> {
  for (const end = Date.now() + 20_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 50))) {
    if (await ask()) return
  }
  throw new Error(otherwise)
}

function startNode(): Promise<TestRedis> {
  const own = ['--cluster-announce-ip', '127.0.0.1', '--cluster-node-timeout', '1000']
  const args = ['--cluster-enabled', 'yes', ...own, '--cluster-replica-validity-factor', '0']
  return startRedis({ args: [...args, '--repl-diskless-sync-delay', '0'] })
}
