/** `hv serve` as a real process whose Redis is away, or refuses; test/world/faults has each kind of loss under load. */
import { expect, test } from '@jest/globals'
import { eventually } from '../../support/ledger-contract.ts'
import { closeAfterEach } from '../../support/ledger-on-redis.ts'
import { SECRET, SITEKEY, startService } from '../../support/process.ts'
import { startRedis } from '../../support/redis.ts'
import { BROWSER, post, token } from '../../support/visitor.ts'

const closeLater = closeAfterEach()

/** Milliseconds: one poll of the ledger, and as much again for its answer. */
const ONE_POLL = 500
/** Milliseconds from the return of Redis until somebody new gets in. */
const STATED = 3000
const CODES = { 'error-codes': ['database-unavailable'] }
const UNAVAILABLE = { success: false, ...CODES }

test('without Redis, at the start or later, answers are 503; within 3 s of its return the service works without a restart', async () => {
  const redis = closeLater(await startRedis(), (it) => it.remove())
  await redis.stop()
  const service = closeLater(await startService({ env: { HV_REDIS_URL: redis.url } }), (it) => it.kill())
  const { ask, url } = service
  const siteverify = (response: string) => post(`${url}/api/v1/siteverify`, { secret: SECRET, response })
  const somebodyGetsIn = () =>
    eventually(async () => {
      expect((await siteverify(await token(ask))).body).toMatchObject({ success: true })
    }, STATED)
  await eventually(async () => {
    const res = await fetch(`${url}/health`)
    expect([res.status, await res.json()]).toEqual([503, { status: 'unavailable', ...CODES }])
  }, ONE_POLL)
  const asked = { sitekey: SITEKEY, action: 'sign-up' }
  expect((await post(`${url}/api/v1/challenge`, asked, { ...BROWSER, origin: ask.origin })).body).toEqual(UNAVAILABLE)
  await redis.start()
  await somebodyGetsIn()
  const before = await token(ask)

  await redis.stop()
  expect((await siteverify(before)).body).toEqual(UNAVAILABLE)
  // What needs no Redis is answered: the secret is looked at first.
  expect((await post(`${url}/api/v1/siteverify`, { secret: 'wrong', response: before })).status).toBe(400)
  await redis.start()
  await somebodyGetsIn()
  expect((await siteverify(before)).body).toEqual({ success: false, 'error-codes': ['timeout-or-duplicate'] })
})

test('a process that cannot start says why and exits with code 1', async () => {
  const lossy = await startRedis({ args: ['--maxmemory-policy', 'allkeys-lru'] })
  for (const [env, said] of [
    [{ HV_LISTEN: '192.0.2.1:8080' }, 'not started: 192.0.2.1 is no address of this machine'],
    [{ HV_REDIS_URL: lossy.url }, 'set maxmemory-policy to noeviction (it is allkeys-lru)'],
  ] as const)
    await expect(startService({ env })).rejects.toMatchObject({ exitCode: 1, said: expect.stringContaining(said) })
  await lossy.remove()
})
