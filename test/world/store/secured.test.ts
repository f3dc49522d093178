import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { inspect } from 'node:util'
import { Redis } from 'ioredis'
import { checkConfig } from '../../../src/settings/load.ts'
import { partitionOf } from '../../../src/store/partitions.ts'
import { seconds, type Sitekey, unixSeconds } from '../../../src/domain/words.ts'
import { history } from '../../../src/store/history.ts'
import { redisCounters } from '../../../src/store/counters.ts'
import { checkRedis } from '../../../src/store/check-redis.ts'
import { redisLedger } from '../../../src/store/redis-ledger.ts'
import type { RedisPlace } from '../../../src/store/redis-client.ts'
import { redisConnection } from '../../../src/store/redis.ts'
import { redisLimiter } from '../../../src/store/limits.ts'
import { entry, eventually, faultOf, keepLog, newAttempt, newJti, random } from '../../support/ledger-contract.ts'
import {
  type Certificates,
  certificates,
  documentedUser,
  PASSWORD,
  securedCluster,
  securedRedis,
  securedSentinel,
} from './secured.ts'

// Redis as operators secure it: TLS with an authority of their own, and users with the rights of docs/operate/redis.md.

let tls: Certificates
beforeAll(() => {
  tls = certificates()
})
afterAll(() => tls.remove())

let undo: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const step of undo.toReversed()) await step()
  undo = []
})

function instance(place: Partial<RedisPlace>, partitions = 1) {
  const log = keepLog()
  const nowhere = { url: undefined, cluster: undefined, sentinel: undefined, keyPrefix: 'hv' }
  const link = redisConnection({ ...nowhere, ...place }, { log, partitions })
  const ledger = redisLedger(link, { random, log })
  undo.push(() => ledger.close().then(() => link.close()))
  return { link, ledger, log }
}

/** Everything that ledger, limiter and history ever ask of Redis, on every partition. */
async function works({ link, ledger, log }: ReturnType<typeof instance>): Promise<void> {
  await eventually(() => ledger.probe(), 5000)
  expect(await checkRedis(link)).toBeUndefined()
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
  for (let i = 0; i < 20; i++) {
    const jti = newJti()
    const token = entry(ledger.generation(jti), { jti })
    expect(await ledger.consume(token)).toBe('ours')
    expect(await ledger.consume({ ...token, attempt: newAttempt() })).toBe('taken')
    expect(await faultOf(() => limiter.take('siteverify', jti))).toBe('none')
    expect(await faultOf(() => limiter.take('siteverify', jti))).toBe('rate-limit-exceeded')
  }
  const remembered = history(redisCounters(link), log)
  const place = { sitekey: 'hv_site_testshop' as Sitekey, action: undefined }
  const now = unixSeconds(Math.floor(Date.now() / 1000))
  for (let i = 0; i < 20; i++) {
    const solve = { jti: newJti(), place, behaviour: [i, i] as const, isPart: true }
    const known = await remembered.solved(random.id(), solve, now)
    expect(known.address).toEqual({ solves: 1, parts: 1 })
  }
  expect(log.lines).toEqual([])
}

const codeOf = (error: { readonly code?: string }) => error.code
const node = (port: number) => ({ host: '127.0.0.1', port })

