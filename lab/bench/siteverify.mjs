/**
 * What does one verification cost? The built service with its real Redis, beside a bare Express application that does
 * one SET NX (1.00). docs/design/performance.md has the budgets.
 *
 *     npm run bench -- siteverify [--quick] [--node24]
 */
import { median } from '../stand/tables.mjs'
import { QUICK, writeResult } from './harness/result.mjs'
import { ratio } from './harness/rounds.mjs'
import { compared, LEAD, sideBySide, startMeasured, startTarget } from './harness/side-by-side.mjs'
import { mintBodies, MOST_A_SECOND } from './harness/tokens.mjs'

const [COUNT, SECONDS] = QUICK ? [3, 2] : [5, 3]
const WARM = 3
const OURS = 'this service'
const BASE = 'bare Express + SET NX'
const most = (connections) => (LEAD + SECONDS) * (connections === 1 ? 6000 : MOST_A_SECOND)

const { redis, service, generation } = await startMeasured()
const how = { path: '/api/v1/siteverify', wanted: '"success":true' }
const contenders = [
  {
    ...service,
    ...how,
    name: OURS,
    bodies: (connections) => mintBodies(service, { count: most(connections), generation }),
  },
  {
    ...(await startTarget('reference', { REDIS: redis.url })),
    ...how,
    name: BASE,
    bodies: () => mintBodies(service, { count: 1, generation }),
  },
]

const sections = []
const figures = {}
try {
  // Everything is compiled before anything counts: V8 takes some 30,000 requests for that, on one core.
  await sideBySide(contenders, { connections: 64, count: WARM, seconds: SECONDS })
  for (const connections of [1, 64]) {
    const results = await sideBySide(contenders, { connections, count: COUNT, seconds: SECONDS })
    const [ours, base] = [results.get(OURS), results.get(BASE)]
    const micros = (each) => each.micros
    sections.push(
      `## ${connections} ${connections === 1 ? 'connection' : 'connections'}\n\n${compared(results, BASE)}\n`,
    )
    figures[connections] = {
      microsPerRequest: Math.round(median(ours.map(micros))),
      requestsPerSecond: Math.round(median(ours.map(({ perSecond }) => perSecond))),
      toReference: { micros: Number(ratio(ours, base, micros).toFixed(2)) },
    }
  }
} finally {
  for (const each of contenders) await each.stop()
  await redis.stop()
}

writeResult('siteverify', {
  title: 'What one verification costs',
  text: `${COUNT} rounds of ${SECONDS} s each, after ${LEAD} s that does not count, in turns; medians; ratios are medians of each round's. The server has one core, Redis and wrk the other.
Every request of this service is accepted: a token of its own, limiter, ledger, log line.

${sections.join('\n')}`,
  figures,
})
