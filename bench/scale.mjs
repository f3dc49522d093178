/**
 * Does a verification cost the same however much there is? CPU per request with 1 and with 10,000 sites, in turns; with
 * an empty ledger and with 5 million entries; and requests per second of 1, 2 and 3 processes behind haproxy.
 *
 *     npm run bench -- scale [--quick]
 */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inWords, machine, ROOT } from './harness/machine.mjs'
import { start } from './harness/process.mjs'
import { freePort, startRedis } from './harness/redis.mjs'
import { writeResult } from './harness/result.mjs'
import { median, ratio, table } from './harness/rounds.mjs'
import { generationOf, mintBodies, MOST_A_SECOND, setUp, startService } from './harness/service.mjs'
import { compared, LEAD, MINE, OTHER, sideBySide } from './harness/side-by-side.mjs'
import { load } from './harness/wrk.mjs'

const { bucketKey } = await import(join(ROOT, 'dist/ledger/buckets.js'))
const quick = process.argv.includes('--quick')
const size = quick ? { count: 3, seconds: 2 } : { count: 5, seconds: 3 }
const [SITES, ENTRIES] = quick ? [1000, 100_000] : [10_000, 5_000_000]
/** As of an hour of verifications. */
const BUCKETS = 360
const how = { path: '/api/v1/siteverify', wanted: '"success":true' }
const sections = []
const figures = {}

async function contender(name, { sites = 1, entries = 0, core = MINE } = {}) {
  const redis = await startRedis(OTHER)
  const set = setUp({ redis, sites })
  const service = await startService(set, { core })
  const generation = await generationOf(redis)
  await fill(redis.client, generation, entries)
  const bodies = () => mintBodies(set, { count: (LEAD + size.seconds) * MOST_A_SECOND, generation })
  const stop = async () => {
    await service.stop()
    await redis.stop()
    set.remove()
  }
  return { ...service, ...how, name, bodies, stop }
}

/**
 * Writes entries as the ledger does, into the buckets of an hour that begins when the run is over: no poll removes them.
 * A bucket whose number does not agree would begin a new generation, and no body of the run would be accepted.
 */
async function fill(client, generation, entries) {
  const from = Math.floor(Date.now() / 1000) + 7200
  for (let nth = 0; nth * 5000 < entries; nth++) {
    const key = bucketKey('{hv}:', { kind: 'response', generation, keepUntil: from + 10 * (nth % BUCKETS) })
    const fields = {}
    for (let i = 0; i < 5000; i++) fields[randomBytes(16).toString('base64url')] = randomBytes(16).toString('base64url')
    const pipeline = client.multi().hset(key, fields).hincrby('{hv}:gen2', key, 5000)
    if (nth < BUCKETS) pipeline.hincrby('{hv}:gen2', 'n', 1)
    await pipeline.exec()
  }
}

async function compareTwo(title, key, contenders) {
  try {
    await sideBySide(contenders, { connections: 64, count: 3, seconds: size.seconds })
    const results = await sideBySide(contenders, { connections: 64, ...size })
    const [few, many] = contenders.map(({ name }) => results.get(name))
    figures[key] = Number(ratio(many, few, ({ micros }) => micros).toFixed(2))
    sections.push(`## ${title}\n\n${compared(results, contenders[0].name)}\n`)
  } finally {
    for (const each of contenders) await each.stop()
  }
}

const many = (count) => count.toLocaleString('en')
await compareTwo('Sites', 'sites', [
  await contender('1 site'),
  await contender(`${many(SITES)} sites`, { sites: SITES }),
])
await compareTwo('Entries of the ledger', 'entries', [
  await contender('an empty ledger'),
  await contender(`${many(ENTRIES)} entries`, { entries: ENTRIES }),
])

// Processes: the machine's cores are shared by them, haproxy, Redis and wrk, so this shows that they add up, not how far.
const rows = []
for (const processes of [1, 2, 3]) {
  const redis = await startRedis()
  const set = setUp({ redis })
  const services = []
  for (let i = 0; i < processes; i++) services.push(await startService(set))
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'hv-bench-haproxy-'))
  const sample = readFileSync(join(ROOT, 'deploy/haproxy/haproxy.cfg'), 'utf8')
  const servers = services.map(({ url }, i) => `    server instance${i} ${new URL(url).host}`).join('\n')
  const cfg = sample
    .replace('maxconn 20000', 'maxconn 4096')
    .replace('bind :8080', `bind 127.0.0.1:${port}`)
    .replace(/^ *server-template .*$/m, servers)
  writeFileSync(join(folder, 'haproxy.cfg'), cfg)
  const proxy = await start('haproxy', ['-db', '-q', '-f', join(folder, 'haproxy.cfg')], { stdio: 'ignore' })
  const generation = await generationOf(redis)
  const file = join(folder, 'bodies')
  const seen = []
  for (let round = 0; round < size.count; round++) {
    writeFileSync(file, (await mintBodies(set, { count: size.seconds * MOST_A_SECOND, generation })).join('\n'))
    const before = services.reduce((sum, { cpu }) => sum + cpu(), 0)
    const result = await load(`http://127.0.0.1:${port}/api/v1/siteverify`, {
      connections: 64,
      seconds: size.seconds,
      file,
    })
    const micros = ((services.reduce((sum, { cpu }) => sum + cpu(), 0) - before) * 1e6) / result.requests
    if (round > 0) seen.push({ ...result, micros })
  }
  const of = (pick) => median(seen.map(pick))
  rows.push([
    processes,
    many(Math.round(of(({ perSecond }) => perSecond))),
    of(({ micros }) => micros).toFixed(0),
    of(({ p99 }) => p99).toFixed(1),
  ])
  for (const each of [proxy, ...services]) await each.stop()
  await redis.stop()
  set.remove()
  rmSync(folder, { recursive: true, force: true })
}
sections.push(`## Processes behind haproxy

On two cores that haproxy, Redis and wrk share with them: it shows what the proxy and company cost, not how far it scales.

${table(['processes', 'requests/s', 'CPU µs/request', 'p99 ms'], rows)}
`)
writeResult(
  'scale',
  `# Whether a verification costs the same however much there is

${inWords('npm run bench -- scale', machine())}
64 connections, ${size.count} rounds of ${size.seconds} s, each after a second that does not count, in turns; medians.

${sections.join('\n')}`,
  figures,
  quick,
)
