import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Redis } from 'ioredis'
import { partitionOf } from '../../../src/store/partitions.ts'
import { type Sitekey, unixSeconds } from '../../../src/domain/words.ts'
import { history } from '../../../src/store/history.ts'
import { redisCounters } from '../../../src/store/counters.ts'
import { checkRedis } from '../../../src/store/check-redis.ts'
import type { RedisPlace } from '../../../src/store/redis-client.ts'
import { redisLimiter } from '../../../src/store/limits.ts'
import { closeAfterEach, everyBudget, type LedgerOnRedis, openLedger } from '../../support/ledger-on-redis.ts'
import { entry, eventually, faultOf, newAttempt, newJti, random } from '../../support/ledger-contract.ts'
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

const closeLater = closeAfterEach()

function instance(place: Partial<RedisPlace>, partitions = 1): LedgerOnRedis {
  const made = openLedger(place, { partitions, patient: true })
  closeLater(made.close)
  return made
}

/** Everything that ledger, limiter and history ever ask of Redis, on every partition. */
async function works({ link, ledger, log }: LedgerOnRedis): Promise<void> {
  await eventually(() => ledger.probe(), 5000)
  expect(await checkRedis(link)).toBeUndefined()
  const limiter = redisLimiter(link, everyBudget(1, 60))
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
    closeLater(() => redis.remove())
    await works(instance({ url: `rediss://hv:${PASSWORD}@127.0.0.1:${redis.tlsPort}/0`, ca: tls.ca }))
    expect(new Set(await redis.users())).toEqual(new Set(['hv']))
    expect(await redis.cli('ACL', 'LOG')).toEqual([])
  })

  test.each([
    { where: 'in partitions', right: '~{hv.*}:*', in: '~{hv}:*', database: 0, partitions: 4 },
    { where: 'in another database', right: '+select', in: undefined, database: 2, partitions: 1 },
  ])('works $where with the right $right', async ({ right, in: instead, database, partitions }) => {
    const user = documentedUser('acl').filter((each) => each !== instead)
    const redis = await securedRedis(tls, [...user, right])
    closeLater(() => redis.remove())
    await works(instance({ url: `redis://hv:${PASSWORD}@127.0.0.1:${redis.port}/${database}` }, partitions))
    expect(await redis.cli('ACL', 'LOG')).toEqual([])
  })

  test.each([
    { when: 'the authority is not named', ca: () => undefined, says: /self.signed certificate|unable to verify/ },
    { when: 'the certificate names another host', ca: () => tls.ca, says: /altnames|does not match/i },
  ])('is not believed when $when', async ({ ca, says }) => {
    const redis = await securedRedis(tls, documentedUser('acl'))
    closeLater(() => redis.remove())
    const host = ca() === undefined ? '127.0.0.1' : 'localhost'
    const { ledger, log } = instance({ url: `rediss://hv:${PASSWORD}@${host}:${redis.tlsPort}/0`, ca: ca() })
    await eventually(() => expect(log.lines).toHaveLength(1))
    expect(log.lines[0]).toMatch(says)
    expect(await faultOf(() => ledger.generation(newJti()))).toBe('database-unavailable')
  })
})

describe('Sentinel', () => {
  test('works over TLS, with one user of the Sentinels and one of the servers', async () => {
    const primary = await securedRedis(tls, documentedUser('acl'))
    closeLater(() => primary.remove())
    const sentinel = await securedSentinel(tls, primary, documentedUser('acl-sentinel'))
    closeLater(() => sentinel.remove())
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
    closeLater(async () => operator.disconnect())
    expect(await operator.call('ACL', 'LOG')).toEqual([])
  }, 30_000)
})

describe('Cluster', () => {
  test('works over TLS with the documented user, and its primaries share the partitions', async () => {
    const nodes = await securedCluster(tls, 3, documentedUser('acl-cluster'))
    for (const each of nodes) closeLater(() => each.remove())
    const place = { cluster: [node(nodes[0]!.tlsPort)], username: 'hv', password: PASSWORD, tls: true, ca: tls.ca }
    await works(instance(place, 24))
    const shares: number[] = []
    for (const each of nodes) {
      expect(new Set(await each.users())).toEqual(new Set(['hv']))
      expect(await each.cli('ACL', 'LOG')).toEqual([])
      shares.push(((await each.cli('KEYS', '{hv.24.*}:gen')) as string[]).length)
    }
    expect(shares).toEqual([9, 8, 7])
  }, 40_000)

  test('loses only the partitions of the primary that fails', async () => {
    const nodes = await securedCluster(tls, 3, documentedUser('acl-cluster'))
    for (const each of nodes) closeLater(() => each.remove())
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
