/**
 * What does one challenge cost, beside a bare Express application with one SET NX? Goal: at most 0.6 of it.
 *
 *     npm run bench -- challenge [--quick]
 */
import { inWords, machine } from './harness/machine.mjs'
import { startRedis } from './harness/redis.mjs'
import { writeResult } from './harness/result.mjs'
import { median } from './harness/rounds.mjs'
import { generationOf, ORIGIN, setUp, SITEKEY, startService } from './harness/service.mjs'
import { against, compared, MINE, OTHER, sideBySide, startTarget } from './harness/side-by-side.mjs'

const quick = process.argv.includes('--quick')
const size = quick ? { count: 3, seconds: 2 } : { count: 7, seconds: 3 }
const BASE = 'bare Express + SET NX'
const redis = await startRedis(OTHER)
const set = setUp({ redis })
const service = await startService(set, { core: MINE })
await generationOf(redis)
const bodies = async () => [`sitekey=${SITEKEY}&action=sign-up`]
const how = { path: '/api/v1/challenge', bodies, headers: { Origin: ORIGIN }, wanted: '"challenge":"' }
const reference = await startTarget('reference', { env: { REDIS: redis.url } })
const contenders = [
  { ...service, ...how, name: 'this service' },
  { ...reference, ...how, path: '/api/v1/siteverify', wanted: '', name: BASE },
]
let results
try {
  await sideBySide(contenders, { connections: 64, count: 3, seconds: size.seconds })
  results = await sideBySide(contenders, { connections: 64, ...size })
} finally {
  for (const each of contenders) await each.stop()
  await redis.stop()
  set.remove()
}
writeResult(
  'challenge',
  `# What one challenge costs

${inWords('npm run bench -- challenge', machine())}
64 connections, ${size.count} rounds of ${size.seconds} s, each after a second that does not count, in turns; medians.

${compared(results, BASE)}
`,
  {
    microsPerRequest: Math.round(median(results.get('this service').map(({ micros }) => micros))),
    toReference: against(results, 'this service', BASE),
  },
  quick,
)
