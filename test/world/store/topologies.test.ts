import { afterEach, expect, test } from '@jest/globals'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { checkRedis } from '../../../src/store/check-redis.ts'
import { redisLedger } from '../../../src/store/redis-ledger.ts'
import type { RedisPlace } from '../../../src/store/redis-client.ts'
import { redisConnection } from '../../../src/store/redis.ts'
import { redisLimiter } from '../../../src/store/limits.ts'
import { seconds } from '../../../src/domain/words.ts'
import { needProgram } from '../../support/programs.mjs'
import { freePort } from '../../support/ports.mjs'
import { listening, startRedis } from '../../support/redis.ts'
import { anyJti, entry, eventually, faultOf, keepLog, newAttempt, random } from '../../support/ledger-contract.ts'

// Redis behind Sentinel and Redis as a Cluster, as small as they can be; both real.

let undo: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const step of undo.toReversed()) await step()
  undo = []
})

function instance(place: Partial<RedisPlace>) {
  const log = keepLog()
  const link = redisConnection(
    { url: undefined, cluster: undefined, sentinel: undefined, keyPrefix: 'hv', ...place },
    { log },
  )
  const ledger = redisLedger(link, { random, log })
  undo.push(() => ledger.close().then(() => link.close()))
  return { link, ledger, log }
}

/** A Sentinel that alone decides, and soon. */
async function startSentinel(primary: number): Promise<number> {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'hv-sentinel-'))
  const file = join(folder, 'sentinel.conf')
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${folder}`,
    `sentinel monitor hv 127.0.0.1 ${primary} 1`,
    'sentinel down-after-milliseconds hv 500',
    'sentinel failover-timeout hv 3000',
  ]
  writeFileSync(file, lines.join('\n'))
  const sentinel = spawn(needProgram('redis'), [file, '--sentinel'], { stdio: 'ignore' })
  undo.push(async () => {
    const exited = once(sentinel, 'exit')
    sentinel.kill('SIGKILL')
    await exited
    rmSync(folder, { recursive: true, force: true })
  })
  await listening(port)
  return port
}

async function ask(sentinelPort: number, ...command: string[]): Promise<unknown> {
  const client = new Redis({ host: '127.0.0.1', port: sentinelPort, protocol: 2 })
  try {
    return await client.call('SENTINEL', ...command)
  } finally {
    client.disconnect()
  }
}

test('after a Sentinel failover fresh tokens work within 3 s of the promotion, and no token works twice', async () => {
  const primary = await startRedis()
  undo.push(() => primary.remove())
  const replica = await startRedis({
    args: ['--replicaof', '127.0.0.1', String(primary.port), '--repl-diskless-sync-delay', '0'],
  })
  undo.push(() => replica.remove())
  await eventually(
    async () => expect(await replica.cli('INFO', 'replication')).toMatch('master_link_status:up'),
    10_000,
  )
  const sentinelPort = await startSentinel(primary.port)
  await eventually(async () => expect(await ask(sentinelPort, 'REPLICAS', 'hv')).toHaveLength(1), 12_000)

  const { ledger } = instance({ sentinel: { name: 'hv', nodes: [{ host: '127.0.0.1', port: sentinelPort }] } })
  const generation = await eventually(() => ledger.generation(anyJti))
  const spent = entry(generation)
  expect(await ledger.consume(spent)).toBe('ours')

  await primary.stop()
  await eventually(async () => expect(await replica.cli('INFO', 'replication')).toMatch('role:master'), 10_000)
  const promoted = Date.now()
  await eventually(async () => expect(await ledger.consume(entry(ledger.generation(anyJti)))).toBe('ours'), 5000)
  expect(Date.now() - promoted).toBeLessThan(3000)
  expect(ledger.generation(anyJti)).not.toBe(generation)
  expect(await ledger.consume({ ...spent, attempt: newAttempt() })).toBe('stale')
}, 60_000)

test('a Cluster keeps ledger and limiter in one slot, faults while it is gone, and comes back', async () => {
  const node = await startRedis({
    args: ['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1', '--cluster-node-timeout', '500'],
  })
  undo.push(() => node.remove())
  await node.cli('CLUSTER', 'ADDSLOTSRANGE', '0', '16383')
  await eventually(async () => expect(await node.cli('CLUSTER', 'INFO')).toMatch('cluster_state:ok'))
  const { link, ledger } = instance({ cluster: [{ host: '127.0.0.1', port: node.port }] })

  const generation = await eventually(() => ledger.generation(anyJti))
  expect(await checkRedis(link)).toBeUndefined()
  const spent = entry(generation)
  expect(await ledger.consume(spent)).toBe('ours')
  expect(await ledger.consume({ ...spent, attempt: newAttempt() })).toBe('taken')
  const rate = { points: 1, per: seconds(60) }
  const limiter = redisLimiter(link, {
    challenge: rate,
    solve: rate,
    siteverify: rate,
    fallback: rate,
    junk: rate,
    ticket: rate,
    invalidSecret: rate,
  })
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

test('a process whose Cluster hangs ends all the same', async () => {
  const node = await startRedis({ args: ['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1'] })
  undo.push(() => node.remove())
  await node.cli('CLUSTER', 'ADDSLOTSRANGE', '0', '16383')
  await eventually(async () => expect(await node.cli('CLUSTER', 'INFO')).toMatch('cluster_state:ok'))
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
  undo.push(async () => child.kill('SIGKILL'))
  const exited = once(child, 'exit')
  await once(child.stdout, 'data')
  node.pause()
  undo.push(async () => node.resume())
  expect(await exited).toEqual([0, null])
}, 30_000)
