/** `hv serve` as a real process that starts without its Redis, or with one that refuses; test/world/faults has each later loss, under load. */
import { expect, test } from '@jest/globals'
import { eventually } from '../../support/ledger-contract.ts'
import { SECRET, SITEKEY, startService } from '../../support/process.ts'
import { startRedis } from '../../support/redis.ts'
import { BROWSER, post, token } from '../../support/visitor.ts'

/** Milliseconds: one poll of the ledger, and as much again for its answer. */
const ONE_POLL = 500
/** Milliseconds from the start of Redis until a new visitor is accepted. */
const STATED = 3000
const CODES = { 'error-codes': ['database-unavailable'] }
const UNAVAILABLE = { success: false, ...CODES }

test('without Redis at the start answers are 503; within 3 s of its coming the service works without a restart', async () => {
  const redis = await startRedis()
  await redis.stop()
  const service = await startService({ env: { HV_REDIS_URL: redis.url } })
  const { ask, url } = service
  await eventually(async () => {
    const res = await fetch(`${url}/health`)
    expect([res.status, await res.json()]).toEqual([503, { status: 'unavailable', ...CODES }])
  }, ONE_POLL)
  const asked = { sitekey: SITEKEY, action: 'sign-up' }
  expect(
    (await post(`${url}/api/v1/challenge`, asked, { ...BROWSER, origin: ask.origin })).body,
  ).toEqual(UNAVAILABLE)
  // What needs no Redis is answered: the secret is looked at first.
  expect((await post(`${url}/api/v1/siteverify`, { secret: 'wrong', response: 'x' })).status).toBe(
    400,
  )
  await redis.start()
  await eventually(async () => {
    const fields = { secret: SECRET, response: await token(ask) }
    expect((await post(`${url}/api/v1/siteverify`, fields)).body).toMatchObject({ success: true })
  }, STATED)
})

test('a process that cannot start prints the reason and exits with code 1', async () => {
  const lossy = await startRedis({ args: ['--maxmemory-policy', 'allkeys-lru'] })
  for (const [env, said] of [
    [{ HV_LISTEN: '192.0.2.1:8080' }, 'not started: 192.0.2.1 is not an address of this machine'],
    [{ HV_REDIS_URL: lossy.url }, 'set maxmemory-policy to noeviction (it is allkeys-lru)'],
  ] as const)
    await expect(startService({ env })).rejects.toMatchObject({
      exitCode: 1,
      said: expect.stringContaining(said),
    })
})
