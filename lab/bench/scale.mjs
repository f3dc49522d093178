/**
 * What do more processes give, and what does each verification then cost? 1, 2 and 4 instances of the built service with 10,000
 * sites, over one Redis and over a Cluster of three nodes, all on this machine; and how such a configuration starts and reloads.
 *
 *     npm run scale [-- --quick] [--write]
 *
 * `--write` keeps the page as scale.md of lab/results. Instances share one core, Redis, the load and this program the other.
 */
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { folder } from '../stand/folder.mjs'
import { dist, inWords, machine, ROOT } from '../stand/machine.mjs'
import { pause, until } from '../stand/processes.mjs'
import { startRedis, startRedisCluster } from '../stand/redis.mjs'
import { startService } from '../stand/service.mjs'
import { markdownTable, median } from '../stand/tables.mjs'
import { QUICK } from './harness/result.mjs'
import { load, MINE, NO_LIMITS, onBothCores, OTHER } from './harness/servers.mjs'
import { mintBodies } from './harness/tokens.mjs'

const PAGE = join(ROOT, 'lab/results/scale.md')
const SITES = QUICK ? 1000 : 10_000
const INSTANCES = [1, 2, 4]
const PARTITIONS = 24
/** Connections of the load, shared evenly by the instances. */
const CONNECTIONS = 64
/** Verifications that V8 compiles for, of each instance; seconds that count. */
const [WARM, SECONDS] = QUICK ? [2000, 1] : [30_000, 6]
/** More verifications a second than one core has made. */
const MOST = 16_000
const out = (text) => process.stdout.write(`${text}\n`)
const own = folder('hv-scale')

const sites = Array.from({ length: SITES }, (_, i) => {
  const secret = `hv_secret_${randomBytes(32).toString('base64url')}`
  const sha256 = createHash('sha256').update(secret).digest('hex')
  const sitekey = `hv_site_${String(i).padStart(8, '0')}`
  return { secret, sitekey, settings: { sitekey, secrets: [{ sha256 }], token_lifetime: '600s' } }
})

const STORES = [
  {
    name: 'one Redis',
    start: () => startRedis(OTHER),
    settings: ({ url }) => ({ redis: { url } }),
    partitions: 1,
  },
  {
    name: 'a Cluster of three',
    start: () => startRedisCluster(3, OTHER),
    settings: ({ nodes }) => ({ redis: { cluster: nodes }, ledger: { partitions: PARTITIONS } }),
    partitions: PARTITIONS,
  },
]

const { partitionOf, prefixesOf } = await dist('store/redis/partitions.js')

/** Waits for the generation of each partition. @returns that of a token, by its id */
async function generations({ client }, partitions) {
  const read = (prefix) =>
    until(() => client.hget(`${prefix}gen`, 'g'), `the generation of ${prefix}`, 20_000)
  const all = await Promise.all(prefixesOf('hv', partitions).map(read))
  return (jti) => all[partitionOf(jti, partitions)]
}

const startInstance = (settings, keys) =>
  startService({
    keys,
    settings: { ...NO_LIMITS, ...settings },
    siteFiles: sites.map((site) => site.settings),
    measured: { core: MINE },
  })

/** Loads all instances at once, each with tokens of its own. */
async function slice(instances, { count, seconds, generation }) {
  const each = Math.ceil(count / instances.length)
  const bodies = await onBothCores(() =>
    Promise.all(instances.map((one) => mintBodies(one, { count: each, generation, sites }))),
  )
  const before = instances.map(({ cpu }) => cpu())
  const runs = instances.map(async ({ url }, i) => {
    const file = join(own.path, `bodies-${i}`)
    writeFileSync(file, bodies[i].join('\n'))
    const connections = CONNECTIONS / instances.length
    const wanted = '"success":true'
    return load(`${url}/api/v1/siteverify`, { connections, seconds, file, wanted })
  })
  const results = await Promise.all(runs)
  return results.map((result, i) => ({
    ...result,
    micros: ((instances[i].cpu() - before[i]) * 1e6) / result.requests,
  }))
}

