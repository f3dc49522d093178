/**
 * What does one verification cost? The built service with its real Redis, beside a bare Express application that does
 * one SET NX (1.00), the same on `node:http`, and the usual assembly of the same packages. docs/design/performance.md has the goals.
 *
 *     npm run bench -- siteverify [--quick] [--node PATH] [--connections 64]
 */
import { hkdfSync } from 'node:crypto'
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
    connections: { type: 'string', default: '1,16,64,256' },
  },
})
const COUNT = values.quick ? 3 : 5
const SECONDS = values.quick ? 2 : 3
const WARM = 3
const BASE = 'bare Express + SET NX'
const most = (connections) => (LEAD + SECONDS) * (connections === 1 ? 6000 : MOST_A_SECOND)

const redis = await startRedis(OTHER)
const set = setUp({ redis })
const service = await startService(set, { core: MINE, node: values.node })
const generation = await generationOf(redis)
/** The nth set of tokens, the same for each server: each keeps its entries under names of its own. */
const sets = []
const eachItsOwn = () => {
  let taken = 0
  return (connections) => {
    sets[taken - 1] = undefined
    return (sets[taken++] ??= mintBodies(set, { count: most(connections), generation }))
  }
}

const derived = hkdfSync('sha256', Buffer.from(set.key.k, 'base64url'), '', 'human-verification/1/response', 32)
const env = { REDIS: redis.url, KEY: Buffer.from(derived).toString('base64url'), SECRET: set.secret }
const how = { path: '/api/v1/siteverify', wanted: '"success":true' }
const target = async (name, file) => ({
  ...(await startTarget(file, { node: values.node, env })),
  ...how,
  name,
  bodies: eachItsOwn(),
})
const contenders = [
  { ...service, ...how, name: 'this service', bodies: eachItsOwn() },
  await target(BASE, 'reference'),
  await target('node:http + SET NX', 'bare-http'),
  await target('usual assembly', 'usual'),
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
      microsPerRequest: Math.round(median(results.get('this service').map(({ micros }) => micros))),
      requestsPerSecond: Math.round(median(results.get('this service').map(({ perSecond }) => perSecond))),
      toReference: against(results, 'this service', BASE),
      toUsual: against(results, 'this service', 'usual assembly'),
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
