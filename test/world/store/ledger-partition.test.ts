/** One partition of the ledger in a real Redis, with a clock of the test: its last answer, and for how long that is valid. */
import { readFileSync } from 'node:fs'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { Fault } from '../../../src/domain/codes.ts'
import type { Consumable } from '../../../src/domain/ports.ts'
import { unixSeconds } from '../../../src/domain/words.ts'
import { bucketKey } from '../../../src/store/ledger/buckets.ts'
import { LedgerPartition } from '../../../src/store/ledger/ledger-partition.ts'
import { type RedisConnection, redisConnection } from '../../../src/store/redis/redis-connection.ts'
import { closeLater } from '../../support/close-later.ts'
import { startRedis } from '../../support/redis.ts'
import { entry, eventually, keepLog, newAttempt, random } from '../../support/ledger-contract.ts'

const LEDGER = readFileSync(
  new URL('../../../src/store/ledger/ledger.lua', import.meta.url),
  'utf8',
)
const redis = await startRedis()
const link = closeLater(
  redisConnection({ url: redis.url, keyPrefix: 'hv' }, { log: keepLog() }),
  (it) => it.close(),
)
let partition: LedgerPartition
let moves: number
const at = { ms: 0 }

beforeAll(() => eventually(() => expect(link.client.status).toBe('ready')))
beforeEach(() => {
  moves = 0
  at.ms = 0
  partition = new LedgerPartition(link, '{hv}:', {
    random,
    elapsed: () => at.ms,
    onMove: () => moves++,
  })
})
afterEach(async () => {
  await redis.cli('FLUSHALL')
})

async function thrownBy(call: () => unknown): Promise<Fault> {
  try {
    await call()
  } catch (error) {
    if (error instanceof Fault) return error
    throw error
  }
  throw new Error('nothing was thrown')
}
const faultIs = async (call: () => unknown, code: string, cause: string): Promise<void> => {
  const fault = await thrownBy(call)
  expect([fault.code, (fault.cause as Error).message, fault.retryAfter]).toEqual([code, cause, 1])
}
const fresh = (change: Partial<Consumable> = {}): Consumable =>
  entry(partition.generation(), change)

describe('the generation', () => {
  test('is not known before it was heard, and not believed 1.5 s after', async () => {
    const tooOld = 'the ledger has not answered for too long'
    await faultIs(() => partition.generation(), 'database-unavailable', tooOld)
    await partition.poll()
    const generation = partition.generation()
    expect(generation).toBe(await redis.cli('HGET', '{hv}:gen', 'g'))
    at.ms = 1500
    expect(partition.generation()).toBe(generation)
    at.ms = 1501
    await faultIs(() => partition.generation(), 'database-unavailable', tooOld)
    await partition.poll()
    expect(partition.generation()).toBe(generation)
  })
  // By it a pass counts as used that may have been accepted before the entries were lost.
  test('has a known beginning once it was polled, until another one is heard of', async () => {
    expect(partition.beganAt()).toBeUndefined()
    await partition.poll()
    const began = Math.floor(Number(await redis.cli('HGET', '{hv}:gen', 'c')) / 1000)
    expect([began > 1_700_000_000, partition.beganAt()]).toEqual([true, began])
    const token = fresh()
    expect([await partition.consume(token), partition.beganAt()]).toEqual(['first', began])
    await redis.cli('DEL', '{hv}:gen')
    expect([await partition.consume(token), partition.beganAt()]).toEqual(['stale', undefined])
    await partition.poll()
    await redis.cli('HDEL', '{hv}:gen', 'c')
    await partition.poll()
    expect(partition.beganAt()).toBeUndefined()
  })
  test('of another schema is not used, and nothing is consumed in it', async () => {
    await partition.poll()
    const token = fresh()
    await redis.cli('HSET', '{hv}:gen', 'v', '999')
    const found = "the ledger's schema is 999, which differs from ours"
    await faultIs(() => partition.consume(token), 'database-schema-outdated', found)
    const next = new LedgerPartition(link, '{hv}:', { random })
    for (const each of [partition, next])
      await faultIs(() => each.poll(), 'database-schema-outdated', found)
    await faultIs(
      () => partition.generation(),
      'database-schema-outdated',
      "the ledger's schema differs from ours",
    )
    expect(await redis.cli('EXISTS', bucketKey('{hv}:', token))).toBe(0)
    // A missing schema is not another schema: a new generation begins, and the operator has nothing to fix.
    await redis.cli('HDEL', '{hv}:gen', 'v')
    await partition.poll()
    expect(partition.generation()).not.toBe(token.generation)
    expect(await redis.cli('HGET', '{hv}:gen', 'v')).toBe('1')
  })
})

