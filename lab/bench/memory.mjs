/**
 * What does a whole visit leave behind? Bytes of Redis for each challenge that was solved and whose token was verified, and for
 * its visitor's address (goal: at most 330 for the visit), how long Redis takes to remove a full bucket of entries (goal: below
 * 2 ms), and the service's resident memory before and after a million verifications.
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
import { ourCalls, POLICY } from './harness/our-visit.mjs'
import { generationOf, mintBodies } from './harness/tokens.mjs'
import { visits } from './harness/visits.mjs'

const [VISITS, ENTRIES, REQUESTS] = QUICK ? [2048, 20_000, 40_000] : [20_000, 200_000, 1_000_000]
const own = folder('hv-bench')
const file = join(own.path, 'bodies')
const redis = await startRedis(OTHER)
const service = await startMeasured(redis, POLICY)
const used = async () => Number(/used_memory:(\d+)/.exec(await redis.client.info('memory'))[1])
const how = { connections: 64, file }

/** Each of them by a visitor with an address of its own. */
const visit = (count) =>
  visits(
    {
      url: service.url,
      cpu: service.cpu,
      calls: ourCalls(service.secret),
      isDone: ({ success }) => success,
    },
    count,
  )
/** Removes every key whose name, behind the prefix, begins with one of these. @returns the bytes that this frees, and the keys */
async function freedBy(...kinds) {
  const all = await redis.client.keys('*')
  const found = all.filter((key) => kinds.some((kind) => key.startsWith(`{hv}:${kind}:`)))
  const before = await used()
  for (let at = 0; at < found.length; at += 1000)
    await redis.client.del(...found.slice(at, at + 1000))
  return { bytes: before - (await used()), keys: found.length }
}

// Warm: what connections, scripts and the keyspace need at all. They stay: the ledger would begin anew without its entries.
await generationOf(redis)
await visit(64)
const bytesBefore = await used()
await visit(VISITS)
const bytesOfAll = (await used()) - bytesBefore
const entries = await freedBy('c', 't')
const payments = await freedBy('l:paid')
const histories = await freedBy('h', 'l:solve')
/** The tables of the keyspace, which shrink later: a share for each key. */
const perKey =
  (bytesOfAll - entries.bytes - payments.bytes - histories.bytes) /
  (entries.keys + payments.keys + histories.keys)
const bytesOf = (...kinds) =>
  kinds.reduce((sum, { bytes, keys }) => sum + bytes + keys * perKey, 0) / (VISITS + 64)
const perVisit = bytesOf(entries, payments)
const perVisitor = bytesOf(histories)
/** A visit has an entry of its challenge in the ledger, and one of its token. */
const perEntry = bytesOf(entries) / 2

await redis.client.flushall()
/** The service's ledger, over this Redis. */
const { redisLedger } = await dist('store/ledger/redis-ledger.js')
const { redisConnection } = await dist('store/redis/redis-connection.js')
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
  title: 'What a visit leaves behind',
  text: `**${perVisit.toFixed(0)} bytes of Redis** for each visit (challenge, solve and siteverify; ${VISITS.toLocaleString('en')} visits, used_memory): the entries of its challenge and of its token,
${perEntry.toFixed(0)} bytes each, and what it paid. They are kept until both are over. History takes ${perVisitor.toFixed(0)} bytes more for each address.
Removing a bucket of ${inFull.toLocaleString('en')} entries holds Redis up for **${removalMs} ms**.

The service's resident memory, 64 connections:

${markdownTable(
  ['requests', 'RSS, MiB'],
  rss.map(([requests, bytes]) => [requests.toLocaleString('en'), megabytes(bytes)]),
)}`,
  figures: {
    bytesPerVisit: Math.round(perVisit),
    bytesPerEntry: Math.round(perEntry),
    bytesPerVisitor: Math.round(perVisitor),
    removalMs,
    rssMiBAfter: Number(megabytes(rss.at(-1)[1])),
    requests: rss.at(-1)[0],
  },
})
