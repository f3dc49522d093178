/**
 * What does the ledger's script cost beside a plain SET NX, for us and for Redis? 64 in flight, in turns.
 *
 *     npm run bench -- ledger [--quick]
 */
import { Redis } from 'ioredis'
import { startRedis } from '../stand/redis.mjs'
import { markdownTable, median } from '../stand/tables.mjs'
import { openLedger, random } from './harness/ledger.mjs'
import { QUICK, writeResult } from './harness/result.mjs'
import { ratio, rounds } from './harness/rounds.mjs'
import { OTHER } from './harness/servers.mjs'

const [COUNT, TIMES, IN_FLIGHT] = QUICK ? [3, 6400, 64] : [7, 64_000, 64]
const redis = await startRedis(OTHER)
const { ledger, consume, close } = await openLedger(redis, 'hv')
const plain = new Redis(redis.url)
const contenders = [
  { name: 'SET NX', run: () => plain.set(`plain:${random.id()}`, '1', 'PX', 600_000, 'NX') },
  { name: "the ledger's script", run: () => consume(Math.floor(Date.now() / 1000) + 1260) },
]

async function measure({ run }) {
  await redis.client.flushdb()
  await ledger.probe()
  const [mine, theirs, started] = [process.cpuUsage(), redis.cpu(), performance.now()]
  let left = TIMES
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      while (left-- > 0) await run()
    }),
  )
  const { user, system } = process.cpuUsage(mine)
  const ms = performance.now() - started
  return {
    mine: (user + system) / TIMES,
    redis: ((redis.cpu() - theirs) * 1e6) / TIMES,
    perSecond: TIMES / (ms / 1000),
  }
}

await rounds(1, contenders, measure)
const results = await rounds(COUNT, contenders, measure)
const base = results.get('SET NX')
const rows = [...results].map(([name, each]) => [
  name,
  median(each.map(({ mine }) => mine)).toFixed(1),
  ratio(each, base, ({ mine }) => mine).toFixed(2),
  median(each.map((one) => one.redis)).toFixed(1),
  Math.round(median(each.map(({ perSecond }) => perSecond))).toLocaleString('en'),
])
await close()
plain.disconnect()
await redis.stop()
writeResult('ledger', {
  title: 'What the ledger costs',
  text: `${IN_FLIGHT} in flight, ${COUNT} rounds of ${TIMES.toLocaleString('en')} calls, in turns; medians. CPU of this process (it makes the entries, too) and of Redis.

${markdownTable(['', 'CPU µs', 'ratio', 'Redis CPU µs', 'calls/s'], rows)}`,
  figures: Object.fromEntries(
    [...results].map(([name, each]) => [name, Number(median(each.map(({ mine }) => mine)).toFixed(1))]),
  ),
})