test.each([
  [
    'within five seconds',
    async () => {
      at.ms += 5000
    },
  ],
  ['after a new connection', async () => partition.distrust()],
  ['after a new generation', () => redis.cli('DEL', '{hv}:gen').then(() => partition.poll())],
])('a server whose user loses a right is noticed %s', async (_what, happens) => {
  // The first generation that is heard is a new one too.
  for (let i = 0; i < 2; i++) await partition.poll()
  const token = fresh()
  await redis.cli('ACL', 'SETUSER', 'default', '-hsetnx')
  try {
    await partition.poll()
    await happens()
    for (const call of [
      () => partition.poll(),
      () => partition.consume(token),
      () => partition.generation(),
    ]) {
      const { code, cause } = await thrownBy(call)
      expect([code, (cause as Error).message]).toEqual([
        'database-unavailable',
        partition.refusal(),
      ])
    }
    expect(partition.refusal()).toMatch('allow it +hsetnx')
    const { cause } = await thrownBy(() => new LedgerPartition(link, '{hv}:', { random }).poll())
    expect((cause as Error).message).toBe(partition.refusal())
  } finally {
    await redis.cli('ACL', 'SETUSER', 'default', '+hsetnx')
  }
  // And its return by the next poll.
  await partition.poll()
})

describe('a bucket', () => {
  const remove = (key: string) => redis.cli('EVAL', LEDGER, '2', '{hv}:gen', key, 'remove', '')
  const hash = async (): Promise<Record<string, string>> => {
    const flat = (await redis.cli('HGETALL', '{hv}:gen')) as string[]
    return Object.fromEntries(
      flat.flatMap((name, i) => (i % 2 === 0 ? [[name, flat[i + 1]!]] : [])),
    )
  }
  /** An entry that was kept for as long as any clock may be set back. */
  const overToken = (): Consumable =>
    fresh({ keepUntil: unixSeconds(Math.floor(Date.now() / 1000) - 41) })

  test('is registered with the number of its entries, beside those of the other kind', async () => {
    await partition.poll()
    const tokens = [fresh(), fresh(), fresh({ kind: 'challenge' })]
    for (const token of tokens) expect(await partition.consume(token)).toBe('first')
    await partition.consume({ ...tokens[0]!, attempt: newAttempt() })
    const {
      n,
      h,
      [bucketKey('{hv}:', tokens[0]!)]: tokenCount,
      [bucketKey('{hv}:', tokens[2]!)]: challengeCount,
    } = await hash()
    expect({ n, h, tokenCount, challengeCount }).toEqual({
      n: '2',
      h: '0',
      tokenCount: '2',
      challengeCount: '1',
    })
  })

  test('is removed with its registration when it has ended; the time is recorded, and it is never created again', async () => {
    await partition.poll()
    const [over, lasting] = [overToken(), fresh()]
    for (const token of [over, lasting]) expect(await partition.consume(token)).toBe('first')
    at.ms = 4999
    await partition.poll()
    expect((await hash())['n']).toBe('2')
    at.ms = 5000
    const before = Date.now()
    await partition.poll()
    const { n, h, [bucketKey('{hv}:', lasting)]: count } = await hash()
    expect([n, count, await redis.cli('EXISTS', bucketKey('{hv}:', over))]).toEqual(['1', '1', 0])
    expect(Number(h)).toBeGreaterThanOrEqual(before)
    // By its claims the token has not expired, but its entry is gone.
    expect(await partition.consume({ ...over, attempt: newAttempt() })).toBe('expired')
    expect(await partition.consume(fresh())).toBe('first')
    expect(moves).toBe(0)
  })

  test('of an earlier generation is removed before its end, without recording the time', async () => {
    await partition.poll()
    const earlier = fresh()
    await partition.consume(earlier)
    await redis.cli('HSET', '{hv}:gen', 'r', '0'.repeat(40))
    await partition.poll()
    expect((await hash())['n']).toBe('1')
    at.ms = 5000
    await partition.poll()
    expect(await redis.cli('EXISTS', bucketKey('{hv}:', earlier))).toBe(0)
    expect(await hash()).toEqual({ ...(await hash()), n: '0', h: '0' })
    expect(Object.keys(await hash()).sort()).toEqual(['c', 'g', 'h', 'n', 'r', 's', 'v'])
  })

  test('that Redis removed before it was over moves the generation; one that was over does not', async () => {
    await partition.poll()
    const [over, lasting, sibling] = [overToken(), fresh(), fresh()]
    for (const token of [over, lasting]) await partition.consume(token)
    await redis.cli('DEL', bucketKey('{hv}:', over))
    at.ms = 5000
    await partition.poll()
    expect([(await hash())['n'], moves]).toEqual(['1', 0])
    await redis.cli('DEL', bucketKey('{hv}:', lasting))
    expect(await partition.consume({ ...sibling, keepUntil: lasting.keepUntil })).toBe('stale')
    expect(moves).toBe(1)
  })

  test('is not removed by a call that finds another server', async () => {
    await partition.poll()
    const over = overToken()
    await partition.consume(over)
    const bucket = bucketKey('{hv}:', over)
    await redis.cli('HSET', '{hv}:gen', 'r', '0'.repeat(40))
    expect(await remove(bucket)).toBe(0)
    expect(await redis.cli('EXISTS', bucket)).toBe(1)
  })

  test.each([
    ['that is not registered', '{hv}:t:AAAAAAAAAAAAAAAAAAAAAA:1'],
    ['whose key names no bucket', '{hv}:gen'],
  ])('%s is not removed', async (_what, key) => {
    await partition.poll()
    await redis.cli('HSET', key, 'a', 'b')
    expect(await remove(key)).toBe(0)
    expect(await redis.cli('EXISTS', key)).toBe(1)
  })
})

