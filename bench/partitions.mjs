/**
 * What do partitions bring? Consumptions of the ledger in one Redis, and in a real Cluster of three primaries with 1, 3
 * and 24 partitions, in turns: CPU of each server, and how many a second the busiest of them could carry with a core of
 * its own.
 *
 *     npm run bench -- partitions [--quick]
 */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { inWords, machine, ROOT } from './harness/machine.mjs'
import { startRedis } from './harness/redis.mjs'
import { writeResult } from './harness/result.mjs'
import { median, ratio, rounds, table } from './harness/rounds.mjs'
import { OTHER } from './harness/side-by-side.mjs'

const { redisLedger } = await import(join(ROOT, 'dist/store/redis-ledger.js'))
const { redisConnection } = await import(join(ROOT, 'dist/store/redis.js'))
const quick = process.argv.includes('--quick')
const [COUNT, TIMES, IN_FLIGHT] = quick ? [3, 6400, 64] : [7, 48_000, 64]
const SLOTS = 16_384

const log = { info() {}, warn() {}, error() {} }
const random = { id: () => randomBytes(16).toString('base64url') }

/** @returns the primaries of a Cluster that serves all slots. */
async function startCluster(primaries) {
  const nodes = await Promise.all(
    Array.from({ length: primaries }, () => startRedis(OTHER, ['--cluster-enabled', 'yes'])),
  )
  const portOf = ({ client }) => String(client.options.port)
  for (const [i, { client }] of nodes.entries()) {
    if (i > 0) await nodes[0].client.call('CLUSTER', 'MEET', '127.0.0.1', portOf(nodes[i]))
    const [from, to] = [i, i + 1].map((nth) => Math.ceil((nth * SLOTS) / primaries))
    await client.call('CLUSTER', 'ADDSLOTSRANGE', from, to - 1)
  }
  const isWhole = async ({ client }) => {
    const info = await client.call('CLUSTER', 'INFO')
    return info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${primaries}`)
  }
  const end = Date.now() + 30_000
  while (!(await Promise.all(nodes.map(isWhole))).every(Boolean)) {
    if (Date.now() > end) throw new Error('the Cluster does not serve all slots')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return nodes
}

/** Asks until the ledger answers: a Cluster is known a moment after it is connected. @throws after 20 s. */
async function heard(ledger) {
  for (const end = Date.now() + 20_000; ; await new Promise((resolve) => setTimeout(resolve, 100))) {
    try {
      return await ledger.probe()
    } catch (error) {
      if (Date.now() > end) throw error
    }
  }
}

/** A ledger of its own over some servers. */
async function contender(name, place, servers, partitions) {
  const link = redisConnection({ keyPrefix: 'hv', ...place }, { log, partitions })
  const ledger = redisLedger(link, { random, log })
  await heard(ledger)
  const stop = async () => {
    await ledger.close()
    await link.close()
  }
  return { name, servers, ledger, stop }
}

const alone = await startRedis(OTHER)
const cluster = await startCluster(3)
const place = { cluster: cluster.map(({ client }) => ({ host: '127.0.0.1', port: client.options.port })) }
const contenders = [
  await contender('one Redis', { url: alone.url }, [alone], 1),
  ...(await Promise.all(
    [1, 3, 24].map((count) => contender(`a Cluster, ${count} partition${count > 1 ? 's' : ''}`, place, cluster, count)),
  )),
]

const entryOf = (ledger) => {
  const [jti, now] = [random.id(), Math.floor(Date.now() / 1000)]
  const generation = ledger.generation(jti)
  return { kind: 'response', jti, generation, attempt: random.id(), expiresAt: now + 600, keepUntil: now + 1260 }
}

async function measure({ ledger, servers }) {
  await Promise.all(servers.map(({ client }) => client.flushall()))
  await heard(ledger)
  const [mine, theirs, started] = [process.cpuUsage(), servers.map(({ cpu }) => cpu()), performance.now()]
  let left = TIMES
  let accepted = 0
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      while (left-- > 0) if ((await ledger.consume(entryOf(ledger))) === 'ours') accepted++
    }),
  )
  if (accepted !== TIMES) throw new Error(`${accepted} of ${TIMES} were consumed for the first time`)
  const seconds = (performance.now() - started) / 1000
  const { user, system } = process.cpuUsage(mine)
  const spent = servers.map(({ cpu }, i) => ((cpu() - theirs[i]) * 1e6) / TIMES)
  return {
    mine: (user + system) / TIMES,
    redis: spent.reduce((sum, each) => sum + each, 0),
    busiest: Math.max(...spent),
    perSecond: TIMES / seconds,
  }
}

await rounds(1, contenders, measure)
const results = await rounds(COUNT, contenders, measure)
for (const each of [...contenders, alone, ...cluster]) await each.stop()

const base = results.get('one Redis')
const carried = ({ busiest }) => 1e6 / busiest
const rows = [...results].map(([name, each]) => [
  name,
  median(each.map(({ mine }) => mine)).toFixed(1),
  median(each.map(({ redis }) => redis)).toFixed(1),
  median(each.map(({ busiest }) => busiest)).toFixed(1),
  Math.round(median(each.map(({ perSecond }) => perSecond))).toLocaleString('en'),
  (Math.round(median(each.map(carried)) / 1000) * 1000).toLocaleString('en'),
  ratio(each, base, carried).toFixed(2),
])
writeResult(
  'partitions',
  `# What partitions bring

${inWords('npm run bench -- partitions', machine())}
Consumptions of the ledger, ${IN_FLIGHT} in flight, ${COUNT} rounds of ${TIMES.toLocaleString('en')}, in turns; medians. All servers share one core here and this process has
the other, so calls a second show what a call costs, and not how far a Cluster goes. The last two columns compute that: what the busiest server
could carry with a core of its own.

${table(['', 'CPU µs of the process', 'CPU µs of Redis', 'of its busiest server', 'calls/s here', 'calls/s, a core for each server', 'to one Redis'], rows)}
`,
  Object.fromEntries([...results].map(([name, each]) => [name, Math.round(median(each.map(carried)))])),
  quick,
)
