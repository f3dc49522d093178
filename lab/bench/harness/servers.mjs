import { execFile, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { start, until } from '../../stand/processes.mjs'
import { startService } from '../../stand/service.mjs'
import { NODE } from './result.mjs'

const run = promisify(execFile)

/** The server under test has a core of its own; Redis, the load and this process share the other. */
export const MINE = 0
export const OTHER = 1
const runOn = (cores) =>
  spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', cores, String(process.pid)])
runOn(String(OTHER))

/** Does what is not measured, with all of its threads on both cores: the servers wait meanwhile. */
export async function onBothCores(work) {
  runOn(`${MINE},${OTHER}`)
  try {
    return await work()
  } finally {
    runOn(String(OTHER))
  }
}

/** Limits out of the way; they are counted all the same. */
export const NO_LIMITS = {
  limits: {
    challenge: '100000000 per 1m',
    solve: '100000000 per 1m',
    siteverify: '100000000 per 1m',
  },
}

/**
 * Starts the service as the image starts it.
 *
 * @param {{ url: string } | undefined} redis undefined: its stores are in its memory
 * @param {object} [policy] settings of the site
 * @param {{ keys?: string, root?: string }} [own] its keyring, and the checkout whose build it is
 */
export const startMeasured = (redis, policy = {}, { keys, root } = {}) =>
  startService({
    redisUrl: redis?.url,
    keys,
    settings: NO_LIMITS,
    policy: { token_lifetime: '600s', ...policy },
    measured: { core: MINE, node: NODE, root },
  })

/** Starts a server of lab/bench/targets to compare with. */
export async function startTarget(name, env = {}) {
  const script = join(import.meta.dirname, '../targets', `${name}.mjs`)
  const server = start(NODE, [script], { core: MINE, env: { ...process.env, ...env } })
  const port = await until(
    () => /"listening":(\d+)/.exec(server.said())?.[1],
    `${name}: ${server.said()}`,
    20_000,
  )
  return { ...server, url: `http://127.0.0.1:${port}` }
}

/**
 * Loads a server by wrk, with a body of its own for each request. `file`: one body per line; when they are used up, the last
 * requests repeat them. Returns requests answered, requests a second, milliseconds at the 50th and 99th centile, and how many
 * of the answers held what was `wanted`.
 */
export async function load(url, { connections, seconds, file, wanted = '' }) {
  const script = join(import.meta.dirname, 'bodies.lua')
  const wrk = [
    'wrk',
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    '--timeout',
    '10s',
    '-s',
    script,
    url,
  ]
  const args = ['-c', String(OTHER), ...wrk, '--', file, wanted]
  const { stdout } = await run('taskset', args, { maxBuffer: 1 << 24 })
  return JSON.parse(stdout.slice(stdout.indexOf('{"')).split('\n')[0])
}
