/**
 * What does one solve cost? Each body has a challenge of its own: open, ledger, check of the work, history, score, mint.
 * Goal: at most 350 µs.
 *
 *     npm run bench -- solve [--quick]
 */
import { inWords, machine } from './harness/machine.mjs'
import { startRedis } from './harness/redis.mjs'
import { PERSON, PERSONS_HEADERS } from './harness/person.mjs'
import { writeResult } from './harness/result.mjs'
import { median } from './harness/rounds.mjs'
import { generationOf, mintSolutions, ORIGIN, setUp, startService } from './harness/service.mjs'
import { compared, LEAD, MINE, OTHER, sideBySide, startTarget } from './harness/side-by-side.mjs'

const quick = process.argv.includes('--quick')
const size = quick ? { count: 3, seconds: 2 } : { count: 7, seconds: 3 }
const BASE = 'bare Express + SET NX'
const headers = { Origin: ORIGIN, ...PERSONS_HEADERS }

const redis = await startRedis(OTHER)
const set = setUp({ redis })
const service = await startService(set, { core: MINE })
const generation = await generationOf(redis)
/** Solves a second that nobody reaches here. */
const MOST_A_SECOND = 6000
const bodies = async () =>
  mintSolutions(set, { count: (LEAD + size.seconds) * MOST_A_SECOND, generation, signals: PERSON })
const reference = await startTarget('reference', { env: { REDIS: redis.url } })
const contenders = [
  { ...service, path: '/api/v1/solve', bodies, headers, wanted: '"token":"', name: 'this service' },
  {
    ...reference,
    path: '/api/v1/siteverify',
    bodies: async () => mintSolutions(set, { count: 64, generation, signals: PERSON }),
    headers,
    wanted: '',
    name: BASE,
  },
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
  'solve',
  `# What one solve costs

${inWords('npm run bench -- solve', machine())}
64 connections, ${size.count} rounds of ${size.seconds} s, each after a second that does not count, in turns; medians. Each body has a challenge of its own, with two units of work: the server checks two at every level.

${compared(results, BASE)}
`,
  { microsPerRequest: Math.round(median(results.get('this service').map(({ micros }) => micros))) },
  quick,
)
