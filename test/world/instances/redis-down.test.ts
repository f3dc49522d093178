/** docs/design/threats.md, "Faults", restarted and hung: `hv serve` as a real process on a real Redis that goes away. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { NotStarted, SECRET, type ServiceProcess, SITEKEY, sleep, startService } from '../../support/process.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'
import { BROWSER, post, token } from '../../support/visitor.ts'

let redis: TestRedis
let service: ServiceProcess

beforeEach(async () => {
  redis = await startRedis()
  service = await startService({ env: { HV_REDIS_URL: redis.url } })
})
afterEach(async () => {
  await service.kill()
  await redis.remove()
})

interface Timed {
  readonly status: number
  readonly body: unknown
  readonly retryAfter: string | null
  readonly ms: number
}

async function timed(asks: () => Promise<{ status: number; body: unknown; headers: Headers }>): Promise<Timed> {
  const started = performance.now()
  const { status, body, headers } = await asks()
  return { status, body, retryAfter: headers.get('retry-after'), ms: performance.now() - started }
}
const siteverify = (response: string, secret = SECRET) =>
  timed(() => post(`${service.url}/api/v1/siteverify`, { secret, response }))
const challenge = () =>
  timed(() =>
    post(
      `${service.url}/api/v1/challenge`,
      { sitekey: SITEKEY, action: 'sign-up' },
      { ...BROWSER, origin: service.ask.origin },
    ),
  )
const health = () =>
  timed(async () => {
    const res = await fetch(`${service.url}/health`)
    return { status: res.status, body: await res.json(), headers: res.headers }
  })

const OVER = { success: false, 'error-codes': ['timeout-or-duplicate'] }
const UNAVAILABLE = {
  status: 503,
  body: { success: false, 'error-codes': ['database-unavailable'] },
  retryAfter: '1',
  ms: expect.any(Number),
}
const UNHEALTHY = { ...UNAVAILABLE, body: { status: 'unavailable', 'error-codes': ['database-unavailable'] } }

/** Until it is so; how long it took, in milliseconds. @throws {Error} after `longest`. */
async function until(holds: () => Promise<boolean>, longest: number): Promise<number> {
  const started = performance.now()
  while (!(await holds())) {
    if (performance.now() - started > longest) throw new Error(`not so within ${longest} ms`)
    await sleep(25)
  }
  return performance.now() - started
}
/** Milliseconds: one poll of the ledger, and as much again for its answer. */
const ONE_POLL = 500
const verifies = async (): Promise<boolean> => {
  const response = await token(service.ask).catch(() => undefined)
  if (response === undefined) return false
  const { body } = await siteverify(response)
  return (body as { success: boolean }).success
}

describe.each([
  // A stopped one comes back empty and nobody knows what it forgot, so nothing older is accepted. A paused one forgot
  // nothing: an older token may still be accepted, if none of our lost calls has consumed it meanwhile.
  ['stopped', () => redis.stop(), () => redis.start(), 0],
  ['paused', async () => redis.pause(), async () => redis.resume(), 1],
])('Redis %s', (_how, goes, comes, mostAccepted) => {
  test('refuses with 503 within 1 s, and works within 3 s of its return, without a restart', async () => {
    const [before, alsoBefore] = [await token(service.ask), await token(service.ask)]
    expect((await siteverify(await token(service.ask))).body).toMatchObject({ success: true })

    await goes()
    const first = await siteverify(before)
    expect(first).toEqual(UNAVAILABLE)
    expect(first.ms).toBeLessThan(1000)

    // What needs no Redis is answered as ever: the secret is looked at first.
    const wrong = await siteverify(before, 'wrong')
    expect(wrong).toMatchObject({ status: 400, body: { success: false, 'error-codes': ['invalid-input-secret'] } })
    expect(wrong.ms).toBeLessThan(500)

    await until(async () => (await health()).status === 503, ONE_POLL)
    expect(await health()).toEqual(UNHEALTHY)
    expect(await challenge()).toEqual(UNAVAILABLE)
    const answers = await Promise.all(Array.from({ length: 50 }, () => siteverify(alsoBefore)))
    for (const answer of answers) expect(answer).toEqual(UNAVAILABLE)
    expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(1500)

    await comes()
    await until(verifies, 3000)
    await until(async () => (await health()).status === 200, ONE_POLL)
    const old = [await siteverify(alsoBefore), await siteverify(alsoBefore), await siteverify(alsoBefore)]
    const refused = old.filter(({ status, body }) => status === 200 && JSON.stringify(body) === JSON.stringify(OVER))
    expect(refused.length).toBeGreaterThanOrEqual(3 - mostAccepted)
    expect(old.at(-1)?.body).toEqual(OVER)
    expect(JSON.stringify(service.lines())).not.toContain(SECRET)
  })
})

test('a Redis user that loses a command of the limiter: every operation says so, then health, until it has it again', async () => {
  // Its rights were looked at when it was found, and would be again five seconds later.
  await sleep(1000)
  await redis.cli('ACL', 'SETUSER', 'default', '-incrby')
  expect((await siteverify('a.b.c')).body).toEqual({
    success: false,
    'error-codes': [expect.stringMatching(/^(?:rate-limiter|database)-unavailable$/)],
  })
  await until(async () => (await health()).status === 503, ONE_POLL)
  expect((await health()).body).toEqual({ status: 'unavailable', 'error-codes': ['database-unavailable'] })
  await redis.cli('ACL', 'SETUSER', 'default', '+incrby')
  await until(async () => (await health()).status === 200, 2000)
  expect(await verifies()).toBe(true)
})

test('Redis away at the start: the service starts unready, and works within 3 s once Redis is there', async () => {
  await redis.stop()
  await service.kill()
  service = await startService({ env: { HV_REDIS_URL: redis.url } })
  expect(await health()).toEqual(UNHEALTHY)
  expect(await challenge()).toEqual(UNAVAILABLE)
  await redis.start()
  await until(verifies, 3000)
})

test('Redis may drop entries (allkeys-lru): hv serve says what to set, and exits 1', async () => {
  const lossy = await startRedis({ args: ['--maxmemory-policy', 'allkeys-lru'] })
  const failed = (await startService({ env: { HV_REDIS_URL: lossy.url } }).catch(
    (error: unknown) => error,
  )) as NotStarted
  expect(failed).toBeInstanceOf(NotStarted)
  expect(failed.exitCode).toBe(1)
  expect(failed.said).toMatch(/not started: .*set maxmemory-policy to noeviction \(it is allkeys-lru\)/)
  expect(failed.said).not.toMatch(/^ +at /m)
  await lossy.remove()
})