test('an answer that comes late does not undo a newer one', async () => {
  const answer: ((gives: readonly string[]) => void)[] = []
  const script = () => () => new Promise<readonly string[]>((resolve) => answer.push(resolve))
  const slow = Object.assign(Object.create(link) as RedisConnection, { script })
  const other = new LedgerPartition(slow, '{hv}:', { random, elapsed: () => at.ms++ })
  const asked = [0, 1, 2].map(() => other.consume(entry(random.id() as never)))
  for (const which of [1, 0, 2]) {
    answer[which]!(['first', `generation ${which}`])
    await asked[which]
    expect(other.generation()).toBe(`generation ${which || 1}`)
  }
})

// No server that we have answers so; whatever does, consumes nothing.
test.each([
  ['noid', 'Redis does not report its master_replid'],
  ['other', "the ledger's script answered other"],
])('the answer %s consumes nothing', async (word, cause) => {
  const answering = Object.assign(Object.create(link) as RedisConnection, {
    script: () => async () => [word, ''],
  })
  const other = new LedgerPartition(answering, '{hv}:', { random, elapsed: () => at.ms })
  const fault = await thrownBy(() => other.consume(entry(random.id() as never)))
  expect([fault.code, (fault.cause as Error).message]).toEqual(['database-unavailable', cause])
})
