/**
 * What does one verification cost? The built service with its real Redis, beside a bare Express application that does
 * one SET NX (1.00). docs/design/performance.md has the budgets.
 *
 *     npm run bench -- siteverify [--quick] [--node24]
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { folder } from '../stand/folder.mjs'
import { startRedis } from '../stand/redis.mjs'
import { markdownTable } from '../stand/tables.mjs'
import { QUICK, writeResult } from './harness/result.mjs'
import { costTo, ofEach, PROCESSES, rounds, sets, spreadText } from './harness/rounds.mjs'
import { load, onBothCores, OTHER, startMeasured, startTarget } from './harness/servers.mjs'
import { generationOf, mintBodies } from './harness/tokens.mjs'

const [SLICES, SECONDS] = QUICK ? [1, 1] : [3, 2]
/** Slices at 64 connections before the first that counts: V8 compiles for some 30,000 requests, on one core. */
const WARM = QUICK ? 1 : 4
/**
 * Seconds at the start of each slice that do not count. A server that others have pushed out of the processor's caches pays
 * for coming back once, not with each request.
 */
const LEAD = 1
const OURS = 'this service'
const BASE = 'bare Express + SET NX'

const redis = await startRedis(OTHER)
const own = folder('hv-bench-bodies')
const file = join(own.path, 'bodies')

async function startOurs() {
  const service = await startMeasured(redis)
  const generation = await generationOf(redis)
  /** Most verifications a second, by connections: twice as many as in the slice before, so that no token is sent twice. */
  const most = { 1: 6000, 64: 16_000 }
  return {
    ...service,
    name: OURS,
    bodies: (connections) =>
      mintBodies(service, { count: (LEAD + SECONDS) * most[connections], generation }),
    reached(connections, perSecond) {
      most[connections] = Math.ceil(2 * perSecond)
    },
  }
}
const startBare = async () => ({
  ...(await startTarget('reference', { REDIS: redis.url })),
  name: BASE,
  bodies: () => [`secret=x&response=${'x'.repeat(1000)}&action=sign-up`],
})

/** One slice of one server: `LEAD` seconds, then those that count. */
const slice = (connections) => async (each) => {
  const bodies = await onBothCores(() => each.bodies(connections))
  // Our tokens are good for once; the one body of the other is sent again and again.
  const lead = bodies.length > 1 ? Math.floor((bodies.length * LEAD) / (LEAD + SECONDS)) : 0
  const send = (lines, seconds) => {
    writeFileSync(file, lines.join('\n'))
    const how = { connections, seconds, file, wanted: '"success":true' }
    return load(`${each.url}/api/v1/siteverify`, how)
  }
  await send(lead > 0 ? bodies.slice(0, lead) : bodies, LEAD)
  const before = each.cpu()
  const result = await send(bodies.slice(lead), SECONDS)
  each.reached?.(connections, result.perSecond)
  const micros = ((each.cpu() - before) * 1e6) / result.requests
  const others = result.requests - result.wanted
  if (others > 0)
    process.stderr.write(`\n${each.name}: ${others} of ${result.requests} not as wanted\n`)
  return { ...result, micros }
}

const results = await sets([startOurs, startBare], async (contenders) => {
  await rounds(WARM, contenders, slice(64))
  return {
    1: await rounds(SLICES, contenders, slice(1)),
    64: await rounds(SLICES, contenders, slice(64)),
  }
}).finally(redis.stop)
own.remove()

const HEAD = ['', 'CPU µs/request', 'CPU ratio', 'requests/s', 'p50 ms', 'p99 ms']
const sections = []
const figures = {}
for (const connections of [1, 64]) {
  const found = results.map((set) => set[connections])
  const micros = ({ micros: each }) => each
  const toReference = costTo(found, OURS, BASE)
  const rows = [OURS, BASE].map((name) => [
    name,
    spreadText(ofEach(found, name, micros)),
    name === OURS ? spreadText(toReference, 2) : '1.00',
    ofEach(found, name, ({ perSecond }) => perSecond).median.toLocaleString('en'),
    ofEach(found, name, ({ p50 }) => p50, 2).median,
    ofEach(found, name, ({ p99 }) => p99, 2).median,
  ])
  sections.push(
    `## ${connections} ${connections === 1 ? 'connection' : 'connections'}\n\n${markdownTable(HEAD, rows)}\n`,
  )
  figures[connections] = {
    microsPerRequest: ofEach(found, OURS, micros).median,
    requestsPerSecond: ofEach(found, OURS, ({ perSecond }) => perSecond).median,
    toReference,
  }
}

writeResult('siteverify', {
  title: 'What one verification costs',
  text: `${PROCESSES} processes of each, started anew in turns; each warmed up, then ${SLICES} slices of ${SECONDS} s, in turns, after ${LEAD} s that does not count.
Medians of the processes, and their range. The server has one core, Redis and wrk the other.
Every request of this service is accepted: a token of its own, limiter, ledger, log line.

${sections.join('\n')}`,
  figures,
})
