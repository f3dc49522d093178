/**
 * What does a whole verified visit cost the service? Challenge, solve and siteverify with limits, history, score, log lines and
 * Redis, beside three calls of a bare Express application with one SET NX each, and beside what Cap's and ALTCHA's server
 * libraries do for a visit. docs/design/performance.md has the budgets.
 *
 *     npm run bench -- visit [--quick] [--node24]
 */
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { solveChallenge } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import { inWords, machine } from './harness/machine.mjs'
import { form, FOR_VISITS, ourVisit } from './harness/our-visit.mjs'
import { startRedis } from './harness/redis.mjs'
import { writeResult } from './harness/result.mjs'
import { median, ratio, rounds, table } from './harness/rounds.mjs'
import { generationOf, setUp, startService } from './harness/service.mjs'
import { MINE, OTHER, startTarget } from './harness/side-by-side.mjs'
import { visits } from './harness/visits.mjs'

const here = (path) => join(import.meta.dirname, 'node_modules', path)
const version = (name) => JSON.parse(readFileSync(here(`${name}/package.json`), 'utf8')).version
const quick = process.argv.includes('--quick')
const isNode24 = process.argv.includes('--node24')
const node = isNode24 ? here('node/bin/node') : process.execPath
const [COUNT, VISITS] = quick ? [3, 128] : [7, 512]
/**
 * Rounds before the first that counts. Node.js goes on compiling for thousands of visits, and its compiler's threads count too: on
 * Node.js 24 they took 120 µs of a visit after 5,000 visits, and 29 after 15,000.
 */
const WARM = quick ? 2 : 20
const BASE = 'three calls of bare Express + SET NX'
const OURS = 'this service'
const CAP = `Cap, @cap.js/server ${version('@cap.js/server')}`
const ALTCHA = `ALTCHA, altcha-lib ${version('altcha-lib')}, and one SET NX`

const json = (path, value) => ({ path, body: JSON.stringify(value), type: 'application/json', headers: {} })

const redis = await startRedis(OTHER)
const set = setUp({ redis, ...FOR_VISITS })
const service = await startService(set, { core: MINE, node })
await generationOf(redis)
const ours = { ...service, ...ourVisit(set), name: OURS }

/** Cap's pseudo-random texts, and the least number whose hash begins as it wants. */
function capSolutions({ token, challenge: { c, s, d } }) {
  const text = (seed, length) => {
    let state = 2166136261
    for (const letter of seed) {
      state ^= letter.codePointAt(0)
      state += (state << 1) + (state << 4) + (state << 7) + (state << 8) + (state << 24)
    }
    state >>>= 0
    let made = ''
    while (made.length < length) {
      state ^= state << 13
      state ^= state >>> 17
      state ^= state << 5
      made += (state >>> 0).toString(16).padStart(8, '0')
    }
    return made.slice(0, length)
  }
  return Array.from({ length: c }, (_, i) => {
    const [salt, target] = [text(`${token}${i + 1}`, s), text(`${token}${i + 1}d`, d)]
    for (let nonce = 0; ; nonce++) if (hash('sha256', salt + nonce, 'hex').startsWith(target)) return nonce
  })
}
const cap = {
  ...(await startTarget('cap-visit', { node })),
  name: CAP,
  calls: [
    () => json('/challenge', {}),
    ([challenge]) => json('/redeem', { token: challenge.token, solutions: capSolutions(challenge) }),
    ([, { token }]) => json('/verify', { token }),
  ],
  isDone: ({ success }) => success,
}

const altchaTarget = await startTarget('altcha-visit', { node, env: { REDIS: redis.url } })
const solvedByAltcha = new WeakMap()
const altcha = {
  ...altchaTarget,
  name: ALTCHA,
  calls: [
    () => json('/challenge', {}),
    ([challenge]) => json('/verify', { challenge, solution: solvedByAltcha.get(challenge) }),
  ],
  async between([challenge]) {
    if (!solvedByAltcha.has(challenge)) solvedByAltcha.set(challenge, await solveChallenge({ challenge, deriveKey }))
  },
  isDone: ({ success }) => success,
}

const reference = await startTarget('reference', { node, env: { REDIS: redis.url } })
const call = () => form('/api/v1/siteverify', { secret: set.secret, response: 'x'.repeat(1000), action: 'sign-up' })
const bare = { ...reference, name: BASE, calls: [call, call, call], isDone: ({ success }) => success }

const contenders = [ours, bare, cap, altcha]
/** Seconds of Redis for our visits, all rounds together: its clock counts hundredths of a second. */
let redisSeconds = 0
async function measured(each) {
  const before = redis.cpu()
  const round = await visits(each, VISITS)
  if (each === ours) redisSeconds += redis.cpu() - before
  return round
}
let results
try {
  await rounds(WARM, contenders, (each) => visits(each, VISITS))
  results = await rounds(COUNT, contenders, measured)
} finally {
  for (const each of contenders) await each.stop()
  await redis.stop()
  set.remove()
}
const base = results.get(BASE)
const rows = [...results].map(([name, each]) => [
  name,
  median(each.map(({ micros }) => micros)).toFixed(0),
  ratio(each, base, ({ micros }) => micros).toFixed(2),
  Math.round(median(each.map(({ perSecond }) => perSecond))).toLocaleString('en'),
  median(each.map(({ p99 }) => p99)).toFixed(0),
])
/** To one call of the reference, as the goal has it. */
const references = Number((3 * ratio(results.get(OURS), base, ({ micros }) => micros)).toFixed(2))
const redisMicros = Math.round((redisSeconds * 1e6) / (COUNT * VISITS))
const toPeer = (name) => Number(ratio(results.get(OURS), results.get(name), ({ micros }) => micros).toFixed(2))
writeResult(
  isNode24 ? 'visit-node24' : 'visit',
  `# What a whole verified visit costs

${inWords(`npm run bench -- visit${isNode24 ? ' --node24' : ''}`, machine(node))}
64 at a time, ${COUNT} rounds of ${VISITS} visits, in turns; medians. Processor time of the server from the kernel, all of its threads, while it is asked.
Cap and ALTCHA have no rate limit, no history, no score and no log line; Cap keeps challenges and tokens in its own memory.

**A visit takes ${references} references** (bare Express with one SET NX), and ${redisMicros} µs of Redis.

${table(['', 'CPU µs/visit', 'ratio', 'visits/s and core', 'p99 ms of all calls'], rows)}
`,
  {
    references,
    microsPerVisit: Math.round(median(results.get(OURS).map(({ micros }) => micros))),
    redisMicrosPerVisit: redisMicros,
    toCap: toPeer(CAP),
    toAltcha: toPeer(ALTCHA),
  },
  quick,
)
