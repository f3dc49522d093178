/** The faults of docs/design/threats.md, "Faults", as one instance's ledger sees them; each on a real server. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { bucketKey } from '../../../src/store/ledger-partition.ts'
import { type Generation, unixSeconds } from '../../../src/domain/words.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts'
import { closeAfterEach, type LedgerOnRedis, openLedger } from '../../support/ledger-on-redis.ts'
import { anyJti, entry, eventually, faultOf, newAttempt, now } from '../../support/ledger-contract.ts'

const closeLater = closeAfterEach()
let redis: TestRedis
beforeAll(async () => {
  redis = await startRedis()
})
afterAll(() => redis.remove())
afterEach(() => redis.resume())

/** An instance that has heard its generation. */
async function ready(url = redis.url): Promise<LedgerOnRedis & { readonly generation: Generation }> {
  const made = openLedger({ url })
  closeLater(made.close)
  return { ...made, generation: await eventually(() => made.ledger.generation(anyJti)) }
}

async function timed<T>(call: () => Promise<T>): Promise<{ readonly answer: T; readonly ms: number }> {
  const start = performance.now()
  return { answer: await call(), ms: performance.now() - start }
}
const many = (calls: number, call: () => Promise<string>) =>
  Promise.all(Array.from({ length: calls }, () => timed(call)))

type Lose = (bucket: string, jti: string) => Promise<unknown>
test.each<{ when: string; lose: Lose }>([
  { when: 'FLUSHALL', lose: () => redis.cli('FLUSHALL') },
  { when: 'a restart without its data', lose: () => redis.restart() },
  { when: 'the loss of the generation hash alone', lose: () => redis.cli('DEL', '{hv}:gen') },
  {
    when: 'a clock set back by a minute',
    lose: () => redis.cli('HSET', '{hv}:gen', 'h', String(Date.now() + 60_000)),
  },
  { when: 'a failover', lose: () => redis.cli('HSET', '{hv}:gen', 'r', '0'.repeat(40)) },
  { when: 'the loss of its mark', lose: () => redis.cli('HDEL', '{hv}:gen', 'h') },
  { when: 'the loss of its schema', lose: () => redis.cli('HDEL', '{hv}:gen', 'v') },
  { when: 'the loss of a bucket', lose: (bucket) => redis.cli('DEL', bucket) },
  { when: 'the loss of one entry', lose: (bucket, jti) => redis.cli('HDEL', bucket, jti) },
  { when: 'the loss of a registration', lose: (bucket) => redis.cli('HDEL', '{hv}:gen', bucket) },
  {
    when: 'the loss of a bucket with its registration',
    lose: (bucket) => Promise.all([redis.cli('HDEL', '{hv}:gen', bucket), redis.cli('DEL', bucket)]),
  },
  {
    when: 'an expiry that Redis put to a bucket',
    async lose(bucket) {
      await redis.cli('PEXPIRE', bucket, '1')
      await eventually(async () => expect(await redis.cli('EXISTS', bucket)).toBe(0))
    },
  },
])('the generation moves after $when, so that neither spent nor unspent tokens are accepted', async ({ lose }) => {
  const { ledger, generation } = await ready()
  const spent = entry(generation)
  // In the same bucket, so that a lost one is not empty.
  const other = entry(generation, { keepUntil: spent.keepUntil })
  expect([await ledger.consume(spent), await ledger.consume(other)]).toEqual(['ours', 'ours'])

  await lose(bucketKey('{hv}:', spent), spent.jti)
  // Said by the reply to a refused token, before the next poll.
  expect(await eventually(() => ledger.consume({ ...spent, attempt: newAttempt() }))).toBe('stale')
  const moved = ledger.generation(anyJti)
  expect(moved).not.toBe(generation)
  expect(await ledger.consume({ ...spent, attempt: newAttempt() })).toBe('stale')
  expect(await ledger.consume(entry(generation))).toBe('stale')
  expect(await ledger.consume(entry(moved))).toBe('ours')
})

test('keeps an entry in a bucket of its kind, with the attempt as its value, and Redis removes none for a day', async () => {
  const { ledger, generation } = await ready()
  const response = entry(generation, { keepUntil: unixSeconds(now() + 240) })
  const challenge = entry(generation, { kind: 'challenge', keepUntil: unixSeconds(now() + 500) })
  for (const [kind, held] of [
    ['t', response],
    ['c', challenge],
  ] as const) {
    await ledger.consume(held)
    const key = `{hv}:${kind}:${generation}:${Math.floor(held.keepUntil / 10) + 1}`
    expect(await redis.cli('HGET', key, held.jti)).toBe(held.attempt)
    expect(Number(await redis.cli('HGET', '{hv}:gen', key))).toBeGreaterThan(0)
    expect(Number(await redis.cli('PTTL', key))).toBeGreaterThan(86_400_000)
  }
})

