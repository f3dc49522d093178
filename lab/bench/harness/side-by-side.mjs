import { execFile, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { folder } from '../../stand/folder.mjs'
import { start, until } from '../../stand/processes.mjs'
import { startRedis } from '../../stand/redis.mjs'
import { startService } from '../../stand/service.mjs'
import { markdownTable, median } from '../../stand/tables.mjs'
import { NODE } from './result.mjs'
import { ratio, rounds } from './rounds.mjs'
import { generationOf } from './tokens.mjs'

const run = promisify(execFile)

/** The server under test has a core of its own; Redis, the load and this process share the other. */
const MINE = 0
export const OTHER = 1
spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', String(OTHER), String(process.pid)])

/** A list of bodies that is no longer than this is meant to be sent again and again. */
const MOST_REPEATED = 100

/** Limits out of the way; they are counted all the same. */
const NO_LIMITS = {
  limits: { challenge: '100000000 per 1m', solve: '100000000 per 1m', siteverify: '100000000 per 1m' },
}

/** Starts Redis, and the service as the image starts it. @param {object} [policy] settings of the site */
export async function startMeasured(policy = {}) {
  const redis = await startRedis(OTHER)
  const service = await startService({
    redisUrl: redis.url,
    settings: NO_LIMITS,
    policy: { token_lifetime: '600s', ...policy },
    measured: { core: MINE, node: NODE },
  })
  return { redis, service, generation: await generationOf(redis) }
}

/** Starts a server of lab/bench/targets to compare with. */
export async function startTarget(name, env = {}) {
  const script = join(import.meta.dirname, '../targets', `${name}.mjs`)
  const server = start(NODE, [script], { core: MINE, env: { ...process.env, ...env } })
  const port = await until(() => /"listening":(\d+)/.exec(server.said())?.[1], `${name}: ${server.said()}`, 20_000)
  return { ...server, url: `http://127.0.0.1:${port}` }
}

/**
 * Loads a server by wrk, with a body of its own for each request.
 *
 * @param {{ connections: number, seconds: number, file: string, wanted?: string }} how `file`: one body per line; when they are
 *   used up, the last requests repeat them
 * @returns {Promise<any>} requests answered, requests a second, milliseconds at the 50th and 99th centile, and how many of the
 *   answers held what was `wanted`
 */
export async function load(url, { connections, seconds, file, wanted = '' }) {
  const script = join(import.meta.dirname, 'bodies.lua')
  const wrk = ['wrk', '-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s', '-s', script, url]
  const args = ['-c', String(OTHER), ...wrk, '--', file, wanted]
  const { stdout } = await run('taskset', args, { maxBuffer: 1 << 24 })
  return JSON.parse(stdout.slice(stdout.indexOf('{"')).split('\n')[0])
}

/**
 * Seconds at the start of each turn that do not count. A server that others have pushed out of the processor's caches pays
 * for coming back once, not with each request; and the more of them take turns, the more it would seem to pay.
 */
export const LEAD = 1

/**
 * Loads servers in turns, each `LEAD` seconds and then `seconds`.
 *
 * @param contenders `{name, url, cpu, path, bodies(connections), wanted}`; `bodies` is asked anew each time.
 * @returns results by name: micros (CPU per request), perSecond, p50, p99.
 */
export async function sideBySide(contenders, { connections, count, seconds }) {
  const own = folder('hv-bench-bodies')
  const file = join(own.path, 'bodies')
  const results = await rounds(count, contenders, async (each) => {
    const bodies = await each.bodies(connections)
    // Tokens are good for once; what is sent again and again is one list for both.
    const share = bodies.length > MOST_REPEATED ? Math.floor((bodies.length * LEAD) / (LEAD + seconds)) : 0
    const send = (lines, length) => {
      writeFileSync(file, lines.join('\n'))
      return load(`${each.url}${each.path}`, { connections, seconds: length, file, wanted: each.wanted })
    }
    await send(share > 0 ? bodies.slice(0, share) : bodies, LEAD)
    const before = each.cpu()
    const result = await send(bodies.slice(share), seconds)
    const micros = ((each.cpu() - before) * 1e6) / result.requests
    const others = result.requests - result.wanted
    if (others > 0) process.stderr.write(`\n${each.name}: ${others} of ${result.requests} not as wanted\n`)
    return { ...result, micros }
  })
  own.remove()
  return results
}

/** A table of medians, and of the ratios to one of them. */
export function compared(results, baseName) {
  const base = results.get(baseName)
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
  return markdownTable(['', 'CPU µs/request', 'CPU ratio', 'requests/s', 'ratio', 'p50 ms', 'p99 ms'], rows)
}