async function measure(store, count) {
  const redis = await store.start()
  const settings = store.settings(redis)
  const first = await startInstance(settings)
  const keys = readFileSync(first.keyring, 'utf8')
  const instances = [first]
  while (instances.length < count) instances.push(await startInstance(settings, keys))
  const generation = await generations(redis, store.partitions)
  const warm = { count: WARM * count, seconds: Math.ceil((WARM * count) / 5000), generation }
  await slice(instances, warm)
  const redisBefore = redis.cpu()
  const results = await slice(instances, { count: MOST * SECONDS, seconds: SECONDS, generation })
  const sum = (key) => results.reduce((all, result) => all + result[key], 0)
  const redisMicros = ((redis.cpu() - redisBefore) * 1e6) / sum('requests')
  for (const each of instances) await each.stop()
  await redis.stop()
  const lost = sum('requests') - sum('wanted')
  if (lost > 0) process.stderr.write(`${lost} of ${sum('requests')} not as wanted\n`)
  const micros = results.map((result) => result.micros)
  const row = [
    store.name,
    String(count),
    median(micros).toFixed(0),
    count === 1 ? '–' : `${Math.min(...micros).toFixed(0)}–${Math.max(...micros).toFixed(0)}`,
    redisMicros.toFixed(0),
    Math.round(sum('perSecond')).toLocaleString('en'),
    Math.max(...results.map(({ p99 }) => p99)).toFixed(1),
  ]
  out(row.join(' | '))
  return row
}

/** How long a start and a reload take, what they take of memory, and how long a visitor waits meanwhile. */
async function configured(count) {
  const redis = await startRedis(OTHER)
  const some = sites.slice(0, count).map((site) => site.settings)
  const service = await startService({ redisUrl: redis.url, siteFiles: some, settings: NO_LIMITS })
  await pause(1000)
  const before = service.rss()
  let longest = 0
  const over = new AbortController()
  const watching = (async () => {
    while (!over.signal.aborted) {
      const from = performance.now()
      await fetch(`${service.url}/health`).then((res) => res.text())
      longest = Math.max(longest, performance.now() - from)
      await pause(10)
    }
  })()
  const from = performance.now()
  const cpuBefore = service.cpu()
  service.changeSite({ ...some[0], score_threshold: 0.4 })
  await until(() => service.logged('sites reloaded'), 'the reload', 120_000)
  const reload = performance.now() - from
  const cpu = service.cpu() - cpuBefore
  over.abort()
  await watching
  const mib = (bytes) => (bytes / 2 ** 20).toFixed(0)
  const row = [
    count.toLocaleString('en'),
    (service.startedMs / 1000).toFixed(1),
    mib(before),
    (reload / 1000).toFixed(1),
    cpu.toFixed(1),
    mib(service.rss()),
    longest.toFixed(0),
  ]
  await service.stop()
  await redis.stop()
  out(row.join(' | '))
  return row
}

const costs = []
for (const store of STORES) for (const count of INSTANCES) costs.push(await measure(store, count))
const starts = []
for (const count of [1, SITES / 10, SITES]) starts.push(await configured(count))
own.remove()

const costHead = [
  'Store',
  'Instances',
  'CPU µs of a verification',
  'least–most of an instance',
  'CPU µs of Redis',
  'verifications a second, all on one core',
  'p99 ms',
]
const startHead = [
  'Sites',
  'Start, s',
  'Memory, MiB',
  'Reload, s',
  'its CPU, s',
  'Memory then, MiB',
  'Longest answer meanwhile, ms',
]
const page = `# More processes, and many sites

${inWords('npm run scale', machine())}

Instances of the built service with ${SITES.toLocaleString('en')} sites, each with a secret of its own, over one Redis and over a Cluster of three primaries with 24 partitions. All
instances share one core, and Redis, the load (\`wrk\`, 64 connections) and the program share the other: the verifications a second are those of **one core**, however many instances there
are. What the table shows is whether a verification costs each instance the same when there are more of them. Every request has a token of its own, and tokens of all sites come in turns.

${markdownTable(costHead, costs)}

A configuration with so many sites, each in a file of its own: how long a process takes until it listens, and what happens when one of the files is replaced.
A change is noticed when two looks at all files agree: there is one a second for a hundred files, one in eleven for a thousand, and never less than one in 31.

${markdownTable(startHead, starts)}
`
out(`\n${page}`)
if (process.argv.includes('--write') && !QUICK) writeFileSync(PAGE, page)