describe('one server', () => {
  test('works over TLS, with the documented user and no other right', async () => {
    const redis = await securedRedis(tls, documentedUser('acl'))
    undo.push(() => redis.remove())
    await works(instance({ url: `rediss://hv:${PASSWORD}@127.0.0.1:${redis.tlsPort}/0`, ca: tls.ca }))
    expect(new Set(await redis.users())).toEqual(new Set(['hv']))
    expect(await redis.cli('ACL', 'LOG')).toEqual([])
  })

  test('works in partitions with the rights that docs/operate/redis.md says for them', async () => {
    const user = documentedUser('acl').map((right) => (right === '~{hv}:*' ? '~{hv.*}:*' : right))
    expect(readFileSync('docs/operate/redis.md', 'utf8')).toContain(
      'with `ledger.partitions` above 1 it is `~{hv.*}:*`',
    )
    const redis = await securedRedis(tls, user)
    undo.push(() => redis.remove())
    await works(instance({ url: `redis://hv:${PASSWORD}@127.0.0.1:${redis.port}/0` }, 4))
    expect(await redis.cli('ACL', 'LOG')).toEqual([])
  })

  test('works in another database with +select beside the documented rights', async () => {
    expect(readFileSync('docs/operate/redis.md', 'utf8')).toMatch(/a database other than 0 wants\s`\+select` too/)
    const redis = await securedRedis(tls, [...documentedUser('acl'), '+select'])
    undo.push(() => redis.remove())
    await works(instance({ url: `redis://hv:${PASSWORD}@127.0.0.1:${redis.port}/2` }))
    expect(await redis.cli('ACL', 'LOG')).toEqual([])
  })

  test.each([
    { when: 'the authority is not named', ca: () => undefined, says: /self.signed certificate|unable to verify/ },
    { when: 'the certificate names another host', ca: () => tls.ca, says: /altnames|does not match/i },
  ])('is not believed when $when', async ({ ca, says }) => {
    const redis = await securedRedis(tls, documentedUser('acl'))
    undo.push(() => redis.remove())
    const host = ca() === undefined ? '127.0.0.1' : 'localhost'
    const { ledger, log } = instance({ url: `rediss://hv:${PASSWORD}@${host}:${redis.tlsPort}/0`, ca: ca() })
    await eventually(() => expect(log.lines).toHaveLength(1))
    expect(log.lines[0]).toMatch(says)
    expect(await faultOf(() => ledger.generation(newJti()))).toBe('database-unavailable')
  })

  test('is named when the file of its authority cannot be read', () => {
    const place = { url: 'rediss://127.0.0.1:1/0', cluster: undefined, sentinel: undefined, keyPrefix: 'hv' }
    const open = () => redisConnection({ ...place, ca: '/nowhere/ca.pem' }, { log: keepLog() })
    expect(open).toThrow('redis.ca: /nowhere/ca.pem cannot be read (ENOENT)')
  })
})

describe('Sentinel', () => {
  test('works over TLS, with one user of the Sentinels and one of the servers', async () => {
    const primary = await securedRedis(tls, documentedUser('acl'))
    undo.push(() => primary.remove())
    const sentinel = await securedSentinel(tls, primary, documentedUser('acl-sentinel'))
    undo.push(() => sentinel.remove())
    const place = {
      sentinel: { name: 'hv', nodes: [node(sentinel.port)] },
      username: 'hv',
      password: PASSWORD,
      sentinelUsername: 'hv',
      sentinelPassword: PASSWORD,
      tls: true,
      ca: tls.ca,
    }
    await works(instance(place))
    expect(await primary.users()).toContain('hv')
    expect(await primary.cli('ACL', 'LOG')).toEqual([])
    const operator = new Redis({ ...node(sentinel.plainPort), protocol: 2, disableClientInfo: true })
    undo.push(async () => operator.disconnect())
    expect(await operator.call('ACL', 'LOG')).toEqual([])
  }, 30_000)
})

