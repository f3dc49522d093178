import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { median, ratio, rounds, table } from './rounds.mjs'
import { start } from './process.mjs'
import { load } from './wrk.mjs'

/** The server under test has a core of its own; Redis, the load and this process, which reads its log, share the other. */
export const [MINE, OTHER] = [0, 1]
spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', String(OTHER), String(process.pid)])

/** A list of bodies that is no longer than this is meant to be sent again and again. */
const MOST_REPEATED = 100

/** A server of ours to compare with, from lab/bench/targets. */
export async function startTarget(name, { node = process.execPath, env = {} } = {}) {
  const script = join(import.meta.dirname, '../targets', `${name}.mjs`)
  const started = await start(node, [script], { core: MINE, env, ready: /listening/ })
  return { ...started, url: `http://127.0.0.1:${JSON.parse(started.line).listening}` }
}

/**
 * Seconds at the start of each turn that do not count. A server that others have pushed out of the processor's caches pays
 * for coming back once, not with each request; and the more of them take turns, the more it would seem to pay.
 */
export const LEAD = 1

/**
 * Servers in turns under one load each, `LEAD` seconds and then `seconds`.
 *
 * @param contenders `{name, url, cpu, path, bodies(connections), headers, type, wanted}`; `bodies` is asked anew each time.
 * @returns results by name: micros (CPU per request), perSecond, p50, p99.
 */
export async function sideBySide(contenders, { connections, count, seconds }) {
  const folder = mkdtempSync(join(tmpdir(), 'hv-bench-bodies-'))
  const file = join(folder, 'bodies')
  try {
    return await rounds(count, contenders, async (each) => {
      const bodies = await each.bodies(connections)
      // Tokens are good for once; what is sent again and again is one list for both.
      const share = bodies.length > MOST_REPEATED ? Math.floor((bodies.length * LEAD) / (LEAD + seconds)) : 0
      const { headers, type, wanted } = each
      const send = (lines, length) => {
        writeFileSync(file, lines.join('\n'))
        const how = { core: OTHER, connections, seconds: length, file, headers, type, wanted }
        return load(`${each.url}${each.path}`, how)
      }
      await send(share > 0 ? bodies.slice(0, share) : bodies, LEAD)
      const before = each.cpu()
      const result = await send(bodies.slice(share), seconds)
      const micros = ((each.cpu() - before) * 1e6) / result.requests
      if (result.wanted < result.requests) {
        process.stderr.write(`\n${each.name}: ${result.requests - result.wanted} of ${result.requests} not as wanted\n`)
      }
      return { ...result, micros }
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
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
  return table(['', 'CPU µs/request', 'CPU ratio', 'requests/s', 'ratio', 'p50 ms', 'p99 ms'], rows)
}

/** The ratio of one to the other: of CPU, of requests per second, of the 99th centile. */
export const against = (results, mine, theirs) =>
  Object.fromEntries(
    ['micros', 'perSecond', 'p99'].map((key) => [
      key,
      Number(ratio(results.get(mine), results.get(theirs), (each) => each[key]).toFixed(2)),
    ]),
  )
