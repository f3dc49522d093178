/**
 * What does a whole verified visit cost the service? Challenge, solve and siteverify with limits, history, score and log lines,
 * beside what Cap's and ALTCHA's server libraries do for a visit: each with its store in memory, and each with Redis.
 *
 *     npm run bench -- visit [--quick] [--node24]
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { solveChallenge } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import { solutionsOf } from '../compare/peers/cap.mjs'
import { ROOT } from '../stand/machine.mjs'
import { startRedis } from '../stand/redis.mjs'
import { markdownTable } from '../stand/tables.mjs'
import { ourCalls, POLICY } from './harness/our-visit.mjs'
import { QUICK, writeResult } from './harness/result.mjs'
import { costTo, ofEach, PROCESSES, rounds, sets, spreadText } from './harness/rounds.mjs'
import { OTHER, startMeasured, startTarget } from './harness/servers.mjs'
import { solvedOnce, startedAgain } from './harness/started-again.mjs'
import { visits } from './harness/visits.mjs'

const version = (name) =>
  JSON.parse(readFileSync(join(ROOT, 'lab/node_modules', name, 'package.json'), 'utf8')).version
const [SLICES, VISITS] = QUICK ? [2, 128] : [3, 512]
/**
 * Slices of each process before the first that counts. Node.js goes on compiling for thousands of visits, and its compiler's threads
 * count too: on Node.js 24 they took 120 µs of a visit after 5,000 visits, and 29 after 15,000.
 */
const WARM = QUICK ? 2 : 12
/** Visits of a new process that count as cold. */
const FIRST = QUICK ? 128 : 512
const OURS = 'this service'
const CAP = `Cap, @cap.js/server ${version('@cap.js/server')}`
const ALTCHA = `ALTCHA, altcha-lib ${version('altcha-lib')}`
const STORES = ['memory', 'Redis']
const named = (name, store) => `${name}, ${store}`

const json = (path, value) => ({
  path,
  body: JSON.stringify(value),
  type: 'application/json',
  headers: {},
})

const redis = await startRedis(OTHER)

const startOursOnRedis = startedAgain(redis, POLICY)
/** The generation of a ledger in memory is each process's own, so its visits solve challenges of their own. */
async function startOursInMemory() {
  const service = await startMeasured(undefined, POLICY)
  return { ...service, calls: ourCalls(service.secret) }
}

const isSuccess = ({ success }) => success
const startOurs = (store) => async () => ({
  ...(await (store === 'Redis' ? startOursOnRedis() : startOursInMemory())),
  name: named(OURS, store),
  isDone: isSuccess,
})
const environment = (store) => (store === 'Redis' ? { REDIS: redis.url } : {})

const startCap = (store) => async () => ({
  ...(await startTarget('cap-visit', environment(store))),
  name: named(CAP, store),
  calls: [
    () => json('/challenge', {}),
    ([challenge]) => json('/redeem', { token: challenge.token, solutions: solutionsOf(challenge) }),
    ([, { token }]) => json('/verify', { token }),
  ],
  isDone: isSuccess,
})

const altchaSolves = solvedOnce(async ([challenge]) =>
  json('/verify', {
    altcha: { challenge, solution: await solveChallenge({ challenge, deriveKey }) },
  }),
)
const startAltcha = (store) => async () => ({
  ...(await startTarget('altcha-visit', environment(store))),
  name: named(ALTCHA, store),
  calls: [() => json('/challenge', {}), altchaSolves()],
  isDone: ({ verification }) => verification?.verified === true,
})

async function measured(each) {
  const before = redis.cpu()
  const slice = await visits(each, VISITS)
  return { ...slice, redisMicros: ((redis.cpu() - before) * 1e6) / VISITS }
}
/** Of each process, its first visits: modules are there, but nothing is compiled yet. Small sites and fresh containers live here. */
const cold = []
const starts = STORES.flatMap((store) => [startOurs(store), startCap(store), startAltcha(store)])
const results = await sets(starts, async (contenders) => {
  cold.push(await rounds(1, contenders, (each) => visits(each, FIRST)))
  await rounds(WARM, contenders, (each) => visits(each, VISITS))
  return rounds(SLICES, contenders, measured)
}).finally(redis.stop)

const microsOf = ({ micros }) => micros
/** The cost of ours to that of another with the same store. */
const toOther = (from, other, store) => costTo(from, named(OURS, store), named(other, store))
const rowsOf = (from, more = () => []) =>
  STORES.flatMap((store) =>
    [OURS, CAP, ALTCHA].map((name) => [
      named(name, store),
      spreadText(ofEach(from, named(name, store), microsOf)),
      name === OURS ? '' : spreadText(toOther(from, name, store), 2),
      ...more(named(name, store)),
    ]),
  )
const rows = rowsOf(results, (name) => [
  ofEach(results, name, ({ perSecond }) => perSecond).median.toLocaleString('en'),
  ofEach(results, name, ({ p99 }) => p99).median,
])
const OURS_ON_REDIS = named(OURS, 'Redis')
const redisMicros = ofEach(results, OURS_ON_REDIS, (slice) => slice.redisMicros).median
const ratios = (from, store) => ({
  toCap: toOther(from, CAP, store),
  toAltcha: toOther(from, ALTCHA, store),
})
const onRedis = ratios(results, 'Redis')
const inMemory = ratios(results, 'memory')
writeResult('visit', {
  title: 'What a whole verified visit costs',
  text: `${PROCESSES} processes of each, started anew in turns; each after ${(WARM * VISITS).toLocaleString('en')} visits that do not count, ${SLICES} slices of ${VISITS}, in turns, 64 at a time.
Medians of the processes, and their range. Processor time of the server from the kernel, all of its threads, while it is asked.
Cap and ALTCHA have no rate limit, no history, no score and no log line. Both use Redis by the hooks that they document for it.

**With Redis a visit takes ${onRedis.toCap.median} of what it takes Cap, and ${onRedis.toAltcha.median} of what it takes ALTCHA**; and ${redisMicros} µs of Redis. With every store in memory: ${inMemory.toCap.median} and ${inMemory.toAltcha.median}.

${markdownTable(['', 'CPU µs/visit', 'ours to it', 'visits/s and core', 'p99 ms of all calls'], rows)}

The first ${FIRST} visits of each process:

${markdownTable(['', 'CPU µs/visit', 'ours to it'], rowsOf(cold))}`,
  figures: {
    microsPerVisit: ofEach(results, OURS_ON_REDIS, microsOf).median,
    microsInMemory: ofEach(results, named(OURS, 'memory'), microsOf).median,
    redisMicrosPerVisit: redisMicros,
    onRedis,
    inMemory,
    coldMicrosPerVisit: ofEach(cold, OURS_ON_REDIS, microsOf).median,
    coldOnRedis: ratios(cold, 'Redis'),
    coldInMemory: ratios(cold, 'memory'),
  },
})
