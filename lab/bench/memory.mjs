/**
 * What does a verification leave behind? Bytes of Redis for each while it is remembered (goal: at most 165), how long
 * Redis takes to remove a full bucket of them (goal: below 2 ms), and the service's resident memory before and after a
 * million of them.
 *
 *     npm run bench -- memory [--quick]
 */
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { folder } from '../stand/folder.mjs'
import { dist } from '../stand/machine.mjs'
import { startRedis } from '../stand/redis.mjs'
import { markdownTable } from '../stand/tables.mjs'
import { QUICK, writeResult } from './harness/result.mjs'
import { load, OTHER, startMeasured } from './harness/servers.mjs'
import { generationOf, mintBodies } from './harness/tokens.mjs'

const [ENTRIES, REQUESTS] = QUICK ? [20_000, 40_000] : [200_000, 1_000_000]
const own = folder('hv-bench')
const file = join(own.path, 'bodies')
const redis = await startRedis(OTHER)
const service = await startMeasured(redis)
const used = async () => Number(/used_memory:(\d+)/.exec(await redis.client.info('memory'))[1])
const how = { connections: 64, file }

// Warm: what connections and the keyspace need at all.
writeFileSync(
  file,
  (await mintBodies(service, { count: 4000, generation: await generationOf(redis) })).join('\n'),
)
await load(`${service.url}/api/v1/siteverify`, { ...how, seconds: 3 })
await redis.client.flushall()
await new Promise((resolve) => setTimeout(resolve, 1000))
const bytesBefore = await used()
/** The service's ledger, over this Redis. */
const { redisLedger } = await dist('store/redis-ledger.js')
const { redisConnection } = await dist('store/redis.js')
const random = { id: () => randomBytes(16).toString('base64url') }
const log = { info() {}, warn() {}, error() {} }
const link = redisConnection({ url: redis.url, keyPrefix: 'bench' }, { log })
const ledger = redisLedger(link, { random, log })
await new Promise((resolve) => link.onReady(resolve))
await ledger.probe()
const now = Math.floor(Date.now() / 1000)
/** Uses up tokens that nobody else has. */
async function write(count, keepUntilOf) {
  let left = count
  const one = async () => {
    while (left-- > 0) {
      const [jti, attempt, keepUntil] = [random.id(), random.id(), keepUntilOf(left)]
      const entry = {
        kind: 'response',
        jti,
        generation: ledger.generation(jti),
        attempt,
        keepUntil,
      }
      await ledger.consume({ ...entry, expiresAt: keepUntil - 660 })
    }
  }
  await Promise.all(Array.from({ length: 64 }, one))
}
// In ten buckets, as of a hundred seconds of verifications.
await write(ENTRIES, (nth) => now + 1260 + 10 * (nth % 10))
const perEntry = ((await used()) - bytesBefore) / ENTRIES

// The fullest bucket that one partition can fill: ten seconds of all that Redis can do.
await write(ENTRIES, () => now + 3600)
const full = `{bench}:t:${ledger.generation('')}:${Math.floor((now + 3600) / 10) + 1}`
const inFull = await redis.client.hlen(full)
await redis.client.config('RESETSTAT')
await redis.client.unlink(full)
const removalMs =
  Number(/cmdstat_unlink:.*?usec=(\d+)/.exec(await redis.client.info('commandstats'))[1]) / 1000
await ledger.close()
await link.close()
await redis.client.flushall()

/** Resident memory after so many requests: ten times in all. */
const rss = []
let done = 0
const one = await mintBodies(service, { count: 1, generation: await generationOf(redis) })
writeFileSync(file, one.join('\n'))
rss.push([done, service.rss()])
while (done < REQUESTS) {
  const { requests } = await load(`${service.url}/api/v1/siteverify`, {
    ...how,
    seconds: QUICK ? 5 : 100,
  })
  done += requests
  if (done >= (rss.length * REQUESTS) / 10) rss.push([done, service.rss()])
}
await service.stop()
await redis.stop()
own.remove()
const megabytes = (bytes) => (bytes / 2 ** 20).toFixed(0)
writeResult('memory', {
  title: 'What a verification leaves behind',
  text: `**${perEntry.toFixed(0)} bytes of Redis** for each verification (${ENTRIES.toLocaleString('en')} entries, used_memory), until its token and all of its challenge's are over.
Removing a bucket of ${inFull.toLocaleString('en')} entries holds Redis up for **${removalMs} ms**.

The service's resident memory, 64 connections:

${markdownTable(
  ['requests', 'RSS, MiB'],
  rss.map(([requests, bytes]) => [requests.toLocaleString('en'), megabytes(bytes)]),
)}`,
  figures: {
    bytesPerVerification: Math.round(perEntry),
    removalMs,
    rssMiBAfter: Number(megabytes(rss.at(-1)[1])),
    requests: rss.at(-1)[0],
  },
})
