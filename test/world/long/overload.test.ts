/** Twice the load that can be served. Every answer comes within a second, and it is over at once. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { SECRET, type ServiceProcess, sleep, startService } from '../../support/process.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'
import { token } from '../../support/visitor.ts'

interface Outcome {
  readonly asked: number
  readonly answers: Readonly<Record<string, number>>
  readonly p50: number
  readonly p99: number
  readonly slowest: number
}

let redis: TestRedis
let service: ServiceProcess
let body = ''
beforeAll(async () => {
  redis = await startRedis()
  service = await startService({ env: { HV_REDIS_URL: redis.url, HV_LOG_LEVEL: 'warn' } })
  // A token that is spent goes all the way: authenticate, open, limit, consume, answer.
  const response = await token(service.ask)
  body = new URLSearchParams({ secret: SECRET, response, action: 'sign-up' }).toString()
})
afterAll(async () => {
  await service.kill()
  await redis.remove()
})

const run = promisify(execFile)
async function ask(perSecond: number, seconds: number): Promise<Outcome> {
  const script = join(import.meta.dirname, 'open-loop.js')
  const { stdout } = await run(process.execPath, [script, service.url, String(perSecond), String(seconds), body])
  return JSON.parse(stdout) as Outcome
}
const served = ({ answers }: Outcome): number => (answers['200 timeout-or-duplicate'] ?? 0) + (answers['200 ok'] ?? 0)

/** The most that is served with nobody refused and nobody waiting long, found by asking for more and more. */
async function capacity(): Promise<number> {
  let most = 500
  for (let rate = 1000; rate <= 32_000; rate = Math.round(rate * 1.4)) {
    const outcome = await ask(rate, 2)
    if (served(outcome) < outcome.asked || outcome.p99 > 100) return most
    most = rate
  }
  return most
}

test('twice the load: each request is answered within a second, some are refused, health stays true, and then all is well', async () => {
  await ask(1000, 2)
  const rate = await capacity()
  const healths: { status: number; ms: number }[] = []
  const watching = new AbortController()
  const watch = (async () => {
    while (!watching.signal.aborted) {
      const since = performance.now()
      const { status } = await fetch(`${service.url}/health`)
      healths.push({ status, ms: performance.now() - since })
      await sleep(100)
    }
  })()
  const outcome = await ask(rate * 2, 6)
  watching.abort()
  await watch
  const after = await ask(Math.round(rate / 2), 1)
  process.stderr.write(`overload ${JSON.stringify({ rate, outcome, after })}\n`)

  expect(Object.keys(outcome.answers).toSorted()).toEqual(
    Object.keys(outcome.answers)
      .filter((kind) => /^(200 timeout-or-duplicate|503 rate-limiter-unavailable)$/.test(kind))
      .toSorted(),
  )
  expect(outcome.slowest).toBeLessThanOrEqual(1000)
  expect(served(outcome)).toBeGreaterThan(rate)
  expect(new Set(healths.map(({ status }) => status))).toEqual(new Set([200]))
  expect(Math.max(...healths.map(({ ms }) => ms))).toBeLessThanOrEqual(1000)
  expect(served(after)).toBe(after.asked)
}, 120_000)
