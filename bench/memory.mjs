/**
 * What does a verification leave behind? Bytes of Redis for each while it is remembered (goal: at most 200), and the
 * service's resident memory before and after a million of them.
 *
 *     npm run bench -- memory [--quick]
 */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inWords, machine } from './harness/machine.mjs'
import { startRedis } from './harness/redis.mjs'
import { writeResult } from './harness/result.mjs'
import { table } from './harness/rounds.mjs'
import { generationOf, mintBodies, setUp, startService } from './harness/service.mjs'
import { load } from './harness/wrk.mjs'

const quick = process.argv.includes('--quick')
const [ENTRIES, REQUESTS] = quick ? [20_000, 40_000] : [200_000, 1_000_000]
const folder = mkdtempSync(join(tmpdir(), 'hv-bench-'))
const file = join(folder, 'bodies')
const redis = await startRedis(1)
const set = setUp({ redis })
const service = await startService(set, { core: 0 })
const generation = await generationOf(redis)
const used = async () => Number(/used_memory:(\d+)/.exec(await redis.client.info('memory'))[1])
const how = { core: 1, connections: 64, file, wanted: '"success":true' }

// Warm: what connections and the keyspace need at all.
writeFileSync(file, (await mintBodies(set, { count: 4000, generation })).join('\n'))
await load(`${service.url}/api/v1/siteverify`, { ...how, seconds: 3 })
await redis.client.flushall()
await new Promise((resolve) => setTimeout(resolve, 1000))
const [bytesBefore, keysBefore] = [await used(), await redis.client.dbsize()]
const now = Math.floor(Date.now() / 1000)
for (let written = 0; written < ENTRIES; written += 1000) {
  // As the ledger's script writes them: id of 22 characters, attempt of 22, an end.
  const pipeline = redis.client.pipeline()
  for (let i = 0; i < 1000; i++) {
    const [jti, attempt] = [randomBytes(16).toString('base64url'), randomBytes(16).toString('base64url')]
    pipeline.set(`{hv}:t:${jti}`, attempt, 'PX', (now + 1260 - now) * 1000, 'NX')
  }
  await pipeline.exec()
}
const perEntry = ((await used()) - bytesBefore) / ((await redis.client.dbsize()) - keysBefore)

const rss = []
let done = 0
const one = await mintBodies(set, { count: 1, generation: await generationOf(redis) })
writeFileSync(file, one.join('\n'))
rss.push([done, service.rss()])
while (done < REQUESTS) {
  const { requests } = await load(`${service.url}/api/v1/siteverify`, { ...how, seconds: 10, wanted: '' })
  done += requests
  rss.push([done, service.rss()])
}
await service.stop()
await redis.stop()
set.remove()
rmSync(folder, { recursive: true, force: true })
const megabytes = (bytes) => (bytes / 2 ** 20).toFixed(0)
writeResult(
  'memory',
  `# What a verification leaves behind

${inWords('npm run bench -- memory', machine())}

**${perEntry.toFixed(0)} bytes of Redis** for each verification (${ENTRIES.toLocaleString('en')} entries, used_memory), until its token and all of its challenge's are over.

The service's resident memory, 64 connections:

${table(
  ['requests', 'RSS, MiB'],
  rss.map(([requests, bytes]) => [requests.toLocaleString('en'), megabytes(bytes)]),
)}
`,
  {
    bytesPerVerification: Math.round(perEntry),
    rssMiBAfter: Number(megabytes(rss.at(-1)[1])),
    requests: rss.at(-1)[0],
  },
  quick,
)
