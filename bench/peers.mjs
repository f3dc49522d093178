/**
 * One verification of this service beside the server libraries of Cap and ALTCHA behind Express, on one harness.
 * Theirs keep no ledger that several processes share, and no rate limit; ours does both.
 *
 *     npm run bench -- peers [--quick]
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inWords, machine } from './harness/machine.mjs'
import { startRedis } from './harness/redis.mjs'
import { writeResult } from './harness/result.mjs'
import { generationOf, mintBodies, MOST_A_SECOND, setUp, startService } from './harness/service.mjs'
import { against, compared, LEAD, MINE, OTHER, sideBySide, startTarget } from './harness/side-by-side.mjs'

const quick = process.argv.includes('--quick')
const size = quick ? { count: 3, seconds: 2 } : { count: 5, seconds: 3 }
const version = (name) =>
  JSON.parse(readFileSync(join(import.meta.dirname, 'node_modules', name, 'package.json'), 'utf8')).version

const redis = await startRedis(OTHER)
const set = setUp({ redis })
const service = await startService(set, { core: MINE })
const generation = await generationOf(redis)
const peer = async (file, field, name) => {
  const started = await startTarget(file)
  const payload = await (await fetch(`${started.url}/payload`)).text()
  const body = String(new URLSearchParams({ [field]: payload }))
  return { ...started, path: '/verify', bodies: async () => [body], wanted: '"success":true', name }
}
const BASE = 'this service'
const CAP = `Cap, @cap.js/server ${version('@cap.js/server')}`
const ALTCHA = `ALTCHA, altcha-lib ${version('altcha-lib')}`
const contenders = [
  {
    ...service,
    path: '/api/v1/siteverify',
    bodies: () => mintBodies(set, { count: (LEAD + size.seconds) * MOST_A_SECOND, generation }),
    wanted: '"success":true',
    name: BASE,
  },
  await peer('cap', 'token', CAP),
  await peer('altcha', 'altcha', ALTCHA),
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
  'peers',
  `# A verification beside Cap's and ALTCHA's

${inWords('npm run bench -- peers', machine())}
64 connections, ${size.count} rounds of ${size.seconds} s, each after a second that does not count, in turns; medians. Cap: a token in its own memory, kept after each validation; ALTCHA: one
solved challenge at the cost of its README, checked each time. Neither has a ledger that several processes share, a rate limit or a log line.

${compared(results, BASE)}
`,
  { toCap: against(results, BASE, CAP), toAltcha: against(results, BASE, ALTCHA) },
  quick,
)
