/**
 * What does a young generation cost that V8 has shrunk? Node.js makes it as small as it can while nothing happens, 1 MiB by default,
 * and then collects every few milliseconds of the next burst. Whole visits in bursts, as shipped and with V8's own least size.
 *
 *     npm run bench -- young [--quick]
 */
import { inWords, machine } from './harness/machine.mjs'
import { FOR_VISITS, ourVisit } from './harness/our-visit.mjs'
import { startRedis } from './harness/redis.mjs'
import { writeResult } from './harness/result.mjs'
import { median, ratio, rounds, table } from './harness/rounds.mjs'
import { generationOf, setUp, startService } from './harness/service.mjs'
import { MINE, OTHER } from './harness/side-by-side.mjs'
import { visits } from './harness/visits.mjs'

const quick = process.argv.includes('--quick')
const [WARM, COUNT, VISITS] = quick ? [1, 3, 128] : [6, 9, 384]
const SHIPPED = 'as shipped'
const redis = await startRedis(OTHER)
const set = setUp({ redis, ...FOR_VISITS })
const contenders = []
for (const [name, flags] of [
  ['V8 decides: `--min-semi-space-size=1`', ['--min-semi-space-size=1']],
  ['`--min-semi-space-size=16`', ['--min-semi-space-size=16']],
  [SHIPPED, []],
]) {
  contenders.push({ ...(await startService(set, { core: MINE, flags })), ...ourVisit(set), name })
}
await generationOf(redis)
let results
let megabytes
try {
  await rounds(WARM, contenders, (each) => visits(each, VISITS))
  results = await rounds(COUNT, contenders, (each) => visits(each, VISITS))
  megabytes = new Map(contenders.map(({ name, rss }) => [name, Math.round(rss() / 1e6)]))
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
    megabytes.get(name),
  ]
})
writeResult(
  'young',
  `# What a small young generation costs

${inWords('npm run bench -- young', machine())}
64 at a time, ${COUNT} rounds of ${VISITS} visits, in turns, with seconds in between in which nothing happens; medians. Processor time from the kernel, all threads.

${table(['young generation', 'CPU µs/visit', 'of all rounds', 'ratio', 'p99 ms of all calls', 'resident MB'], rows)}
`,
  undefined,
  quick,
)
