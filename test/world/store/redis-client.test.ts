/** How Redis is asked: docs/design/single-use.md, and what an operator's words come to. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from '@jest/globals'
import { Cluster, type Redis } from 'ioredis'
import type { RedisPlace } from '../../../src/store/redis-client.ts'
import { redisConnection } from '../../../src/store/redis.ts'
import { closeAfterEach } from '../../support/ledger-on-redis.ts'
import { keepLog } from '../../support/ledger-contract.ts'

const folder = mkdtempSync(join(tmpdir(), 'hv-redis-client-'))
const CA = join(folder, 'ca.pem')
writeFileSync(CA, 'the authority')
afterAll(() => rmSync(folder, { recursive: true }))

const closeLater = closeAfterEach()
function make(place: Partial<RedisPlace>): Redis | Cluster {
  const one = redisConnection({ keyPrefix: 'hv', ...place }, { log: keepLog() })
  closeLater(() => one.close())
  return one.client
}
const optionsOf = (place: Partial<RedisPlace>): Record<string, unknown> => ({ ...(make(place) as Redis).options })
const byUrl = (url: string, more: Partial<RedisPlace> = {}) => optionsOf({ url, ...more })
const nodes = [
  { host: 'one.example', port: 7001 },
  { host: 'two.example', port: 7002 },
]

/** No request waits longer than a second, and none is sent twice without our knowing. */
const MUST = {
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  socketTimeout: 1000,
  connectTimeout: 1000,
  failoverDetector: false,
  protocol: 2,
  disableClientInfo: true,
  disconnectTimeout: 300,
  maxLoadingRetryTime: 200,
}
type Waits = (times: number) => number

describe('one server', () => {
  test('is asked as it must be, whatever its url says', () => {
    const options = byUrl('redis://127.0.0.1:1/0?enableOfflineQueue=true&commandTimeout=90000&maxRetriesPerRequest=9')
    expect(options).toMatchObject({ ...MUST, enableOfflineQueue: false })
  })
  test('is tried again for ever: after 50 ms, and never later than after 500', () => {
    const wait = byUrl('redis://127.0.0.1:1')['retryStrategy'] as Waits
    expect([1, 2, 10, 11, 1000].map(wait)).toEqual([50, 100, 500, 500, 500])
  })
  test('is left when it became a replica, also when a script says so', () => {
    const leaves = byUrl('redis://127.0.0.1:1')['reconnectOnError'] as (error: Error) => boolean
    for (const code of ['READONLY', 'LOADING', 'MASTERDOWN', 'CLUSTERDOWN', 'NOREPLICAS']) {
      expect(leaves(new Error(`${code} says the server.`))).toBe(true)
      // The words of Redis 6.
      expect(leaves(new Error(`ERR Error running script (call to f_1): @user_script: 3: -${code} It`))).toBe(true)
    }
    for (const says of ['OOM command not allowed', 'NOPERM this user', 'ERR a value that says READONLY to us']) {
      expect(leaves(new Error(says))).toBe(false)
    }
  })

  test.each<[string, object]>([
    ['redis://redis.example', { host: 'redis.example', port: 6379, db: 0 }],
    ['redis://redis.example:7000/12', { host: 'redis.example', port: 7000, db: 12 }],
    ['redis://[2001:db8::1]:7000/999', { host: '2001:db8::1', port: 7000, db: 999 }],
    ['redis://hv:p%40ss%2F@redis.example', { username: 'hv', password: 'p@ss/' }],
  ])('%s', (url, says) => expect(byUrl(url)).toMatchObject(says))
  test('without a user or a password has none, and without rediss: no TLS', () => {
    const { username, password, tls } = byUrl('redis://redis.example')
    expect([username, password, tls].every((each) => each === undefined || each === null)).toBe(true)
    expect(byUrl('redis://:secret@redis.example')['username'] ?? undefined).toBeUndefined()
    expect(byUrl('redis://redis.example', { ca: CA })['tls']).toBeUndefined()
  })
  test('by rediss: is asked over TLS, and believed by the authority that is named', () => {
    expect(byUrl('rediss://redis.example')['tls']).toEqual({})
    expect(byUrl('rediss://redis.example', { ca: CA })['tls']).toEqual({ ca: 'the authority' })
    const unread = () => make({ url: 'rediss://redis.example', ca: join(folder, 'none.pem') })
    expect(unread).toThrow(`redis.ca: ${join(folder, 'none.pem')} cannot be read (ENOENT)`)
    expect(unread).toThrow(expect.objectContaining({ cause: expect.objectContaining({ code: 'ENOENT' }) }))
  })
  test.each([
    'http://redis.example',
    'xrediss://redis.example',
    'redis://redis.example/1000',
    'redis://redis.example/1x',
  ])('%s is refused with a sentence', (url) =>
    expect(() => make({ url })).toThrow(
      new TypeError('a Redis url is redis:// or rediss://, with host, port and a database number'),
    ),
  )
  test('that is nowhere is refused with a sentence', () =>
    expect(() => make({})).toThrow(new TypeError('a Redis needs a url, a cluster or a sentinel')))
})

