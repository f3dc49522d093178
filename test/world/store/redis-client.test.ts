/** How Redis is asked: docs/design/single-use.md, and what an operator's words come to. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import type { Cluster, Redis } from 'ioredis'
import type { RedisPlace } from '../../../src/store/redis-client.ts'
import { redisConnection } from '../../../src/store/redis.ts'
import { closeAfterEach } from '../../support/ledger-on-redis.ts'
import { keepLog } from '../../support/ledger-contract.ts'

const folder = mkdtempSync(join(tmpdir(), 'hv-redis-client-'))
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}
afterAll(() => rmSync(folder, { recursive: true }))

const closeLater = closeAfterEach()
function make(place: Partial<RedisPlace>): Redis | Cluster {
  const one = redisConnection({ keyPrefix: 'hv', ...place }, { log: keepLog() })
  closeLater(() => one.close())
  return one.client
}
const nodes = [{ host: 'one.example', port: 7001 }]
const sentinel = { name: 'hv', nodes }
/** What each server is asked with; in a Cluster they stand apart. */
function optionsOf(place: Partial<RedisPlace>): Record<string, unknown> {
  const { options } = make(place)
  return 'redisOptions' in options ? { ...options.redisOptions } : { ...options }
}

const url = 'redis://127.0.0.1:1/0?enableOfflineQueue=true&commandTimeout=90000&maxRetriesPerRequest=9'
test.each<[string, Partial<RedisPlace>]>([
  ['one server, whatever its url says', { url }],
  ['Sentinel', { sentinel }],
  ['a Cluster', { cluster: nodes }],
])('by %s no request waits longer than a second, and none is sent twice without our knowing', (_what, place) => {
  expect(optionsOf(place)).toMatchObject({
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    socketTimeout: 1000,
    connectTimeout: 1000,
    protocol: 2,
    disableClientInfo: true,
    disconnectTimeout: 300,
    maxLoadingRetryTime: 200,
  })
  const { options } = make(place)
  expect(options.enableOfflineQueue).toBe(false)
  const { clusterRetryStrategy, retryStrategy } = options as Record<string, unknown>
  const waits = (clusterRetryStrategy ?? retryStrategy) as (times: number) => number
  expect([1, 10, 1000].map((times) => waits(times))).toEqual([50, 500, 500])
})

test('a server is left when it became a replica, also when a script says so', () => {
  const leaves = optionsOf({ url })['reconnectOnError'] as (error: Error) => boolean
  for (const code of ['READONLY', 'LOADING', 'MASTERDOWN', 'CLUSTERDOWN', 'NOREPLICAS']) {
    expect(leaves(new Error(`${code} says the server.`))).toBe(true)
    // The words of Redis 6.
    expect(leaves(new Error(`ERR Error running script (call to f_1): @user_script: 3: -${code} It`))).toBe(true)
  }
  for (const says of ['OOM command not allowed', 'NOPERM this user', 'ERR a value that says READONLY to us']) {
    expect(leaves(new Error(says))).toBe(false)
  }
})

const password = file('password', '\uFEFFthe password\r\n')
const ca = file('ca.pem', 'the authority')
test.each<[string, Partial<RedisPlace>, object]>([
  ['host alone', { url: 'redis://redis.example' }, { host: 'redis.example', port: 6379, db: 0, username: null }],
  ['all of it', { url: 'redis://[2001:db8::1]:7000/999' }, { host: '2001:db8::1', port: 7000, db: 999 }],
  ['escapes', { url: 'redis://hv:p%40ss%2F@redis.example' }, { username: 'hv', password: 'p@ss/' }],
  ['TLS', { url: 'rediss://redis.example', ca }, { tls: { ca: 'the authority' } }],
  ['a password file', { url: 'redis://hv@redis.example', passwordFile: password }, { password: 'the password' }],
  [
    'a Cluster',
    { cluster: nodes, passwordFile: password, tls: true, ca },
    { password: 'the password', tls: { ca: 'the authority' } },
  ],
  [
    'Sentinel',
    { sentinel, username: 'hv', passwordFile: password, sentinelUsername: 'hs', sentinelPassword: 's', tls: true, ca },
    {
      name: 'hv',
      sentinels: nodes,
      username: 'hv',
      password: 'the password',
      sentinelUsername: 'hs',
      sentinelPassword: 's',
      sentinelTLS: { ca: 'the authority' },
      enableTLSForSentinelMode: true,
    },
  ],
])('an operator’s words for %s come to options of the client', (_what, place, says) => {
  expect(optionsOf(place)).toMatchObject(says)
})

const WRONG_URL = 'a Redis url is redis:// or rediss://, with host, port and a database number'
test.each<[Partial<RedisPlace>, string]>([
  [{ url: 'http://redis.example' }, WRONG_URL],
  [{ url: 'xrediss://redis.example' }, WRONG_URL],
  [{ url: 'redis://redis.example/1000' }, WRONG_URL],
  [{ url: 'redis://redis.example/1x' }, WRONG_URL],
  [{}, 'a Redis needs a url, a cluster or a sentinel'],
  [{ url: 'rediss://a.example', ca: '/nowhere/ca.pem' }, 'redis.ca: /nowhere/ca.pem cannot be read (ENOENT)'],
  [{ sentinel, passwordFile: '/nowhere/p' }, 'redis.password_file: /nowhere/p cannot be read (ENOENT)'],
  [{ sentinel, sentinelPasswordFile: '/dev/null' }, 'redis.sentinel_password_file: /dev/null is empty'],
])('%j is refused with a sentence', (place, says) => {
  expect(() => make(place)).toThrow(says)
})
