/**
 * What do several processes on one machine bring? Verifications per second and their CPU: `hv serve --processes 1` beside
 * `--processes 2`, in turns, and 1, 2 and 3 processes behind haproxy. Redis and the load generator take their part of the
 * same two cores, so this shows that processes add up and what they cost, and not how far they go.
 *
 *     npm run bench -- processes [--quick]
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../test/support/ports.mjs'
import { inWords, machine, ROOT } from './harness/machine.mjs'
import { start } from './harness/process.mjs'
import { startRedis } from './harness/redis.mjs'
import { writeResult } from './harness/result.mjs'
import { median, rounds, table } from './harness/rounds.mjs'
import { generationOf, mintBodies, MOST_A_SECOND, setUp, startService } from './harness/service.mjs'
import { MINE, OTHER } from './harness/side-by-side.mjs'
import { processorTime } from './harness/visits.mjs'
import { load } from './harness/wrk.mjs'

const quick = process.argv.includes('--quick')
const size = quick ? { count: 3, seconds: 2 } : { count: 7, seconds: 3 }

/** Seconds of CPU of a process and of those that it started. */
function cpuOfTree(pid) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean)
  return children.reduce((sum, child) => sum + cpuOfTree(Number(child)), processorTime(pid))
}

/** Asks for verifications for some seconds. @param cpu seconds of CPU of all processes that answer. */
async function underLoad({ url, set, generation, cpu }) {
  const folder = mkdtempSync(join(tmpdir(), 'hv-bench-processes-'))
  const file = join(folder, 'bodies')
  writeFileSync(file, (await mintBodies(set, { count: size.seconds * MOST_A_SECOND, generation })).join('\n'))
  const before = cpu()
  const how = { connections: 64, seconds: size.seconds, file, wanted: '"success":true', core: OTHER }
  const result = await load(`${url}/api/v1/siteverify`, how)
  const used = cpu() - before
  rmSync(folder, { recursive: true, force: true })
  if (result.other > 0) throw new Error(`${result.other} answers were not 200`)
  return { ...result, micros: (used * 1e6) / result.requests, cores: used / size.seconds }
}

/** In turns. @returns a row of each: its name, requests a second, CPU of a request, cores in use, p99. */
async function rowsOf(contenders) {
  await rounds(1, contenders, underLoad)
  const results = await rounds(size.count, contenders, underLoad)
  return contenders.map(({ name }) => {
    const of = (pick) => median(results.get(name).map(pick))
    const perSecond = Math.round(of((each) => each.perSecond))
    return {
      name,
      perSecond,
      micros: of((each) => each.micros),
      cores: of((each) => each.cores),
      p99: of((each) => each.p99),
    }
  })
}

/** One process has a core to itself, beside Redis and wrk on the other; two share both cores with them. */
async function oneCommand() {
  const redis = await startRedis(OTHER)
  const set = setUp({ redis })
  const contenders = []
  for (const processes of [1, 2]) {
    const args = ['--processes', String(processes)]
    const service = await startService(set, { args, ...(processes === 1 && { core: MINE }) })
    contenders.push({ ...service, set, name: args.join(' '), cpu: () => cpuOfTree(service.pid) })
  }
  const generation = await generationOf(redis)
  try {
    return await rowsOf(contenders.map((each) => ({ ...each, generation })))
  } finally {
    for (const each of contenders) await each.stop()
    await redis.stop()
    set.remove()
  }
}

/** So many processes behind haproxy, with deploy/haproxy/haproxy.cfg. */
async function behindProxy(processes) {
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
  const cpu = () => services.reduce((sum, { pid }) => sum + processorTime(pid), 0)
  try {
    const [row] = await rowsOf([{ name: String(processes), url: `http://127.0.0.1:${port}`, set, generation, cpu }])
    return row
  } finally {
    for (const each of [proxy, ...services]) await each.stop()
    await redis.stop()
    set.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}

const together = await oneCommand()
const proxied = []
for (const processes of [1, 2, 3]) proxied.push(await behindProxy(processes))
const HEAD = ['', 'requests/s', 'CPU µs/request', 'cores in use', 'p99 ms']
const cells = ({ name, perSecond, micros, cores, p99 }) => [
  `\`${name}\``,
  perSecond.toLocaleString('en'),
  micros.toFixed(0),
  cores.toFixed(2),
  p99.toFixed(1),
]
const [one, two] = together
writeResult(
  'processes',
  `# What several processes bring

${inWords('npm run bench -- processes', machine())}
64 connections, ${size.count} rounds of ${size.seconds} s, in turns; medians. CPU is that of all processes of the service.

## One command

${table(HEAD, together.map(cells))}

Redis and wrk keep to one core. One process has the other core to itself; two processes share both cores with Redis and wrk, so they get
${two.cores.toFixed(2)} cores in place of ${one.cores.toFixed(2)}. A machine with a core for each process carries what a core carries, times their number, as
long as Redis has a core of its own: two cores cannot show that.

## Processes behind haproxy

haproxy and Redis share the two cores with all processes: it shows what the proxy costs.

${table(['processes', ...HEAD.slice(1)], proxied.map(cells))}
`,
  {
    rate: Number((two.perSecond / one.perSecond).toFixed(2)),
    cpu: Number((two.micros / one.micros).toFixed(2)),
    cores: Number((two.cores / one.cores).toFixed(2)),
  },
  quick,
)
