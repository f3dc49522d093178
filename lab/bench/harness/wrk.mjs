import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * wrk, with a body of its own for each request.
 *
 * @param file one body per line; when they are used up, the last requests repeat them (and are told as `spent`).
 * @returns requests answered, requests per second, milliseconds at the 50th and 99th centile, answers that were not 2xx,
 * and how many of the answers held what was `wanted`.
 */
export async function load(
  url,
  { core, connections, seconds, file, type = 'application/x-www-form-urlencoded', wanted = '', headers = {} },
) {
  const script = join(import.meta.dirname, 'bodies.lua')
  const args = [
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    '--timeout',
    '10s',
    '-s',
    script,
    url,
    '--',
    file,
    type,
    wanted,
  ]
  for (const [name, value] of Object.entries(headers)) args.push(`${name}: ${value}`)
  const pinned = core === undefined ? ['wrk', ...args] : ['taskset', '-c', String(core), 'wrk', ...args]
  const { stdout } = await run(pinned[0], pinned.slice(1), { maxBuffer: 1 << 24 })
  return JSON.parse(stdout.slice(stdout.indexOf('{"')).split('\n')[0])
}
