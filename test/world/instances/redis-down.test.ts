/** `hv serve` as a real process on a Redis that goes away; test/world/faults has the same under load, with each kind of loss. */
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { eventually } from '../../support/ledger-contract.ts'
import { SECRET, type ServiceProcess, SITEKEY, startService } from '../../support/process.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'
import { BROWSER, post, token } from '../../support/visitor.ts'

let redis: TestRedis
let service: ServiceProcess
const start = (env: Record<string, string> = {}) => startService({ env: { HV_REDIS_URL: redis.url, ...env } })
beforeEach(async () => {
  redis = await startRedis()
  service = await start()
})
afterEach(async () => {
  await service.kill()
  await redis.remove()
})

const siteverify = (response: string, secret = SECRET) => post(`${service.url}/api/v1/siteverify`, { secret, response })
const challenge = () =>
  post(
    `${service.url}/api/v1/challenge`,
    { sitekey: SITEKEY, action: 'sign-up' },
    { ...BROWSER, origin: service.ask.origin },
  )
/** Milliseconds: one poll of the ledger, and as much again for its answer. */
const ONE_POLL = 500
const isHealthy = () =>
  eventually(async () => expect(await (await fetch(`${service.url}/health`)).json()).toEqual({ status: 'ok' }))
const isUnhealthy = () =>
  eventually(async () => {
    const res = await fetch(`${service.url}/health`)
    const body: unknown = await res.json()
    expect([res.status, body]).toEqual([503, { status: 'unavailable', 'error-codes': ['database-unavailable'] }])
  }, ONE_POLL)
/** Waits until somebody new gets in. @throws {Error} after so many milliseconds. */
const verifies = (within = 30_000) =>
  eventually(async () => {
    expect((await siteverify(await token(service.ask))).body).toMatchObject({ success: true })
  }, within)
/** Milliseconds from the return of Redis on. */
const STATED = 3000
const UNAVAILABLE = { status: 503, body: { success: false, 'error-codes': ['database-unavailable'] } }

test.each([
  // One that is stopped comes back empty, so nothing older is accepted. A paused one forgot nothing: an older token may
  // still be accepted once, if none of our lost calls has consumed it.
  ['stopped', () => redis.stop(), () => redis.start(), 0],
  ['paused', async () => redis.pause(), async () => redis.resume(), 1],
])('Redis is %s: 503 within 1 s, and all works within 3 s of its return, without a restart', async (...row) => {
  const [, goes, comes, mostAccepted] = row
  await verifies()
  const before = await token({ ...service.ask, patient: true })

  await goes()
  const from = service.lines().length
  const answers = [await siteverify(before)]
  answers.push(...(await Promise.all(Array.from({ length: 50 }, () => siteverify(before)))))
  // By the service's own clock: this process has 51 answers to read.
  const waits = await eventually(() => {
    const taken = service
      .lines()
      .slice(from)
      .flatMap(({ status, ms }) => (status === 503 ? [Number(ms)] : []))
    expect(taken.length).toBeGreaterThanOrEqual(51)
    return taken
  })
  expect(waits[0]).toBeLessThan(1000)
  // Fifty at once are work besides.
  expect(Math.max(...waits)).toBeLessThan(1500)
  for (const answer of answers) expect(answer).toMatchObject(UNAVAILABLE)
  expect(answers[0]!.headers.get('retry-after')).toBe('1')
  // What needs no Redis is answered as ever: the secret is looked at first.
  expect(await siteverify(before, 'wrong')).toMatchObject({ status: 400 })
  await isUnhealthy()
  expect(await challenge()).toMatchObject(UNAVAILABLE)

  await comes()
  await verifies(STATED)
  await isHealthy()
  const old = [await siteverify(before), await siteverify(before), await siteverify(before)]
  expect(old.filter(({ body }) => body['success'] === true).length).toBeLessThanOrEqual(mostAccepted)
  expect(old.at(-1)!.body).toEqual({ success: false, 'error-codes': ['timeout-or-duplicate'] })
  expect(service.said()).not.toContain(SECRET)
})

test('a Redis user that loses a command of the limiter: every operation says so, then health, until it has it again', async () => {
  await redis.cli('ACL', 'SETUSER', 'default', '-hincrby')
  await eventually(async () =>
    expect((await siteverify('a.b.c')).body).toEqual({
      success: false,
      'error-codes': [expect.stringMatching(/^(?:rate-limiter|database)-unavailable$/)],
    }),
  )
  await isUnhealthy()
  await redis.cli('ACL', 'SETUSER', 'default', '+hincrby')
  await isHealthy()
  await verifies()
})

test('Redis is away at the start: the service starts unready, and works within 3 s once Redis is there', async () => {
  await redis.stop()
  await service.kill()
  service = await start()
  await isUnhealthy()
  expect(await challenge()).toMatchObject(UNAVAILABLE)
  await redis.start()
  await verifies(STATED)
})

test('a process that cannot start says why, and exits 1', async () => {
  const failure = (env: Record<string, string>): Promise<unknown> => start(env).catch((error: unknown) => error)
  const listen = new URL(service.url).host
  // Though Redis is connected.
  expect(await failure({ HV_LISTEN: listen })).toMatchObject({
    exitCode: 1,
    said: expect.stringContaining(`another program listens on ${listen}`),
  })
  expect(await failure({ HV_LISTEN: '192.0.2.1:8080' })).toMatchObject({
    exitCode: 1,
    said: expect.stringContaining('not started: 192.0.2.1 is no address of this machine'),
  })
  const lossy = await startRedis({ args: ['--maxmemory-policy', 'allkeys-lru'] })
  expect(await failure({ HV_REDIS_URL: lossy.url })).toMatchObject({
    exitCode: 1,
    said: expect.stringMatching(/^not started: .*set maxmemory-policy to noeviction \(it is allkeys-lru\)\n$/m),
  })
  await lossy.remove()
})
