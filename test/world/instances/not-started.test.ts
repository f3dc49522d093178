/** A service that cannot start ends: half a one would answer, and nobody would start another. */
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { CONFIG, NotStarted, startService } from '../../support/process.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'

let taken: Server
let address: string
let redis: TestRedis
beforeEach(async () => {
  redis = await startRedis()
  taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  address = `127.0.0.1:${(taken.address() as AddressInfo).port}`
})
afterEach(async () => {
  taken.close()
  await redis.remove()
})

test.each(['listen', 'ops_listen'])('%s is taken: it says so, and exits 1', async (setting) => {
  for (const env of [{}, { HV_REDIS_URL: redis.url }]) {
    const failed = (await startService({ config: { ...CONFIG, [setting]: address }, env }).catch(
      (error: unknown) => error,
    )) as NotStarted
    expect(failed).toBeInstanceOf(NotStarted)
    expect(failed.exitCode).toBe(1)
    expect(failed.said).toMatch(
      new RegExp(
        `^not started: another program listens on ${address}\\. Choose another port: HV_${setting.toUpperCase()}=`,
        'm',
      ),
    )
  }
})
