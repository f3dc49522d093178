/**
 * What do the sizes of V8's heap cost? By itself V8 makes the room for young objects as small as it can while nothing happens, 1 MiB, and
 * then collects every few milliseconds of the next burst; and it collects the old ones whenever they have grown by a third or so. Whole
 * visits in bursts, with V8's own sizes, with one flag more at a time, and as shipped.
 *
 *     npm run bench -- heap [--quick]
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { inWords, machine } from './harness/machine.mjs'
import { FOR_VISITS, ourVisit } from './harness/our-visit.mjs'
import { startRedis } from './harness/redis.mjs'
import { writeResult } from './harness/result.mjs'
import { median, ratio, rounds, table } from './harness/rounds.mjs'
import { generationOf, setUp, startService } from './harness/service.mjs'
import { MINE, OTHER } from './harness/side-by-side.mjs'
import { visits } from './harness/visits.mjs'

const quick = process.argv.includes('--quick')
const [WARM, COUNT, VISITS, IDLE_MS] = quick ? [1, 3, 128, 1000] : [6, 9, 384, 60_000]
/** V8's own way with old objects. */
const OWN = ['--heap-growing-percent=0', '--memory-reducer']
const SHIPPED = 'as shipped'
const redis = await startRedis(OTHER)
const set = setUp({ redis, ...FOR_VISITS })
const contenders = []
// The later of two flags counts, and these come behind those of the image.
for (const [name, flags] of [
  ["V8's own sizes", ['--min-semi-space-size=1', ...OWN]],
  ['`--min-semi-space-size=16`', ['--min-semi-space-size=16', ...OWN]],
  ['`--min-semi-space-size=64`', OWN],
  ['the same with `--heap-growing-percent=200`', ['--memory-reducer']],
  [SHIPPED, []],
]) {
  contenders.push({ ...(await startService(set, { core: MINE, flags })), ...ourVisit(set), name })
}
await generationOf(redis)
const megabytes = () => new Map(contenders.map(({ name, rss }) => [name, Math.round(rss() / 1e6)]))
let results
let loaded
let idle
try {
  await rounds(WARM, contenders, (each) => visits(each, VISITS))
  results = await rounds(COUNT, contenders, (each) => visits(each, VISITS))
  loaded = megabytes()
  await sleep(IDLE_MS)
  idle = megabytes()
} finally {
  for (const each of contenders) await each.stop()
  await redis.stop()
  set.remove()
}
const shipped = results.get(SHIPPED)
const rows = [...results].map(([name, each]) => {
  const micros = each.map((round) => round.micros).sort((a, b) => a - b)
  return [
    name,
    median(micros).toFixed(0),
    `${micros[0].toFixed(0)} to ${micros.at(-1).toFixed(0)}`,
    ratio(each, shipped, (round) => round.micros).toFixed(2),
    median(each.map(({ p99 }) => p99)).toFixed(0),
    loaded.get(name),
    idle.get(name),
  ]
})
writeResult(
  'heap',
  `# What the sizes of V8's heap cost

${inWords('npm run bench -- heap', machine())}
64 at a time, ${COUNT} rounds of ${VISITS} visits, in turns, with seconds in between in which nothing happens; medians. Processor time from the kernel, all threads.
Resident at the end of the last round, and after ${IDLE_MS / 1000} s in which nothing happened.

${table(['flags', 'CPU µs/visit', 'of all rounds', 'ratio', 'p99 ms of all calls', 'resident MB', 'idle MB'], rows)}
`,
  undefined,
  quick,
)
