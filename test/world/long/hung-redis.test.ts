/** docs/design/threats.md, "Concurrency": Redis hangs under load, every answer comes within a second, memory returns. */
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { ORIGIN, SECRET, type ServiceProcess, SITEKEY, sleep, startService } from '../../support/process.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'
import { BROWSER, token } from '../../support/visitor.ts'
import { type Memory, type MemoryProbe, memoryProbe } from './memory.ts'
import { type Ask, burst, type Seen, startLoad, summary } from './load.ts'

const MEGABYTE = 1_048_576
let redis: TestRedis
let service: ServiceProcess
let probe: MemoryProbe
const memory = (): Promise<Memory> => probe.read(service)

beforeEach(async () => {
  probe = memoryProbe()
  redis = await startRedis()
  service = await startService({ env: { ...probe.env, HV_REDIS_URL: redis.url } })
  await token(service.ask)
})
afterEach(async () => {
  redis.resume()
  await service.kill()
  await redis.remove()
  probe.remove()
})

const page = { ...BROWSER, origin: ORIGIN }
const ASKS: readonly Ask[] = [
  { path: '/api/v1/challenge', fields: { sitekey: SITEKEY, action: 'sign-up' }, headers: page },
  { path: '/api/v1/solve', fields: { challenge: 'none', solution: 'none' }, headers: page },
  { path: '/api/v1/siteverify', fields: { secret: SECRET, response: 'none' } },
  { path: '/health' },
]

/** The numbers, for whoever reads the run. */
const tell = (...of: unknown[]): void =>
  void process.stderr.write(`${of.map((each) => JSON.stringify(each)).join(' ')}\n`)
const unanswered = (seen: readonly Seen[]): readonly Seen[] => seen.filter(({ status }) => status === 0)
const during = (seen: readonly Seen[], from: number, to: number) => seen.filter(({ at }) => at >= from && at < to)
const operations = (seen: readonly Seen[]) => seen.filter(({ status, code }) => !(status === 200 && code === 'ok'))

test('1,000 requests while Redis is paused: all are answered within a second, with the root cause, and memory returns', async () => {
  await burst(service.url, 200, ASKS)
  const before = await memory()
  redis.pause()
  // All of them in the first two seconds, while nobody can know yet that Redis will not answer.
  const load = startLoad(service.url, 500, ASKS.slice(0, 3))
  while (load.asked() < 1000) await sleep(5)
  const seen = (await load.stop()).slice(0, 1000)
  expect(seen).toHaveLength(1000)
  expect(summary(seen).answers).toEqual({ '503 database-unavailable': 1000 })
  expect(summary(seen).slowest).toBeLessThanOrEqual(1000)

  redis.resume()
  await sleep(3000)
  expect(summary(await burst(service.url, 3, ASKS)).answers).toMatchObject({ '200 ok': 1 })
  const after = await memory()
  tell('hung', summary(seen), { before, after })
  expect(after.used - before.used).toBeLessThan(20 * MEGABYTE)
})

test('three seconds of SIGSTOP on Redis under 500 requests/s: every answer within a second, memory returns to 20 MB', async () => {
  // The same load without a fault first: what the process needs for so many connections is no leak.
  const warm = startLoad(service.url, 500, ASKS)
  await sleep(4000)
  expect(unanswered(await warm.stop())).toEqual([])
  const before = await memory()

  const load = startLoad(service.url, 500, ASKS)
  await sleep(2000)
  redis.pause()
  await sleep(3000)
  redis.resume()
  await sleep(4000)
  const seen = await load.stop()
  await sleep(3000)
  const after = await memory()
  tell('SIGSTOP', summary(seen), { hung: summary(during(seen, 2100, 4900)) }, { before, after })

  expect(seen.length).toBeGreaterThan(3500)
  expect(unanswered(seen)).toEqual([])
  expect(summary(seen).slowest).toBeLessThanOrEqual(1000)
  expect(new Set(operations(during(seen, 2100, 4900)).map(({ status }) => status))).toEqual(new Set([503]))
  // Answers as before, a second after it is back.
  expect(Object.keys(summary(during(seen, 7000, 9000)).answers).toSorted()).toEqual([
    '200 invalid-input-response',
    '200 ok',
    '400 invalid-input-challenge',
  ])
  expect(after.used - before.used).toBeLessThan(20 * MEGABYTE)
  expect(after.outside - before.outside).toBeLessThan(20 * MEGABYTE)
})
