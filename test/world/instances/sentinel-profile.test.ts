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
import { startHaproxy } from '../../support/proxies.ts'
import { closeAfterEach } from '../../support/ledger-on-redis.ts'
import { eventually } from '../../support/ledger-contract.ts'
import { sleep } from '../../support/process.ts'
import { startRedis } from '../../support/redis.ts'
import { startSentinels } from '../../support/sentinel.ts'
import { BROWSER, post, token } from '../../support/visitor.ts'
import { type Answer, manyTokens, underLoad } from './crowd.ts'

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
  return { primary, promoted: () => replicaSays('role:master'), replicas, balancer, keyring: config.keyring }
}

const codeOf = ({ status, body }: Answer): string =>
  body['success'] === true ? 'accepted' : `${status} ${String((body['error-codes'] as string[] | undefined) ?? '')}`

test('the primary is lost under load: fresh tokens work again in the stated time, and none is accepted twice', async () => {
  const { primary, promoted, replicas, balancer, keyring } = await topology()
  const { secret, sitekey, origin } = DEMONSTRATION
  const whom = { ...DEMONSTRATION, base: balancer.url, prove: replicas[0]!.process.ask.prove, patient: true }
  const siteverify = (base: string, response: string) => post(`${base}/api/v1/siteverify`, { secret, response })
  const verify = async (base: string, response: string) => codeOf(await siteverify(base, response))
  const before = await manyTokens(whom, keyring, 60)
  const [spent, unspent, presented] = [before.slice(0, 10), before.slice(10, 20), before.slice(20)]
  for (const response of spent) expect(await verify(balancer.url, response)).toBe('accepted')

  const challenge = () =>
    post(`${balancer.url}/api/v1/challenge`, { sitekey, action: 'sign-up' }, { ...BROWSER, origin })
  /** Each token is presented twice in a row, and all over again; a challenge is asked for between them. */
  const tokenOf = (n: number) => presented[Math.floor(n / 4) % presented.length]!
  const ask = (n: number) => (n % 2 === 0 ? challenge() : siteverify(balancer.url, tokenOf(n)))
  const answers = await underLoad(40, ask, async () => {
    await sleep(1000)
    await primary.stop()
    await promoted()
    const since = performance.now()
    const works = (base: string) =>
      eventually(async () => expect(await verify(base, await token({ ...whom, base }))).toBe('accepted'))
    for (const { url } of replicas) await works(url)
    expect(performance.now() - since).toBeLessThan(STATED)
    await works(balancer.url)
    expect(performance.now() - since).toBeLessThan(STATED + BALANCER_LOOKS)
  })

  const codes = answers.map((answer) => (answer instanceof Error ? String(answer) : codeOf(answer)))
  const accepted = codes.flatMap((code, n) => (code === 'accepted' ? [tokenOf(n)] : []))
  expect(accepted.length).toBeGreaterThan(0)
  expect(new Set(accepted).size).toBe(accepted.length)
  // Whoever waits for the lost primary's word is told so, and nobody was cut off.
  expect(codes.filter((code) => !/^(accepted|200 |200 timeout-or-duplicate|503 .*)$/.test(code))).toEqual([])
  // What was issued under the lost primary is refused, spent or not: its entries may be gone.
  for (const response of [...spent, ...unspent])
    for (const { url } of replicas) expect(await verify(url, response)).toBe('200 timeout-or-duplicate')
  const fresh = await token(whom)
  expect(await verify(replicas[0]!.url, fresh)).toBe('accepted')
  expect(await verify(replicas[1]!.url, fresh)).toBe('200 timeout-or-duplicate')
}, 120_000)
