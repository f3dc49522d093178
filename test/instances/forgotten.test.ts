/** docs/performance.md, "What a request must not do": a real process and Redis, and what V8 says of its collections. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { SECRET, type ServiceProcess, sleep, startService } from '../support/process.ts'
import { startRedis, type TestRedis } from '../support/redis.ts'
import { token } from '../support/visitor.ts'
import { type Crowd, crowd } from './crowd.ts'

const IN_FLIGHT = 32
const WARM = 2000
const COUNTED = 4000
/** Kilobytes of a request that may outlive two scavenges. It was 5 to 10 when something kept each of them, and is 0.1. */
const MOST_KEPT = 1
/** From SIGUSR2 on, V8 says what each collection left. Young space is small, so that there are many. */
const TELL = 'import v8 from "node:v8"; process.on("SIGUSR2", () => v8.setFlagsFromString("--trace-gc"))'
const NODE_OPTIONS = `--max-semi-space-size=4 --import data:text/javascript,${encodeURIComponent(TELL)}`

let redis: TestRedis
let service: ServiceProcess
let customers: Crowd

beforeAll(async () => {
  redis = await startRedis()
  service = await startService({ env: { HV_REDIS_URL: redis.url, NODE_OPTIONS } })
  customers = crowd(IN_FLIGHT)
})
afterAll(async () => {
  await customers.close()
  await service.stop()
  await redis.remove()
})

/** Megabytes in use before and after each collection of young objects, and after the great ones between them. */
function collections(said: string): { readonly scavenge: boolean; readonly after: number }[] {
  const lines = said.matchAll(/(Scavenge|Mark-Compact)[^\n]*? [\d.]+ \([\d.]+\) -> ([\d.]+) /g)
  return Array.from(lines, ([, kind, after]) => ({ scavenge: kind === 'Scavenge', after: Number(after) }))
}

test('a verification leaves nothing behind for the great collection', async () => {
  const response = await token(service.ask)
  const verify = () => customers.post(`${service.url}/api/v1/siteverify`, { secret: SECRET, response })
  const verifyMany = async (count: number) => {
    for (let left = count; left > 0; left -= IN_FLIGHT) await Promise.all(Array.from({ length: IN_FLIGHT }, verify))
  }
  await verifyMany(WARM)
  service.signal('SIGUSR2')
  await verifyMany(COUNTED)
  await sleep(100)

  const found = collections(service.said())
  const kept = found.reduce(
    (sum, { scavenge, after }, i) => sum + (scavenge && i > 0 ? after - found[i - 1]!.after : 0),
    0,
  )
  expect(found.filter(({ scavenge }) => scavenge).length).toBeGreaterThan(10)
  expect((kept * 1000) / COUNTED).toBeLessThan(MOST_KEPT)
})
