/** The profile `sentinel` of docker-compose.yml as real processes: the primary is lost, and everybody comes back. */
import { afterEach, expect, test } from '@jest/globals'
import {
  configurationOf,
  DEMONSTRATION,
  fillVolumes,
  OPERATOR,
  redisArguments,
  type Replica,
  sentinelFile,
  startReplica,
} from '../../support/compose.ts'
import { type Haproxy, startHaproxy } from '../../support/haproxy.ts'
import { sleep } from '../../support/process.ts'
import { startRedis } from '../../support/redis.ts'
import { startSentinels } from '../../support/sentinel.ts'
import { type Crowd, crowd } from './crowd.ts'
import { steadyLoad } from './steady-load.ts'

/** docs/operate/redis.md: from the promotion on, fresh tokens work within 3 s; the balancer looks at each instance once a second. */
const STATED = 3000
const BALANCER_LOOKS = 2000
const PER_SECOND = 40

let undo: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const step of undo.toReversed()) await step()
  undo = []
})

/** Waits for something. @throws {Error} when it does not come in time. */
async function until(what: string, holds: () => Promise<boolean>, ms = 20_000): Promise<void> {
  for (const end = performance.now() + ms; performance.now() < end; await sleep(50))
    if (await holds().catch(() => false)) return
  throw new Error(`${what}: not within ${ms} ms`)
}

async function topology() {
  const volumes = fillVolumes()
  undo.push(async () => volumes.remove())
  const primary = await startRedis({ args: redisArguments('redis', volumes), operator: OPERATOR })
  undo.push(() => primary.remove())
  const replica = await startRedis({ args: redisArguments('redis-replica', volumes, primary.port), operator: OPERATOR })
  undo.push(() => replica.remove())
  const says = async (text: string) => String(await replica.cli('INFO', 'replication')).includes(text)
  await until('the replica follows', () => says('master_link_status:up'))
  const sentinels = await startSentinels({
    primary: { host: '127.0.0.1', port: primary.port },
    replicas: 1,
    file: sentinelFile(volumes),
    operator: OPERATOR,
  })
  undo.push(() => sentinels.stop())
  const ports = sentinels.nodes.map((node) => Number(node.split(':')[1]))
  const config = configurationOf('sentinel.yaml', ports, volumes)
  const replicas: Replica[] = await Promise.all([1, 2].map(() => startReplica(config, config.keyring)))
  for (const each of replicas) undo.push(() => each.process.kill())
  const balancer: Haproxy = await startHaproxy(replicas.map(({ url }) => url))
  undo.push(() => balancer.stop())
  const callers: Crowd = crowd(40)
  undo.push(() => callers.close())
  await sleep(1500)
  return { primary, promoted: () => says('role:master'), replicas, balancer, callers }
}

test('the primary is lost under load: fresh tokens work again in the stated time, and none is accepted twice', async () => {
  const { primary, promoted, replicas, balancer, callers } = await topology()
  const { prove } = replicas[0]!.process.ask
  const whom = { ...DEMONSTRATION, base: balancer.url }
  const verify = async (base: string, response: string): Promise<string> => {
    const { status, body } = await callers.post(`${base}/api/v1/siteverify`, { secret: whom.secret, response })
    return body['success'] === true ? 'accepted' : `${status} ${String(body['error-codes'])}`
  }
  const before = await callers.tokens({ ...whom, prove }, 60)
  const [spent, unspent] = [before.slice(0, 10), before.slice(10, 20)]
  for (const response of spent) expect(await verify(balancer.url, response)).toBe('accepted')

  const load = steadyLoad(callers, whom, before.slice(20), PER_SECOND)
  await sleep(1000)
  await primary.stop()
  await until('a promotion', promoted)
  const since = performance.now()
  const works = async (base: string) => {
    const [response] = await callers.tokens({ ...whom, base, prove }, 1)
    return (await verify(base, response!)) === 'accepted'
  }
  for (const { url } of replicas) await until('an instance works again', () => works(url))
  expect(performance.now() - since).toBeLessThan(STATED)
  await until('all works again through the balancer', () => works(balancer.url))
  expect(performance.now() - since).toBeLessThan(STATED + BALANCER_LOOKS)

  await sleep(1000)
  await load.stop()
  expect([...load.accepted.values()].filter((times) => times !== 1)).toEqual([])
  expect(load.accepted.size).toBeGreaterThan(0)
  // Whoever waits for the lost primary's word is told so, and nobody was cut off.
  const allowed = /^(challenge|siteverify) (200 ?(accepted|timeout-or-duplicate)?|503.*)$/
  expect([...load.kinds.keys()].filter((kind) => !allowed.test(kind))).toEqual([])
  // What was issued under the lost primary is refused, spent or not: its entries may be gone.
  for (const response of [...spent, ...unspent])
    for (const { url } of replicas) expect(await verify(url, response)).toBe('200 timeout-or-duplicate')
  for (const response of await callers.tokens({ ...whom, prove }, 10)) {
    expect(await verify(replicas[0]!.url, response)).toBe('accepted')
    expect(await verify(replicas[1]!.url, response)).toBe('200 timeout-or-duplicate')
  }
}, 120_000)
