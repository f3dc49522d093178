/** The connection that ledger and limiter share: what is asked again, what is said, and what never is. Real servers. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import type { RedisPlace } from '../../../src/store/redis/redis-client.ts'
import { type RedisConnection, redisConnection } from '../../../src/store/redis/redis-connection.ts'
import { CLUSTER_ARGS, formCluster } from '../../support/cluster.ts'
import { freePort } from '../../support/ports.mjs'
import { startRedis } from '../../support/redis.ts'
import { startTcpProxy } from '../../support/tcp-proxy.ts'
import { closeLater, newFolder } from '../../support/close-later.ts'
import { eventually, keepLog, sleep } from '../../support/ledger-contract.ts'

const redis = await startRedis()

function open(url = redis.url, place: Partial<RedisPlace> = {}) {
  const log = keepLog()
  const link = closeLater(redisConnection({ url, keyPrefix: 'hv', ...place }, { log }), (it) =>
    it.close(),
  )
  return { link, log }
}
async function ready(url?: string, place?: Partial<RedisPlace>) {
  const made = open(url, place)
  await eventually(() => expect(made.link.client.status).toBe('ready'))
  return made
}
async function onWire() {
  const wire = await startTcpProxy(redis.port)
  return { wire, ...(await ready(`redis://127.0.0.1:${wire.port}/0`)) }
}
const patient = { budgetMs: 2000, retry: true }
const ECHO = 'return {KEYS[1], ARGV[1]}'
const echo = (link: RedisConnection, text: string, patience = patient) =>
  link.script('echo', ECHO)(['{hv}:x'], [text], patience)
const messageOf = async (call: Promise<unknown>): Promise<string> =>
  call.then(String, (error: unknown) => (error as Error).message)

describe('a script', () => {
  test('that is wrong is not tried twice, and its error names no argument', async () => {
    const { link } = await ready()
    const started = performance.now()
    const says = await messageOf(
      link.script('wrong', "return redis.call('NO-SUCH', ARGV[1])")([], ['the-secret'], patient),
    )
    expect(says).toMatch(/unknown/i)
    expect(says).not.toContain('the-secret')
    expect(performance.now() - started).toBeLessThan(1000)
  })
  test('whose reply is lost is retried once, if that does no harm', async () => {
    const { wire, link } = await onWire()
    wire.cutReplyTo('twice')
    expect(await echo(link, 'twice')).toEqual(['{hv}:x', 'twice'])
    expect(wire.requests()).toBe(2)

    await eventually(() => expect(link.client.status).toBe('ready'))
    wire.cutReplyTo('once')
    expect(await messageOf(echo(link, 'once', { budgetMs: 2000, retry: false }))).toMatch(
      /max retries|closed|in time/,
    )
    expect(wire.requests()).toBe(1)
  })
})

test('a server that hangs is asked once, then refused to everybody but polls, until it answers one', async () => {
  const brief = { budgetMs: 500, retry: true }
  const polled = { budgetMs: 300, retry: false, whileHung: true }
  const { wire, link } = await onWire()
  expect(link.trouble()).toBeUndefined()
  wire.delay(5000)
  wire.watch('slow')
  const started = performance.now()
  expect(await messageOf(echo(link, 'slow', brief))).toBe('no answer in time')
  expect(performance.now() - started).toBeLessThan(1000)
  expect(wire.requests()).toBe(1)
  expect(link.trouble()?.message).toBe('Redis is connected and does not answer')
  expect(await messageOf(echo(link, 'slow', brief))).toBe('Redis is connected and does not answer')
  expect(wire.requests()).toBe(1)

  // A second without a byte also ends the connection.
  expect(await messageOf(echo(link, 'slow', polled))).toMatch(/in time|max retries/)
  expect(link.trouble()?.message).toBe('Redis is connected and does not answer')

  wire.delay(0)
  await eventually(async () => expect(await echo(link, 'back', polled)).toEqual(['{hv}:x', 'back']))
  expect(link.trouble()).toBeUndefined()
  expect(await echo(link, 'text')).toEqual(['{hv}:x', 'text'])
})

describe('a server that is gone', () => {
  test('is logged once, and so is its end; requests fail within their time, and later immediately', async () => {
    const own = await startRedis()
    const { link, log } = await ready(own.url)
    expect(log.lines).toEqual([])
    let readies = 0
    link.onReady(() => readies++)
    await own.stop()
    await eventually(() => expect(log.lines).toHaveLength(1))
    expect(log.lines[0]).toMatch(
      /^warn redis cannot be reached \{"detail":"(?:Error: )?connect ECONNREFUSED 127\.0\.0\.1:\d+"\}$/,
    )

    await sleep(700)
    const started = performance.now()
    expect(await messageOf(echo(link, 'x', { budgetMs: 500, retry: true }))).toBe(
      'no connection to Redis',
    )
    expect(performance.now() - started).toBeLessThan(500)
    expect(log.lines).toHaveLength(1)

    await own.start()
    await eventually(() => expect(log.lines).toHaveLength(2))
    expect(log.lines[1]).toBe('info redis is back {}')
    expect(readies).toBe(1)
    expect(await echo(link, 'again')).toEqual(['{hv}:x', 'again'])

    // Another outage is said again.
    await own.stop()
    await eventually(() => expect(log.lines).toHaveLength(3))
  })
  test('and comes back within the time of a request is waited for', async () => {
    const port = await freePort()
    const { link } = open(`redis://127.0.0.1:${port}/0`)
    await sleep(100)
    const asked = echo(link, 'soon', { budgetMs: 5000, retry: true })
    await startRedis({ port })
    expect(await asked).toEqual(['{hv}:x', 'soon'])
  })
})

test.each(['one server', 'a node of a Cluster'])(
  '%s that was demoted is left once, whatever it replies',
  async (kind) => {
    const args =
      kind === 'one server' ? [] : [...CLUSTER_ARGS, '--cluster-replica-no-failover', 'yes']
    const demoted = await startRedis({ args: [...args, '--min-replicas-to-write', '1'] })
    const place =
      kind === 'one server'
        ? {}
        : { url: undefined, cluster: [{ host: '127.0.0.1', port: demoted.port }] }
    if (kind !== 'one server') await formCluster([demoted])
    const { link } = await ready(demoted.url, place)
    const sockets =
      'nodes' in link.client ? link.client.nodes().map((node) => node.stream) : [link.client.stream]
    const write = link.script('write', "return redis.call('SET', KEYS[1], '1')")
    const writes = Array.from({ length: 30 }, () =>
      write(['{hv}:x'], [], { budgetMs: 100, retry: false }),
    )
    const refused = await Promise.allSettled(writes)
    expect(refused.every(({ status }) => status === 'rejected')).toBe(true)
    // Node.js prints a warning, which is no line of the log, for the eleventh.
    for (const socket of sockets) expect(socket.listenerCount('close')).toBeLessThan(5)
  },
)

test('a password that is rotated in its file is the one of the next connection', async () => {
  const folder = newFolder()
  const file = join(folder, 'password')
  const rotate = async (password: string): Promise<void> => {
    // As editors leave it.
    writeFileSync(file, `\uFEFF${password}\r\n`)
    await redis.cli('ACL', 'SETUSER', 'rotated', 'on', 'resetpass', `>${password}`, '~*', '+@all')
    await redis.cli('CLIENT', 'KILL', 'USER', 'rotated')
  }
  await rotate('the-first')
  const { link } = await ready(redis.url.replace('//', '//rotated@'), { passwordFile: file })
  for (const password of ['the-second', 'the-third']) {
    await rotate(password)
    await eventually(async () => expect(await echo(link, password)).toEqual(['{hv}:x', password]))
  }
})

test.each(['\n\n', ' ', '\t\r\n'])(
  'a password whose file ends with %j is refused with a hint',
  async (end) => {
    const file = join(newFolder(), 'password')
    writeFileSync(file, `hinted${end}`)
    await redis.cli('ACL', 'SETUSER', 'hinted', 'on', '>hinted', '~*', '+@all')
    const { log } = open(redis.url.replace('//', '//hinted@'), { passwordFile: file })
    await eventually(() => expect(log.lines).toHaveLength(1))
    expect(log.lines[0]).toMatch(
      /"detail":"WRONGPASS .*"hint":"the password ends with a space or an empty line: /,
    )
  },
)

test.each([
  ['redis.example', { host: 'redis.example', port: 6379, db: 0, username: null }],
  ['[2001:db8::1]:7000/999', { host: '2001:db8::1', port: 7000, db: 999 }],
  ['hv:p%40ss%2F@redis.example', { username: 'hv', password: 'p@ss/' }],
])('the url redis://%s comes to options of the client', (place, options) => {
  expect({ ...open(`redis://${place}`).link.client.options }).toMatchObject(options)
})

const WRONG_URL = 'a Redis url is redis:// or rediss://, with host, port and a database number'
const sentinel = { name: 'hv', nodes: [{ host: 'one.example', port: 7001 }] }
test.each<[Partial<RedisPlace>, string]>([
  [{ url: 'http://redis.example' }, WRONG_URL],
  [{ url: 'xrediss://redis.example' }, WRONG_URL],
  [{ url: 'redis://redis.example/100000' }, WRONG_URL],
  [{ url: 'redis://redis.example/1x' }, WRONG_URL],
  // A query would set options of the client that are ours to set.
  [{ url: 'redis://redis.example?enableOfflineQueue=true' }, WRONG_URL],
  [{ url: undefined }, 'a Redis needs a url, a cluster or a sentinel'],
  [
    { url: 'rediss://a.example', ca: '/nowhere/ca.pem' },
    'redis.ca: /nowhere/ca.pem cannot be read (ENOENT)',
  ],
  [
    { sentinel, passwordFile: '/nowhere/p' },
    'redis.password_file: /nowhere/p cannot be read (ENOENT)',
  ],
  [
    { sentinel, sentinelPasswordFile: '/dev/null' },
    'redis.sentinel_password_file: /dev/null is empty',
  ],
])('%j is refused with a sentence', (place, says) => {
  expect(() => open(undefined, place)).toThrow(says)
})

test('a process ends although its Cluster hangs', async () => {
  const node = await startRedis({ args: CLUSTER_ARGS })
  await formCluster([node])
  // It is closed while it asks for the slots: they are asked for after a second, and waited for during 400 ms.
  const program = `
    import { redisConnection } from ${JSON.stringify(new URL('../../../dist/store/redis/redis-connection.js', import.meta.url))}
    const log = { info() {}, warn() {}, error() {} }
    const link = redisConnection({ keyPrefix: 'hv', cluster: [{ host: '127.0.0.1', port: ${node.port} }] }, { log })
    link.onReady(() => {
      console.log('ready')
      setTimeout(() => link.close(), 1200)
    })`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  closeLater(child, (it) => it.kill('SIGKILL'))
  const exited = once(child, 'exit')
  await once(child.stdout, 'data')
  node.pause()
  closeLater(node, (it) => it.resume())
  expect(await exited).toEqual([0, null])
}, 30_000)
