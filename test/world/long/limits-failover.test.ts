/** docs/design/threats.md, "Concurrency": a failover loses what was counted, so a caller has its budget twice at most, and never once per process. */
import { afterEach, expect, test } from '@jest/globals'
import {
  CONFIG,
  keyringFile,
  ORIGIN,
  type ServiceProcess,
  SITEKEY,
  sleep,
  startService,
} from '../../support/process.ts'
import { startRedis } from '../../support/redis.ts'
import { startSentinels } from '../../support/sentinel.ts'
import { eventually } from '../../support/ledger-contract.ts'
import { BROWSER, post } from '../../support/visitor.ts'

/** Visits that may come at once: three times the rate's. One more has room every 30 s. */
const BURST = 60
/** Those of the whole run. */
const REFILLED = 2

let undo: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const step of undo.toReversed()) await step()
  undo = []
})

async function startStand() {
  const primary = await startRedis()
  undo.push(() => primary.remove())
  const replica = await startRedis({ args: ['--replicaof', '127.0.0.1', String(primary.port)] })
  undo.push(() => replica.remove())
  const sentinels = await startSentinels({ primary: { host: '127.0.0.1', port: primary.port }, replicas: 1 })
  undo.push(() => sentinels.stop())
  const limits = { ...CONFIG.limits, challenge: `${BURST / 3} per 10m` }
  const config = { ...CONFIG, limits, redis: { sentinel: { name: 'hv', nodes: sentinels.nodes } } }
  const shared = { config, keyring: keyringFile() }
  const services = await Promise.all([1, 2, 3, 4].map(() => startService(shared)))
  for (const service of services) undo.push(() => service.kill())
  return { primary, services }
}

/** One visitor who asks all four in turns, without a pause. */
function visitor(services: readonly ServiceProcess[]) {
  const going = new AbortController()
  const statuses: number[] = []
  const done = (async () => {
    for (let i = 0; !going.signal.aborted; i += services.length) {
      const asked = services.map(({ url }) =>
        post(`${url}/api/v1/challenge`, { sitekey: SITEKEY, action: 'sign-up' }, { ...BROWSER, origin: ORIGIN }),
      )
      statuses.push(...(await Promise.all(asked)).map(({ status }) => status))
      await sleep(60)
    }
  })()
  const granted = (): number => statuses.filter((status) => status === 200).length
  return { statuses, granted, stop: () => (going.abort(), done) }
}

test('a caller who is over its budget gets at most as much again when the primary is lost', async () => {
  const { primary, services } = await startStand()
  const { statuses, granted, stop } = visitor(services)
  await eventually(() => expect(statuses).toContain(429), 20_000)
  expect(granted()).toBeGreaterThanOrEqual(BURST)
  expect(granted()).toBeLessThanOrEqual(BURST + REFILLED)

  await primary.stop()
  const lostAt = statuses.length
  await sleep(12_000)
  await stop()
  const after = statuses.slice(lostAt)
  // No insurance: while nobody can tell, nobody is let in.
  expect(after).toContain(503)
  expect(after.at(-1)).toBe(429)
  expect(granted()).toBeLessThanOrEqual(2 * (BURST + REFILLED))
})
