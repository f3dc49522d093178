/**
 * Does a verification cost the same however much there is? CPU per request with 1 and with 10,000 sites, in turns; and with
 * an empty ledger and with 5 million entries.
 *
 *     npm run bench -- scale [--quick]
 */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { inWords, machine, ROOT } from './harness/machine.mjs'
import { startRedis } from './harness/redis.mjs'
import { writeResult } from './harness/result.mjs'
import { ratio } from './harness/rounds.mjs'
import { generationOf, mintBodies, MOST_A_SECOND, setUp, startService } from './harness/service.mjs'
import { compared, LEAD, MINE, OTHER, sideBySide } from './harness/side-by-side.mjs'

const { bucketKey } = await import(join(ROOT, 'dist/store/ledger-partition.js'))
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
    const pipeline = client.multi().hset(key, fields).hincrby('{hv}:gen', key, 5000)
    if (nth < BUCKETS) pipeline.hincrby('{hv}:gen', 'n', 1)
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

writeResult(
  'scale',
  `# Whether a verification costs the same however much there is

${inWords('npm run bench -- scale', machine())}
64 connections, ${size.count} rounds of ${size.seconds} s, each after a second that does not count, in turns; medians.

${sections.join('\n')}`,
  figures,
  quick,
)
