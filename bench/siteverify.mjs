/**
 * What does one verification cost? The built service with its real Redis, beside a bare Express application that does
 * one SET NX (1.00), the same on `node:http`, and the usual assembly of the same packages. Issue 8.
 *
 *     npm run bench -- siteverify [--quick] [--node PATH] [--connections 64]
 */
import { hkdfSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { inWords, machine } from './harness/machine.mjs'
import { start } from './harness/process.mjs'
import { startRedis } from './harness/redis.mjs'
import { median, ratio, rounds, table } from './harness/rounds.mjs'
import { generationOf, mintBodies, setUp, startService } from './harness/service.mjs'
import { load } from './harness/wrk.mjs'
import { writeResult } from './harness/result.mjs'

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean' },
    node: { type: 'string', default: process.execPath },
    connections: { type: 'string' },
    'cpu-prof': { type: 'string' },
  },
})
/** The service under test has a core of its own; Redis and the load share the other. */
const [MINE, OTHER] = [0, 1]
const COUNT = values.quick ? 3 : 5
const SECONDS = values.quick ? 2 : 3
const CONNECTIONS = (values.connections ?? '1,16,64,256').split(',').map(Number)
/** More than anybody answers in that time, so that no token is sent twice. */
const most = (connections) => SECONDS * (connections === 1 ? 6000 : 16_000)

const folder = mkdtempSync(join(tmpdir(), 'hv-bench-bodies-'))
const file = join(folder, 'bodies')
const redis = await startRedis(OTHER)
const set = setUp({ redis })
const flags = values['cpu-prof'] === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values['cpu-prof']}`]
const service = await startService(set, { core: MINE, node: values.node, flags })
const generation = await generationOf(redis)

const derived = hkdfSync('sha256', Buffer.from(set.key.k, 'base64url'), '', 'human-verification/1/response', 32)
const env = { REDIS: redis.url, KEY: Buffer.from(derived).toString('base64url'), SECRET: set.secret }
const target = async (name) => {
  const script = join(import.meta.dirname, 'targets', `${name}.mjs`)
  const started = await start(values.node, [script], { core: MINE, env, ready: /listening/ })
  return { ...started, url: `http://127.0.0.1:${JSON.parse(started.line).listening}` }
}
const contenders = [
  { name: 'this service', ...service },
  { name: 'bare Express + SET NX', ...(await target('reference')) },
  { name: 'node:http + SET NX', ...(await target('bare-http')) },
  { name: 'usual assembly', ...(await target('usual')) },
]

const sections = []
let figures
try {
  // Everything is compiled before anything counts.
  for (const each of contenders) await measure(each, 64)
  for (const connections of CONNECTIONS) {
    const results = await rounds(COUNT, contenders, (each) => measure(each, connections))
    sections.push(section(connections, results))
    if (connections === 64) figures = summary(results)
  }
} finally {
  for (const each of contenders) await each.stop()
  await redis.stop()
  set.remove()
  rmSync(folder, { recursive: true, force: true })
}

async function measure({ name, url, cpu }, connections) {
  writeFileSync(file, (await mintBodies(set, { count: most(connections), generation })).join('\n'))
  const before = cpu()
  const how = { core: OTHER, connections, seconds: SECONDS, file, wanted: '"success":true' }
  const result = await load(`${url}/api/v1/siteverify`, how)
  const micros = ((cpu() - before) * 1e6) / result.requests
  if (result.wanted !== result.requests && name !== 'warm') {
    process.stderr.write(`\n${name}: ${result.requests - result.wanted} of ${result.requests} not accepted\n`)
  }
  return { ...result, micros }
}

function section(connections, results) {
  const base = results.get('bare Express + SET NX')
  const rows = [...results].map(([name, each]) => {
    const of = (pick) => median(each.map(pick))
    return [
      name,
      of(({ micros }) => micros).toFixed(0),
      ratio(each, base, ({ micros }) => micros).toFixed(2),
      Math.round(of(({ perSecond }) => perSecond)).toLocaleString('en'),
      ratio(each, base, ({ perSecond }) => perSecond).toFixed(2),
      of(({ p50 }) => p50).toFixed(2),
      of(({ p99 }) => p99).toFixed(2),
    ]
  })
  const head = ['', 'CPU µs/request', 'CPU ratio', 'requests/s', 'ratio', 'p50 ms', 'p99 ms']
  return `## ${connections} ${connections === 1 ? 'connection' : 'connections'}\n\n${table(head, rows)}\n`
}

function summary(results) {
  const of = (name) => results.get(name)
  const [mine, base, usual] = ['this service', 'bare Express + SET NX', 'usual assembly'].map(of)
  return {
    cpuRatio: Number(ratio(mine, base, ({ micros }) => micros).toFixed(2)),
    cpuOfUsual: Number(ratio(mine, usual, ({ micros }) => micros).toFixed(2)),
    throughputRatio: Number(ratio(mine, base, ({ perSecond }) => perSecond).toFixed(2)),
    micros: Math.round(median(mine.map(({ micros }) => micros))),
    perSecond: Math.round(median(mine.map(({ perSecond }) => perSecond))),
  }
}

const facts = machine(values.node)
const name = values.node === process.execPath ? 'siteverify' : `siteverify-node${facts.node.slice(1).split('.')[0]}`
writeResult(
  name,
  `# What one verification costs

${inWords('npm run bench -- siteverify', facts)}
${COUNT} rounds of ${SECONDS} s each, in turns; medians; ratios are medians of each round's. The server has one core, Redis and wrk the other.
Every request of this service is accepted: a token of its own, limiter, ledger, log line.

${sections.join('\n')}`,
  figures,
  values.quick,
)
