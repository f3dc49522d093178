import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { partitionOf } from '../../../src/store/partitions.ts'
import { bucketKey } from '../../../src/store/ledger-partition.ts'
import { redisLimiter } from '../../../src/store/limits.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'
import { closeAfterEach, everyBudget, type LedgerOnRedis, openLedger } from '../../support/ledger-on-redis.ts'
import { entry, eventually, faultOf, newAttempt, newJti } from '../../support/ledger-contract.ts'

let redis: TestRedis
beforeAll(async () => {
  redis = await startRedis()
})
afterAll(() => redis.remove())
const closeLater = closeAfterEach()
afterEach(() => redis.cli('FLUSHALL'))

/** An instance that has heard of all of its partitions. */
async function instance(partitions: number): Promise<LedgerOnRedis> {
  const made = openLedger({ url: redis.url }, { partitions, patient: true })
  closeLater(made.close)
  await eventually(() => made.ledger.probe())
  return made
}

describe('a ledger of several partitions', () => {
  test('has a hash tag and a generation for each, and keeps each entry where its id says', async () => {
    const { ledger } = await instance(4)
    const ids = Array.from({ length: 64 }, newJti)
    for (const jti of ids) {
      const token = entry(ledger.generation(jti), { jti })
      expect(await ledger.consume(token)).toBe('ours')
      expect(await redis.cli('HEXISTS', bucketKey(`{hv.4.${partitionOf(jti, 4)}}:`, token), jti)).toBe(1)
    }
    const generations = await Promise.all([0, 1, 2, 3].map((i) => redis.cli('HGET', `{hv.4.${i}}:gen`, 'g')))
    expect(new Set(generations).size).toBe(4)
    expect(new Set(ids.map((jti) => ledger.generation(jti)))).toEqual(new Set(generations))
  })

  test('loses one partition without moving the others', async () => {
    const { ledger } = await instance(2)
    const [here, there] = [0, 1].map((wanted) => {
      let jti = newJti()
      while (partitionOf(jti, 2) !== wanted) jti = newJti()
      return entry(ledger.generation(jti), { jti })
    })
    await redis.cli('DEL', '{hv.2.0}:gen')
    expect(await ledger.consume(here!)).toBe('stale')
    expect(await ledger.consume(there!)).toBe('ours')
  })

  test('is usable while a part of it is, and says why when nothing is', async () => {
    const { ledger } = await instance(2)
    await redis.cli('HSET', '{hv.2.0}:gen', 'v', '999')
    await expect(ledger.probe()).rejects.toMatchObject({ code: 'database-schema-outdated' })
    expect(ledger.fault()).toBeUndefined()
    await redis.cli('HSET', '{hv.2.1}:gen', 'v', '999')
    await eventually(() => expect(ledger.fault()?.code).toBe('database-schema-outdated'))
    await redis.cli('DEL', '{hv.2.0}:gen', '{hv.2.1}:gen')
    await eventually(() => expect(ledger.fault()).toBeUndefined())
  })

  test('counts a limit once over all instances, its windows spread too', async () => {
    const opened = await Promise.all([instance(8), instance(8)])
    const limiters = opened.map(({ link }) => redisLimiter(link, everyBudget(3, 60)))
    for (const who of Array.from({ length: 16 }, newJti)) {
      const asked = Array.from({ length: 8 }, (_, i) => faultOf(() => limiters[i % 2]!.take('solve', who)))
      expect((await Promise.all(asked)).filter((code) => code === 'none')).toHaveLength(3)
    }
    const keys = (await redis.cli('KEYS', '*:l:*')) as string[]
    expect(new Set(keys.map((key) => key.split(':')[0])).size).toBeGreaterThan(3)
  })
})

describe('instances that disagree about the number of partitions', () => {
  test.each([
    { one: 1, other: 2 },
    { one: 2, other: 3 },
  ])('of $one and $other refuse all of each other’s tokens, spent and unspent', async ({ one, other }) => {
    const [a, b] = [(await instance(one)).ledger, (await instance(other)).ledger]
    for (const [issuer, stranger] of [
      [a, b],
      [b, a],
    ] as const) {
      for (let i = 0; i < 40; i++) {
        const jti = newJti()
        const token = entry(issuer.generation(jti), { jti })
        expect(await stranger.consume(token)).toBe('stale')
        expect(await issuer.consume(token)).toBe('ours')
        expect(await stranger.consume({ ...token, attempt: newAttempt() })).toBe('stale')
        expect(await issuer.consume({ ...token, attempt: newAttempt() })).toBe('taken')
      }
    }
  })

  // Going back and forth must not find the entries' home moved while the generation stayed.
  test('never accept a token a second time when all change to another number and back', async () => {
    const before = await instance(4)
    const tokens = Array.from({ length: 40 }, newJti).map((jti) => entry(before.ledger.generation(jti), { jti }))
    for (const token of tokens) expect(await before.ledger.consume(token)).toBe('ours')
    const between = await instance(1)
    const after = await instance(4)
    const again = tokens.flatMap((token) => [
      between.ledger.consume({ ...token, attempt: newAttempt() }),
      after.ledger.consume({ ...token, attempt: newAttempt() }),
    ])
    expect(new Set(await Promise.all(again))).toEqual(new Set(['stale', 'taken']))
  })
})