describe('Sentinel', () => {
  const sentinel = { name: 'hv', nodes }
  test('is asked for the primary of that name, and waits no longer than a server', () => {
    const options = optionsOf({ sentinel })
    expect(options).toMatchObject({
      ...MUST,
      enableOfflineQueue: false,
      name: 'hv',
      sentinels: nodes,
      sentinelCommandTimeout: 400,
    })
    for (const strategy of ['retryStrategy', 'sentinelRetryStrategy']) {
      expect([1, 10, 99].map(options[strategy] as Waits)).toEqual([50, 500, 500])
    }
    const none = ['username', 'password', 'sentinelUsername', 'sentinelPassword', 'tls', 'sentinelTLS']
    for (const name of none) expect(options[name] ?? undefined).toBeUndefined()
    expect(options['enableTLSForSentinelMode']).toBe(false)
  })
  test('has users of its own, beside those of the servers', () => {
    const users = { username: 'hv', password: 'p', sentinelUsername: 'hs', sentinelPassword: 's' }
    expect(optionsOf({ sentinel, ...users })).toMatchObject(users)
  })
  test('has passwords that stand in files, without the byte order mark and the line end of an editor', () => {
    const [one, other] = ['one', 'other'].map((name) => join(folder, name))
    writeFileSync(one!, '\uFEFFthe password\r\n')
    writeFileSync(other!, 'the other')
    const users = { username: 'hv', sentinelUsername: 'hs', passwordFile: one, sentinelPasswordFile: other }
    const read = { username: 'hv', password: 'the password', sentinelPassword: 'the other' }
    expect(optionsOf({ sentinel, ...users })).toMatchObject(read)
    expect(byUrl('redis://hv@127.0.0.1:1/0', { passwordFile: one })).toMatchObject({
      username: 'hv',
      password: 'the password',
    })
    const client = make({ cluster: nodes, username: 'hv', passwordFile: one }) as Cluster
    expect(client.options.redisOptions).toMatchObject({ username: 'hv', password: 'the password' })
  })
  test.each([
    ['is not there', 'nothing', undefined, 'cannot be read (ENOENT)'],
    ['is empty', 'empty', '\n', 'is empty'],
  ])('is not started with a password file that %s', (_when, name, text, says) => {
    const file = join(folder, name)
    if (text !== undefined) writeFileSync(file, text)
    expect(() => make({ sentinel, passwordFile: file })).toThrow(`redis.password_file: ${file} ${says}`)
    expect(() => make({ sentinel, sentinelPasswordFile: file })).toThrow(
      `redis.sentinel_password_file: ${file} ${says}`,
    )
  })
  test('is asked over TLS like the servers, by the same authority', () => {
    expect(optionsOf({ sentinel, tls: true, ca: CA })).toMatchObject({
      tls: { ca: 'the authority' },
      sentinelTLS: { ca: 'the authority' },
      enableTLSForSentinelMode: true,
    })
    expect(optionsOf({ sentinel, tls: false, ca: CA })['tls'] ?? undefined).toBeUndefined()
  })
})

describe('a Cluster', () => {
  test('is asked at these nodes, and decides about no second try', () => {
    const client = make({ cluster: nodes, username: 'hv', password: 'p', tls: true, ca: CA }) as Cluster
    expect(client).toBeInstanceOf(Cluster)
    expect((client as unknown as { startupNodes: object[] }).startupNodes).toEqual(nodes)
    expect(client.options).toMatchObject({
      enableOfflineQueue: false,
      retryDelayOnFailover: 0,
      slotsRefreshTimeout: 400,
      redisOptions: { ...MUST, username: 'hv', password: 'p', tls: { ca: 'the authority' } },
    })
    expect([1, 10, 99].map(client.options.clusterRetryStrategy as Waits)).toEqual([50, 500, 500])
  })
  test('has no user and no TLS that nobody named', () => {
    const { redisOptions } = (make({ cluster: nodes }) as Cluster).options
    expect(redisOptions).toMatchObject(MUST)
    for (const name of ['username', 'password', 'tls']) expect(redisOptions).not.toHaveProperty(name)
  })
})