describe('while the server', () => {
  test('is gone, each call faults within a second, and works again with the same client', async () => {
    const { ledger, link, generation } = await ready()
    const { client } = link
    await redis.stop()
    const stoppedAt = performance.now()
    const attempts = await many(50, () => faultOf(() => ledger.consume(entry(generation))))
    expect(new Set(attempts.map(({ answer }) => answer))).toEqual(new Set(['database-unavailable']))
    expect(Math.max(...attempts.map(({ ms }) => ms))).toBeLessThan(1000)
    // Not at once: the generation stays known for 1.5 s after it was last heard, and no longer.
    await eventually(() => expect(() => ledger.generation(anyJti)).toThrow('database-unavailable'))
    expect(performance.now() - stoppedAt).toBeGreaterThan(1000)
    const late = await timed(() => faultOf(() => ledger.consume(entry(generation))))
    expect(late.ms).toBeLessThan(1000)

    await redis.start()
    const back = await timed(() => eventually(() => ledger.generation(anyJti)))
    expect(back.ms).toBeLessThan(3000)
    expect(await ledger.consume(entry(back.answer))).toBe('ours')
    expect(link.client).toBe(client)
  })

  test('hangs, each of 200 calls is answered within a second, and all works within 3 s of its return', async () => {
    const { ledger, generation } = await ready()
    redis.pause()
    const attempts = await many(200, () => faultOf(() => ledger.consume(entry(generation))))
    expect(new Set(attempts.map(({ answer }) => answer))).toEqual(new Set(['database-unavailable']))
    expect(Math.max(...attempts.map(({ ms }) => ms))).toBeLessThan(1000)
    redis.resume()
    const back = await timed(() => eventually(async () => ledger.consume(entry(ledger.generation(anyJti)))))
    expect(back.answer).toBe('ours')
    expect(back.ms).toBeLessThan(3000)
  })

  test.each([
    { what: 'is full', set: ['CONFIG', 'SET', 'maxmemory', '1'], unset: ['CONFIG', 'SET', 'maxmemory', '0'] },
    { what: 'is a replica', set: ['REPLICAOF', '127.0.0.1', '1'], unset: ['REPLICAOF', 'NO', 'ONE'] },
  ])('$what, a call faults within a second', async ({ set, unset }) => {
    const { ledger, generation } = await ready()
    await redis.cli(...set)
    const refused = await timed(() => faultOf(() => ledger.consume(entry(generation))))
    expect(refused.answer).toBe('database-unavailable')
    expect(refused.ms).toBeLessThan(1000)
    await redis.cli(...unset)
    await eventually(async () => expect(await ledger.consume(entry(ledger.generation(anyJti)))).toBe('ours'))
  })
})

test('two instances on two databases never both accept', async () => {
  const [one, other] = [await ready(), await ready(redis.url.replace(/0$/, '1'))]
  const token = entry(one.generation)
  expect(await one.ledger.consume(token)).toBe('ours')
  expect(await other.ledger.consume({ ...token, attempt: newAttempt() })).toBe('stale')
  expect(await other.ledger.consume(entry(other.generation))).toBe('ours')
})

test('a client that gave up connects again', async () => {
  const { ledger, link } = await ready()
  link.client.disconnect()
  await eventually(() => expect(link.trouble()).toBeDefined())
  await eventually(async () => expect(await ledger.consume(entry(ledger.generation(anyJti)))).toBe('ours'))
})

describe('on a broken wire', () => {
  let wire: TcpProxy
  const throughWire = () => ready(`redis://127.0.0.1:${wire.port}/0`)
  beforeAll(async () => {
    wire = await startTcpProxy(redis.port)
  })
  afterAll(() => wire.close())
  afterEach(() => wire.delay(0))

  test('the attempt whose reply was cut after the write has the token, with one second try', async () => {
    const { ledger, generation } = await throughWire()
    // The first call ever sends the script itself once more.
    expect(await ledger.consume(entry(generation))).toBe('ours')
    for (let round = 0; round < 5; round++) {
      const token = entry(generation)
      wire.cutReplyTo(token.jti)
      expect(await ledger.consume(token)).toBe('ours')
      expect(wire.requests()).toBe(2)
      expect(await redis.cli('HGET', bucketKey('{hv}:', token), token.jti)).toBe(token.attempt)
      expect(await ledger.consume({ ...token, attempt: newAttempt() })).toBe('taken')
    }
  })

  test('replies that take 200 ms pass', async () => {
    const { ledger, generation } = await throughWire()
    wire.delay(200)
    expect(await ledger.consume(entry(generation))).toBe('ours')
  })

  test('where replies take a second, one call is made, and it faults before', async () => {
    const { ledger, generation } = await throughWire()
    wire.delay(1000)
    const token = entry(generation)
    wire.watch(token.jti)
    const { answer, ms } = await timed(() => faultOf(() => ledger.consume(token)))
    expect(answer).toBe('database-unavailable')
    expect(ms).toBeLessThan(1000)
    expect(wire.requests()).toBe(1)
    wire.delay(0)
    await eventually(async () => expect(await ledger.consume(token)).toBe('ours'))
  })
})

test('a password that is wrong is logged once, and stays out of log and fault', async () => {
  const secured = await startRedis({ args: ['--requirepass', 'the-right-one'] })
  closeLater(() => secured.remove())
  const { ledger, log, close } = openLedger({ url: secured.url.replace('//', '//:the-wrong-one@') })
  closeLater(close)
  await eventually(() => expect(log.lines).toEqual([expect.stringMatching(/redis cannot be reached.*WRONGPASS/)]))
  const { inspect } = await import('node:util')
  const fault: unknown = await ledger.probe().catch((error: unknown) => error)
  expect(fault).toMatchObject({ code: 'database-unavailable' })
  expect(inspect([fault, log.lines], { depth: 9 })).not.toContain('the-wrong-one')
})
