/**
 * What does a whole verified visit cost the service? Challenge, solve and siteverify with limits, history, score, log lines and
 * Redis, beside three calls of a bare Express application with one SET NX each, and beside what Cap's and ALTCHA's server
 * libraries do for a visit. docs/design/performance.md has the budgets.
 *
 *     npm run bench -- visit [--quick] [--node24]
 */
import { hash, randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { solveChallenge } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import { ROOT } from '../stand/machine.mjs'
import { mouseUser } from '../attackers/forge.mjs'
import { ACTION, SITEKEY } from '../stand/service.mjs'
import { markdownTable, median } from '../stand/tables.mjs'
import { QUICK, writeResult } from './harness/result.mjs'
import { ratio, rounds } from './harness/rounds.mjs'
import { startMeasured, startTarget } from './harness/side-by-side.mjs'
import { visits } from './harness/visits.mjs'

const { honestWork } = await import(join(ROOT, 'dist/doctor/visitor.js'))
const version = (name) => JSON.parse(readFileSync(join(ROOT, 'lab/node_modules', name, 'package.json'), 'utf8')).version
const [COUNT, VISITS] = QUICK ? [3, 128] : [7, 512]
/**
 * Rounds before the first that counts. Node.js goes on compiling for thousands of visits, and its compiler's threads count too: on
 * Node.js 24 they took 120 µs of a visit after 5,000 visits, and 29 after 15,000.
 */
const WARM = QUICK ? 2 : 20
const BASE = 'three calls of bare Express + SET NX'
const OURS = 'this service'
const CAP = `Cap, @cap.js/server ${version('@cap.js/server')}`
const ALTCHA = `ALTCHA, altcha-lib ${version('altcha-lib')}, and one SET NX`

const json = (path, value) => ({ path, body: JSON.stringify(value), type: 'application/json', headers: {} })
const form = (path, fields, headers = {}) => ({
  path,
  body: String(new URLSearchParams(fields)),
  type: 'application/x-www-form-urlencoded',
  headers,
})

/**
 * The server's part is the same at every level of work, so the load generator gets the least. The threshold is 0, because all
 * visits say the same of themselves; they are scored all the same.
 */
const { redis, service } = await startMeasured({ score_threshold: 0, work: { level: 0, max_level: 0 } })

/** Signals as the widget of a person with mouse and keys sends them. */
const SIGNALS = JSON.stringify(mouseUser({ n: 18_432 }, 9000))
/** Headers of one person's browser. Everybody comes from an address of their own. */
const browser = () => ({
  'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36',
  'Accept-Language': 'en-US,en;q=0.9',
  'Sec-Fetch-Site': 'cross-site',
  'Sec-Fetch-Mode': 'cors',
  'Sec-Fetch-Dest': 'empty',
  Origin: 'http://localhost',
  'X-Forwarded-For': `${randomInt(11, 126)}.${randomInt(256)}.${randomInt(256)}.9`,
})
const browsers = new WeakMap()
const ours = {
  ...service,
  name: OURS,
  calls: [
    (answers) => {
      browsers.set(answers, browser())
      return form('/api/v1/challenge', { sitekey: SITEKEY, action: ACTION }, browsers.get(answers))
    },
    (answers) => {
      const [{ challenge, work }] = answers
      const fields = { challenge, solution: honestWork(challenge, work), signals: SIGNALS }
      return form('/api/v1/solve', fields, browsers.get(answers))
    },
    ([, { token }]) => form('/api/v1/siteverify', { secret: service.secret, response: token, action: ACTION }),
  ],
  isDone: ({ success }) => success,
}

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
  ...(await startTarget('cap-visit')),
  name: CAP,
  calls: [
    () => json('/challenge', {}),
    ([challenge]) => json('/redeem', { token: challenge.token, solutions: capSolutions(challenge) }),
    ([, { token }]) => json('/verify', { token }),
  ],
  isDone: ({ success }) => success,
}

const altchaTarget = await startTarget('altcha-visit', { REDIS: redis.url })
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

const reference = await startTarget('reference', { REDIS: redis.url })
const call = () => form('/api/v1/siteverify', { secret: service.secret, response: 'x'.repeat(1000), action: 'sign-up' })
const bare = { ...reference, name: BASE, calls: [call, call, call], isDone: ({ success }) => success }

const contenders = [ours, bare, cap, altcha]
/** Seconds of Redis for our visits, all rounds together. */
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
writeResult('visit', {
  title: 'What a whole verified visit costs',
  text: `64 at a time, ${COUNT} rounds of ${VISITS} visits, in turns; medians. Processor time of the server from the kernel, all of its threads, while it is asked.
Cap and ALTCHA have no rate limit, no history, no score and no log line; Cap keeps challenges and tokens in its own memory.

**A visit takes ${references} references** (bare Express with one SET NX), and ${redisMicros} µs of Redis.

${markdownTable(['', 'CPU µs/visit', 'ratio', 'visits/s and core', 'p99 ms of all calls'], rows)}`,
  figures: {
    references,
    microsPerVisit: Math.round(median(results.get(OURS).map(({ micros }) => micros))),
    redisMicrosPerVisit: redisMicros,
    toCap: toPeer(CAP),
    toAltcha: toPeer(ALTCHA),
  },
})
