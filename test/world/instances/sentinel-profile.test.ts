/** The profile `sentinel` of docker-compose.yml as real processes: the primary is lost, and everybody comes back. */
import { expect, test } from '@jest/globals'
import {
  configurationOf,
  DEMONSTRATION,
  fillVolumes,
  OPERATOR,
  redisArguments,
  sentinelFile,
  startReplica,
} from '../../support/compose.ts'
import { startHaproxy } from '../../support/haproxy.ts'
import { closeAfterEach } from '../../support/ledger-on-redis.ts'
import { eventually } from '../../support/ledger-contract.ts'
import { type Ask, startLoad } from '../../support/load.ts'
import { sleep } from '../../support/process.ts'
import { startRedis } from '../../support/redis.ts'
import { startSentinels } from '../../support/sentinel.ts'
import { BROWSER } from '../../support/visitor.ts'
import { crowd } from './crowd.ts'

/** docs/operate/redis.md: from the promotion on, fresh tokens work within 3 s; the balancer looks at each instance once a second. */
const STATED = 3000
const BALANCER_LOOKS = 2000
const closeLater = closeAfterEach()

async function topology() {
  const volumes = fillVolumes()
  closeLater(() => volumes.remove())
  const primary = await startRedis({ args: redisArguments('redis', volumes), operator: OPERATOR })
  closeLater(() => primary.remove())
  const replica = await startRedis({ args: redisArguments('redis-replica', volumes, primary.port), operator: OPERATOR })
  closeLater(() => replica.remove())
  const replicaSays = (text: string) =>
    eventually(async () => expect(await replica.cli('INFO', 'replication')).toMatch(text), 20_000)
  await replicaSays('master_link_status:up')
  const sentinels = await startSentinels({
    primary: { host: '127.0.0.1', port: primary.port },
    replicas: 1,
    file: sentinelFile(volumes),
    operator: OPERATOR,
  })
  closeLater(() => sentinels.stop())
  const ports = sentinels.nodes.map((node) => Number(node.split(':')[1]))
  const config = configurationOf('sentinel.yaml', ports, volumes)
  const replicas = await Promise.all([1, 2].map(() => startReplica(config, config.keyring)))
  for (const each of replicas) closeLater(() => each.process.kill())
  const balancer = await startHaproxy(replicas.map(({ url }) => url))
  closeLater(() => balancer.stop())
  const callers = crowd(40)
  closeLater(() => callers.close())
  return { primary, promoted: () => replicaSays('role:master'), replicas, balancer, callers }
}

test('the primary is lost under load: fresh tokens work again in the stated time, and none is accepted twice', async () => {
  const { primary, promoted, replicas, balancer, callers } = await topology()
  const { secret, sitekey, origin } = DEMONSTRATION
  const { prove } = replicas[0]!.process.ask
  const verify = async (base: string, response: string): Promise<string> => {
    const { status, body } = await callers.post(`${base}/api/v1/siteverify`, { secret, response })
    return body['success'] === true ? 'accepted' : `${status} ${String(body['error-codes'])}`
  }
  const tokens = (base: string, count: number) => callers.tokens({ base, sitekey, origin, prove }, count)
  const before = await tokens(balancer.url, 60)
  const [spent, unspent, presented] = [before.slice(0, 10), before.slice(10, 20), before.slice(20)]
  for (const response of spent) expect(await verify(balancer.url, response)).toBe('accepted')

  // Each token is presented twice in a row, and all over again; a challenge is asked for between them.
  const challenge: Ask = {
    path: '/api/v1/challenge',
    fields: { sitekey, action: 'sign-up' },
    headers: { ...BROWSER, origin },
  }
  const asks = presented.flatMap((response): Ask[] => {
    const once: Ask = { path: '/api/v1/siteverify', fields: { secret, response } }
    return [challenge, once, challenge, once]
  })
  const load = startLoad(balancer.url, 40, asks, 40)
  while (load.asked() < 40) await sleep(20)
  await primary.stop()
  await promoted()
  const since = performance.now()
  const works = (base: string) =>
    eventually(async () => expect(await verify(base, (await tokens(base, 1))[0]!)).toBe('accepted'))
  for (const { url } of replicas) await works(url)
  expect(performance.now() - since).toBeLessThan(STATED)
  await works(balancer.url)
  expect(performance.now() - since).toBeLessThan(STATED + BALANCER_LOOKS)

  const seen = await load.stop()
  const accepted = seen.filter(({ ask, status, code }) => ask % 2 === 1 && status === 200 && code === 'ok')
  const which = accepted.map(({ ask }) => Math.floor(ask / 4))
  expect(which.length).toBeGreaterThan(0)
  expect(new Set(which).size).toBe(which.length)
  // Whoever waits for the lost primary's word is told so, and nobody was cut off.
  const wrong = seen.filter(({ status, code }) => status !== 503 && !(status === 200 && /^(ok|timeout-or-)/.test(code)))
  expect(wrong).toEqual([])
  // What was issued under the lost primary is refused, spent or not: its entries may be gone.
  for (const response of [...spent, ...unspent])
    for (const { url } of replicas) expect(await verify(url, response)).toBe('200 timeout-or-duplicate')
  for (const response of await tokens(balancer.url, 10)) {
    expect(await verify(replicas[0]!.url, response)).toBe('accepted')
    expect(await verify(replicas[1]!.url, response)).toBe('200 timeout-or-duplicate')
  }
}, 120_000)
