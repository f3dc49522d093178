/**
 * Where does the time of a verification go? `node --cpu-prof` of the built service under 64 connections: the functions
 * that take the most themselves, and each file's share. docs/design/performance.md reads it.
 *
 *     npm run bench -- profile [--quick]
 */
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inWords, machine, ROOT } from './harness/machine.mjs'
import { startRedis } from './harness/redis.mjs'
import { writeResult } from './harness/result.mjs'
import { table } from './harness/rounds.mjs'
import { generationOf, mintBodies, MOST_A_SECOND, setUp, startService } from './harness/service.mjs'
import { load } from './harness/wrk.mjs'

const SECONDS = process.argv.includes('--quick') ? 4 : 12
const folder = mkdtempSync(join(tmpdir(), 'hv-bench-profile-'))
const redis = await startRedis(1)
const set = setUp({ redis })
const flags = ['--cpu-prof', `--cpu-prof-dir=${folder}`, '--cpu-prof-interval', '200']
const service = await startService(set, { core: 0, flags })
const file = join(folder, 'bodies')
writeFileSync(
  file,
  (await mintBodies(set, { count: SECONDS * MOST_A_SECOND, generation: await generationOf(redis) })).join('\n'),
)
const how = { core: 1, connections: 64, seconds: SECONDS, file, wanted: '"success":true' }
const before = service.cpu()
const { requests } = await load(`${service.url}/api/v1/siteverify`, how)
const micros = ((service.cpu() - before) * 1e6) / requests
process.kill(service.pid, 'SIGTERM')
await once(service.child, 'exit')

const profile = JSON.parse(
  readFileSync(
    join(
      folder,
      readdirSync(folder).find((each) => each.endsWith('.cpuprofile')),
    ),
    'utf8',
  ),
)
const own = new Map(profile.nodes.map(({ id }) => [id, 0]))
profile.samples.forEach((id, i) => own.set(id, own.get(id) + Math.max(0, profile.timeDeltas[i])))
const functions = new Map()
const places = new Map()
let busy = 0
for (const { id, callFrame } of profile.nodes) {
  const time = own.get(id)
  if (callFrame.functionName === '(idle)') continue
  busy += time
  const where = placeOf(callFrame)
  add(places, where, time)
  add(functions, `${callFrame.functionName || '(anonymous)'} · ${where}:${callFrame.lineNumber + 1}`, time)
}

function add(map, key, time) {
  map.set(key, (map.get(key) ?? 0) + time)
}

function placeOf({ url, functionName }) {
  if (url === '') return functionName === '(garbage collector)' ? 'garbage collector' : 'V8 and the system'
  const ours = url.split(`${ROOT}/dist/`)[1]
  if (ours) return ours.replace(/\.js$/, '')
  const [, library] = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? []
  return library ?? url.replace(/^node:/, 'node:')
}

const share = (map, most) =>
  [...map]
    .sort(([, a], [, b]) => b - a)
    .slice(0, most)
    .map(([name, time]) => [
      `\`${name}\``,
      `${((time / busy) * 100).toFixed(1)} %`,
      ((time / busy) * micros).toFixed(1),
    ])

writeResult(
  'profile',
  `# Where a verification's time goes

${inWords('npm run bench -- profile', machine())}
${requests.toLocaleString('en')} verifications at 64 connections, ${micros.toFixed(0)} µs of CPU each with the profiler on; the time of a function itself, without what it calls.

${table(['Where', 'share', 'µs'], share(places, 40))}

${table(['Function', 'share', 'µs'], share(functions, 50))}
`,
  undefined,
  process.argv.includes('--quick'),
)
await redis.stop()
set.remove()
rmSync(folder, { recursive: true, force: true })
