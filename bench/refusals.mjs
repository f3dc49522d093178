/**
 * What does a refusal cost, beside a challenge that is issued? An address over its budget (goal: at most 0.3 of a
 * challenge), a body that cannot be read (0.1), a sitekey that nobody has (0.2). A bare `node:http` server that reads the
 * body and answers with the same bytes shows what Node.js itself takes: no refusal by HTTP can cost less.
 *
 *     npm run bench -- refusals [--quick]
 */
import { inWords, machine } from './harness/machine.mjs'
import { startRedis } from './harness/redis.mjs'
import { writeResult } from './harness/result.mjs'
import { ratio } from './harness/rounds.mjs'
import { generationOf, ORIGIN, setUp, SITEKEY, startService } from './harness/service.mjs'
import { compared, MINE, OTHER, sideBySide, startTarget } from './harness/side-by-side.mjs'

const quick = process.argv.includes('--quick')
const size = quick ? { count: 3, seconds: 1 } : { count: 7, seconds: 3 }
const redis = await startRedis(OTHER)
const set = setUp({ redis })
const tight = setUp({ redis, challenge: '1 per 1h' })
const [service, refusing] = [await startService(set, { core: MINE }), await startService(tight, { core: MINE })]
await generationOf(redis)
const bare = await startTarget('bare-answer')
const how = { path: '/api/v1/challenge', headers: { Origin: ORIGIN } }
const sends = (body) => ({ ...how, bodies: async () => [body] })
const fields = `sitekey=${SITEKEY}&action=sign-up`
const [BASE, OVER, MALFORMED, UNKNOWN, BARE] = [
  'a challenge',
  '429: over its budget',
  '400: malformed body',
  '400: unknown sitekey',
  'bare node:http',
]
const contenders = [
  { ...service, ...sends(fields), wanted: '"challenge":"', name: BASE },
  { ...refusing, ...sends(fields), wanted: 'rate-limit-exceeded', name: OVER },
  { ...service, ...sends('sitekey=%'), wanted: 'bad-request', name: MALFORMED },
  {
    ...service,
    ...sends('sitekey=hv_site_nobody_has_it&action=sign-up'),
    wanted: 'invalid-input-sitekey',
    name: UNKNOWN,
  },
  { ...bare, ...sends(fields), wanted: '', name: BARE },
]
let results
try {
  await sideBySide(contenders, { connections: 64, count: 2, seconds: size.seconds })
  results = await sideBySide(contenders, { connections: 64, ...size })
} finally {
  for (const each of contenders) await each.stop()
  await redis.stop()
  set.remove()
  tight.remove()
}
const toChallenge = (name) => Number(ratio(results.get(name), results.get(BASE), ({ micros }) => micros).toFixed(2))
writeResult(
  'refusals',
  `# What a refusal costs

${inWords('npm run bench -- refusals', machine())}
64 connections, ${size.count} rounds of ${size.seconds} s, each after a second that does not count, in turns; medians.

${compared(results, BASE)}
`,
  {
    over: toChallenge(OVER),
    malformed: toChallenge(MALFORMED),
    unknown: toChallenge(UNKNOWN),
    bare: toChallenge(BARE),
  },
  quick,
)
