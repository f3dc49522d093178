/** Redis as a Cluster of one primary. Sentinel, and a Cluster of several: secured.test.ts and test/world/faults. */
import { expect, test } from '@jest/globals'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { redisLimiter } from '../../../src/store/limits.ts'
import { CLUSTER_ARGS, formCluster } from '../../support/cluster.ts'
import { closeAfterEach, everyBudget, openLedger } from '../../support/ledger-on-redis.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'
import { anyJti, entry, eventually, faultOf, newAttempt } from '../../support/ledger-contract.ts'

const closeLater = closeAfterEach()

async function oneNode(): Promise<TestRedis> {
  const node = await startRedis({ args: CLUSTER_ARGS })
  closeLater(() => node.remove())
  await formCluster([node])
  return node
}

test('keeps ledger and limiter in one slot, faults while it is gone, and comes back within 3 s', async () => {
  const node = await oneNode()
  const { link, ledger, close } = openLedger({ cluster: [{ host: '127.0.0.1', port: node.port }] })
  closeLater(close)
  const generation = await eventually(() => ledger.generation(anyJti))
  const spent = entry(generation)
  expect(await ledger.consume(spent)).toBe('ours')
  expect(await ledger.consume({ ...spent, attempt: newAttempt() })).toBe('taken')
  const limiter = redisLimiter(link, everyBudget(1, 60))
  expect(await faultOf(() => limiter.take('solve', 'someone'))).toBe('none')
  expect(await faultOf(() => limiter.take('solve', 'someone'))).toBe('rate-limit-exceeded')

  await node.stop()
  const start = performance.now()
  expect(await faultOf(() => ledger.consume(entry(generation)))).toBe('database-unavailable')
  expect(performance.now() - start).toBeLessThan(1000)

  await node.start()
  const moved = await eventually(async () => {
    const present = ledger.generation(anyJti)
    expect(await ledger.consume(entry(present))).toBe('ours')
    return present
  }, 3000)
  expect(moved).not.toBe(generation)
  expect(await ledger.consume({ ...spent, attempt: newAttempt() })).toBe('stale')
}, 40_000)

test('a process ends although its Cluster hangs', async () => {
  const node = await oneNode()
  // It is closed while it asks for the slots: they are asked for after a second, and waited for during 400 ms.
  const program = `
    import { redisConnection } from ${JSON.stringify(new URL('../../../dist/store/redis.js', import.meta.url))}
    const log = { info() {}, warn() {}, error() {} }
    const link = redisConnection({ keyPrefix: 'hv', cluster: [{ host: '127.0.0.1', port: ${node.port} }] }, { log })
    link.onReady(() => {
      console.log('ready')
      setTimeout(() => link.close(), 1200)
    })`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  closeLater(() => child.kill('SIGKILL'))
  const exited = once(child, 'exit')
  await once(child.stdout, 'data')
  node.pause()
  closeLater(() => node.resume())
  expect(await exited).toEqual([0, null])
}, 30_000)
