/**
 * What does one verification cost? The built service with its real Redis, beside a bare Express application that does
 * one SET NX (1.00). docs/design/performance.md has the goals.
 *
 *     npm run bench -- siteverify [--quick] [--node PATH] [--connections 1,64]
 */
import { parseArgs } from 'node:util'
import { inWords, machine } from './harness/machine.mjs'
import { startRedis } from './harness/redis.mjs'
import { writeResult } from './harness/result.mjs'
import { median } from './harness/rounds.mjs'
import { generationOf, mintBodies, MOST_A_SECOND, setUp, startService } from './harness/service.mjs'
import { against, compared, LEAD, MINE, OTHER, sideBySide, startTarget } from './harness/side-by-side.mjs'

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean' },
    node: { type: 'string', default: process.execPath },
    connections: { type: 'string', default: '1,64' },
  },
})
const COUNT = values.quick ? 3 : 5
const SECONDS = values.quick ? 2 : 3
const WARM = 3
const OURS = 'this service'
const BASE = 'bare Express + SET NX'
const most = (connections) => (LEAD + SECONDS) * (connections === 1 ? 6000 : MOST_A_SECOND)

const redis = await startRedis(OTHER)
const set = setUp({ redis })
const service = await startService(set, { core: MINE, node: values.node })
const generation = await generationOf(redis)
const how = { path: '/api/v1/siteverify', wanted: '"success":true' }
const contenders = [
  {
    ...service,
    ...how,
    name: OURS,
    bodies: (connections) => mintBodies(set, { count: most(connections), generation }),
  },
  {
    ...(await startTarget('reference', { node: values.node, env: { REDIS: redis.url } })),
    ...how,
    name: BASE,
    bodies: () => mintBodies(set, { count: 1, generation }),
  },
]

const sections = []
const figures = {}
try {
  // Everything is compiled before anything counts: V8 takes some 30,000 requests for that, on one core.
  await sideBySide(contenders, { connections: 64, count: WARM, seconds: SECONDS })
  for (const connections of values.connections.split(',').map(Number)) {
    const results = await sideBySide(contenders, { connections, count: COUNT, seconds: SECONDS })
    sections.push(
      `## ${connections} ${connections === 1 ? 'connection' : 'connections'}\n\n${compared(results, BASE)}\n`,
    )
    figures[connections] = {
      microsPerRequest: Math.round(median(results.get(OURS).map(({ micros }) => micros))),
      requestsPerSecond: Math.round(median(results.get(OURS).map(({ perSecond }) => perSecond))),
      toReference: against(results, OURS, BASE),
    }
  }
} finally {
  for (const each of contenders) await each.stop()
  await redis.stop()
  set.remove()
}

const facts = machine(values.node)
const name = values.node === process.execPath ? 'siteverify' : `siteverify-node${facts.node.slice(1).split('.')[0]}`
writeResult(
  name,
  `# What one verification costs, Node.js ${facts.node}

${inWords(`npm run bench -- siteverify${values.node === process.execPath ? '' : ' --node …'}`, facts)}
${COUNT} rounds of ${SECONDS} s each, after ${LEAD} s that does not count, in turns; medians; ratios are medians of each round's. The server has one core, Redis and wrk the other.
Every request of this service is accepted: a token of its own, limiter, ledger, log line.

${sections.join('\n')}`,
  figures,
  values.quick,
)
