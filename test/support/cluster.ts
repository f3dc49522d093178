import { eventually } from './ledger-contract.ts'
import { startRedis, type TestRedis } from './redis.ts'

const SLOTS = 16_384
const PATIENCE_MS = 20_000

/** What makes a server a node of a Cluster that notices a death after a second. */
export const CLUSTER_ARGS =
  '--cluster-enabled yes --cluster-announce-ip 127.0.0.1 --cluster-node-timeout 1000 --cluster-replica-validity-factor 0'.split(
    ' ',
  )

/**
 * Shares all slots evenly among the first of these nodes, and waits until each knows the others and finds all slots served.
 *
 * @param portOf where the others reach a node: its TLS port in a Cluster over TLS.
 */
export async function formCluster<Node extends TestRedis>(
  nodes: readonly Node[],
  portOf: (node: Node) => number = ({ port }) => port,
  primaries = nodes.length,
): Promise<void> {
  const first = String(portOf(nodes[0]!))
  for (const [i, node] of nodes.entries()) {
    if (i > 0) await node.cli('CLUSTER', 'MEET', '127.0.0.1', first)
    if (i >= primaries) continue
    const [from, to] = [i, i + 1].map((share) => Math.ceil((share * SLOTS) / primaries))
    const slots = Array.from({ length: to! - from! }, (_, nth) => String(from! + nth))
    await node.cli('CLUSTER', 'ADDSLOTS', ...slots)
  }
  for (const node of nodes) {
    await eventually(async () => {
      const info = String(await node.cli('CLUSTER', 'INFO'))
      if (
        !info.includes('cluster_state:ok') ||
        !info.includes(`cluster_known_nodes:${nodes.length}\r`)
      )
        throw new Error(`no cluster: ${info}`)
    }, PATIENCE_MS)
  }
}

/** Three primaries with a replica each, on this machine. Any of them may fail; the rest decides after about a second. */
export async function startCluster(primaries = 3) {
  const args = [...CLUSTER_ARGS, '--repl-diskless-sync-delay', '0']
  const nodes = await Promise.all(Array.from({ length: primaries * 2 }, () => startRedis({ args })))
  const living = new Set(nodes)

  async function join(): Promise<void> {
    await formCluster(nodes, undefined, primaries)
    for (const [i, redis] of nodes.slice(primaries).entries()) {
      await redis.cli('CLUSTER', 'REPLICATE', String(await nodes[i]!.cli('CLUSTER', 'MYID')))
      await eventually(async () => {
        const info = String(await redis.cli('INFO', 'replication'))
        if (!info.includes('master_link_status:up')) throw new Error('a replica has no data')
      }, PATIENCE_MS)
    }
  }

  await join()
  return {
    /** `host:port` of every node. */
    nodes: nodes.map(({ port }) => `127.0.0.1:${port}`),
    /** Whether every living node reports that all slots are served. */
    async isWhole() {
      const infos = await Promise.all([...living].map((redis) => redis.cli('CLUSTER', 'INFO')))
      return infos.every((info) => String(info).includes('cluster_state:ok'))
    },
    /** Kills the primary that has this key now, for good. */
    async killPrimaryOf(key: string) {
      const [asked] = living
      const slot = Number(await asked!.cli('CLUSTER', 'KEYSLOT', key))
      const ranges = (await asked!.cli('CLUSTER', 'SLOTS')) as [number, number, [string, number]][]
      const range = ranges.find(([from, to]) => slot >= from && slot <= to)!
      const primary = nodes.find(({ port }) => port === range[2][1])!
      living.delete(primary)
      await primary.stop()
    },
  }
}