describe('Cluster', () => {
  test('works over TLS with the documented user, and its primaries share the partitions', async () => {
    const nodes = await securedCluster(tls, 3, documentedUser('acl-cluster'))
    for (const each of nodes) undo.push(() => each.remove())
    const place = { cluster: [node(nodes[0]!.tlsPort)], username: 'hv', password: PASSWORD, tls: true, ca: tls.ca }
    await works(instance(place, 24))
    const shares: number[] = []
    for (const each of nodes) {
      expect(new Set(await each.users())).toEqual(new Set(['hv']))
      expect(await each.cli('ACL', 'LOG')).toEqual([])
      shares.push(((await each.cli('KEYS', '{hv.24.*}:gen')) as string[]).length)
    }
    expect(readFileSync('docs/operate/redis.md', 'utf8')).toContain('24 lie 9, 8 and 7 on three equal primaries')
    expect(shares).toEqual([9, 8, 7])
  }, 40_000)

  test('refuses the start when any of its nodes evicts, and names it', async () => {
    const nodes = await securedCluster(tls, 3, documentedUser('acl-cluster'))
    for (const each of nodes) undo.push(() => each.remove())
    const place = { cluster: [node(nodes[0]!.tlsPort)], username: 'hv', password: PASSWORD, tls: true, ca: tls.ca }
    const one = instance(place, 2)
    await eventually(() => one.ledger.probe(), 5000)
    // Two partitions lie on two nodes at most; a slot may move to any other.
    const holds = await Promise.all(nodes.map((each) => each.cli('KEYS', '{hv.2.*}:gen')))
    const idle = nodes[holds.findIndex((keys) => (keys as string[]).length === 0)]!
    await idle.cli('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru')
    const sentence = await checkRedis(one.link)
    expect(sentence).toContain(`127.0.0.1:${idle.tlsPort}: `)
    expect(sentence).toMatch(/set maxmemory-policy to noeviction \(it is allkeys-lru\)/)
  }, 40_000)

  test('loses only the partitions of the primary that fails', async () => {
    const nodes = await securedCluster(tls, 3, documentedUser('acl-cluster'))
    for (const each of nodes) undo.push(() => each.remove())
    for (const each of nodes) await each.cli('CONFIG', 'SET', 'cluster-require-full-coverage', 'no')
    const place = { cluster: nodes.map(({ tlsPort }) => node(tlsPort)), username: 'hv', password: PASSWORD }
    const { ledger } = instance({ ...place, tls: true, ca: tls.ca }, 16)
    await eventually(() => ledger.probe(), 5000)
    const tokens = Array.from({ length: 60 }, newJti).map((jti) => entry(ledger.generation(jti), { jti }))
    const lost = new Set(
      ((await nodes[2]!.cli('KEYS', '{hv.16.*}:gen')) as string[]).map((key) => Number(/\.(\d+)\}/.exec(key)![1])),
    )
    await nodes[2]!.stop()
    for (const token of tokens) {
      const gone = lost.has(partitionOf(token.jti, 16))
      const outcome = await ledger.consume(token).catch(codeOf)
      expect({ partition: partitionOf(token.jti, 16), outcome }).toEqual({
        partition: partitionOf(token.jti, 16),
        outcome: gone ? 'database-unavailable' : 'ours',
      })
    }
    expect(ledger.fault()).toBeUndefined()
  }, 40_000)
})

test('a wrong password is said, and never shown', async () => {
  const redis = await securedRedis(tls, documentedUser('acl'))
  undo.push(() => redis.remove())
  const place = { cluster: [node(redis.port)], username: 'hv', password: 'wrong-PLAINTEXT', tls: false }
  const { ledger, log } = instance(place)
  await eventually(() => expect(log.lines.length).toBeGreaterThan(0))
  const fault = await ledger.probe().catch((error: unknown) => error)
  expect(fault).toMatchObject({ code: 'database-unavailable' })
  expect(inspect([fault, log.lines], { depth: 9 })).not.toContain('PLAINTEXT')
})

test('each example of docs/operate/redis.md is a configuration', () => {
  const examples = readFileSync('docs/operate/redis.md', 'utf8').matchAll(/^```yaml\n([^]*?)^```$/gm)
  const rest =
    'version: 1\nkeyring: keyring.json\nsites: [{sitekey: hv_site_fixture1, hostnames: [example.com], secrets: [{sha256: 3d1cd44b5a80e2d3fcf00d9c7b01d2921264031746b089590fede1eaa18552e8}]}]\n'
  const ways = [...examples].map(([, yaml]) => {
    const { redis } = checkConfig(`${rest}${yaml}`, 'docs/operate/redis.md', {})
    return redis?.cluster ? 'cluster' : redis?.sentinel ? 'sentinel' : redis?.url?.split(':')[0]
  })
  expect(ways).toEqual(['redis', 'redis', 'rediss', 'sentinel', 'cluster'])
})
