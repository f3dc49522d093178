import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { checkRedis } from '../../../src/store/check-redis.ts'
import { bucketKey } from '../../../src/store/ledger-partition.ts'
import { redisLedger } from '../../../src/store/redis-ledger.ts'
import { type RedisConnection, redisConnection } from '../../../src/store/redis.ts'
import { type Generation, unixSeconds } from '../../../src/domain/words.ts'
import type { Ledger } from '../../../src/domain/ports/stores.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts'
import {
  anyJti,
  entry,
  eventually,
  faultOf,
  keepLog,
  type Lines,
  newAttempt,
  now,
  random,
  sleep,
} from '../../support/ledger-contract.ts'

// The faults of docs/design/threats.md, "Faults", as one instance's ledger sees them; each on a real server.

interface Instance {
  readonly link: RedisConnection
  readonly ledger: Ledger
  readonly log: Lines
}

let open: Instance[] = []

function instance(url: string): Instance {
  const log = keepLog()
  const link = redisConnection({ url, cluster: undefined, sentinel: undefined, keyPrefix: 'hv' }, { log })
  const made = { link, ledger: redisLedger(link, { random, log }), log }
  open.push(made)
  return made
}

/** An instance that has heard its generation. */
async function ready(url: string): Promise<Instance & { readonly generation: Generation }> {
  const made = instance(url)
  return { ...made, generation: await eventually(() => made.ledger.generation(anyJti)) }
}

async function timed<T>(call: () => Promise<T>): Promise<{ readonly answer: T; readonly ms: number }> {
  const start = performance.now()
  return { answer: await call(), ms: performance.now() - start }
}

afterEach(async () => {
  for (const { ledger, link } of open) {
    await ledger.close()
    await link.close()
  }
  open = []
})

describe('a ledger that loses entries', () => {
  let redis: TestRedis
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis.remove())

  test.each([
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
    { when: 'the loss of a bucket', lose: (bucket: string) => redis.cli('DEL', bucket) },
    { when: 'the loss of one entry', lose: (bucket: string, jti: string) => redis.cli('HDEL', bucket, jti) },
    { when: 'the loss of a registration', lose: (bucket: string) => redis.cli('HDEL', '{hv}:gen', bucket) },
    {
      when: 'the loss of a bucket with its registration',
      lose: (bucket: string) => Promise.all([redis.cli('HDEL', '{hv}:gen', bucket), redis.cli('DEL', bucket)]),
    },
    {
      when: 'an end that Redis put to a bucket',
      lose: (bucket: string) => redis.cli('PEXPIRE', bucket, '1').then(() => sleep(20)),
    },
  ])('moves its generation after $when, so that neither spent nor unspent tokens are taken', async ({ lose }) => {
    const { ledger, generation } = await ready(redis.url)
    const spent = entry(generation)
    // In the same bucket, so that a lost one is not empty.
    const other = entry(generation, { keepUntil: spent.keepUntil })
    expect([await ledger.consume(spent), await ledger.consume(other)]).toEqual(['ours', 'ours'])

    await lose(bucketKey('{hv}:', spent), spent.jti)
    expect(await ledger.consume({ ...spent, attempt: newAttempt() })).toBe('stale')
    const moved = await eventually(() => {
      const present = ledger.generation(anyJti)
      expect(present).not.toBe(generation)
      return present
    })

    expect(await ledger.consume({ ...spent, attempt: newAttempt() })).toBe('stale')
    expect(await ledger.consume(entry(generation))).toBe('stale')
    expect(await ledger.consume(entry(moved))).toBe('ours')
  })

  test('learns the new generation from the reply to a refused token, before the next poll', async () => {
    const { ledger, generation } = await ready(redis.url)
    await redis.cli('FLUSHALL')
    expect(await ledger.consume(entry(generation))).toBe('stale')
    expect(ledger.generation(anyJti)).not.toBe(generation)
  })
})

describe('a ledger in Redis', () => {
  let redis: TestRedis
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis.remove())
  afterEach(() => redis.resume())

  test('keeps an entry in a bucket of its kind, with the attempt as its value, and Redis removes none for a day', async () => {
    const { ledger, generation } = await ready(redis.url)
    const response = entry(generation, { keepUntil: unixSeconds(now() + 240) })
    const challenge = entry(generation, { kind: 'challenge', keepUntil: unixSeconds(now() + 500) })
    await ledger.consume(response)
    await ledger.consume(challenge)
    for (const [key, held, keepMs] of [
      [`{hv}:t:${generation}:${Math.floor(response.keepUntil / 10) + 1}`, response, 240_000],
      [`{hv}:c:${generation}:${Math.floor(challenge.keepUntil / 10) + 1}`, challenge, 500_000],
    ] as const) {
      expect(await redis.cli('HGET', key, held.jti)).toBe(held.attempt)
      expect(await redis.cli('HGET', '{hv}:gen', key)).toBe('1')
      const left = Number(await redis.cli('PTTL', key)) - 86_400_000
      expect(left).toBeLessThanOrEqual(keepMs + 10_000)
      expect(left).toBeGreaterThan(keepMs - 2500)
    }
  })

  test('faults within a second when the server is gone, and works again without a new client', async () => {
    const { ledger, link, generation } = await ready(redis.url)
    const client = link.client
    await redis.stop()

    const attempts = await Promise.all(
      Array.from({ length: 50 }, () => timed(() => faultOf(() => ledger.consume(entry(generation))))),
    )
    expect(new Set(attempts.map(({ answer }) => answer))).toEqual(new Set(['database-unavailable']))
    expect(Math.max(...attempts.map(({ ms }) => ms))).toBeLessThan(1000)
    expect(await faultOf(() => ledger.probe())).toBe('database-unavailable')

    await sleep(1600)
    expect(await faultOf(() => ledger.generation(anyJti))).toBe('database-unavailable')
    const late = await timed(() => faultOf(() => ledger.consume(entry(generation))))
    expect(late.answer).toBe('database-unavailable')
    expect(late.ms).toBeLessThan(100)

    await redis.start()
    const back = await timed(() => eventually(() => ledger.generation(anyJti)))
    expect(back.ms).toBeLessThan(3000)
    expect(await ledger.consume(entry(back.answer))).toBe('ours')
    expect(link.client).toBe(client)
  })

  test('stops issuing 1.5 s after it last heard of the ledger, not at once', async () => {
    const { ledger, generation } = await ready(redis.url)
    await redis.stop()
    await sleep(700)
    expect(ledger.generation(anyJti)).toBe(generation)
    await sleep(1000)
    expect(await faultOf(() => ledger.generation(anyJti))).toBe('database-unavailable')
    await redis.start()
  })

  test('answers each of 200 calls within a second while the server hangs, and recovers within 3 s', async () => {
    const { ledger, generation } = await ready(redis.url)
    redis.pause()
    const attempts = await Promise.all(
      Array.from({ length: 200 }, () => timed(() => faultOf(() => ledger.consume(entry(generation))))),
    )
    expect(new Set(attempts.map(({ answer }) => answer))).toEqual(new Set(['database-unavailable']))
    expect(Math.max(...attempts.map(({ ms }) => ms))).toBeLessThan(1000)
    await sleep(3000)
    const probed = await timed(() => faultOf(() => ledger.probe()))
    expect(probed.answer).toBe('database-unavailable')
    expect(probed.ms).toBeLessThan(500)

    redis.resume()
    const back = await timed(() => eventually(async () => ledger.consume(entry(ledger.generation(anyJti)))))
    expect(back.answer).toBe('ours')
    expect(back.ms).toBeLessThan(3000)
  })

  test('shows nothing of a SCRIPT FLUSH in a loop', async () => {
    const { ledger, generation } = await ready(redis.url)
    const operator = instance(redis.url).link
    await eventually(() => expect(operator.client.status).toBe('ready'))
    const end = Date.now() + 700
    let flushes = 0
    const flushing = (async () => {
      for (; Date.now() < end; flushes++) await operator.client.script('FLUSH')
    })()
    const outcomes: string[] = []
    while (Date.now() < end) {
      const calls = Array.from({ length: 10 }, () => ledger.consume(entry(generation)))
      outcomes.push(...(await Promise.all(calls)))
    }
    await flushing
    expect(flushes).toBeGreaterThan(10)
    expect(outcomes.length).toBeGreaterThan(10)
    expect(new Set(outcomes)).toEqual(new Set(['ours']))
  })

  test('faults with database-schema-outdated while the schema is another, and says it once', async () => {
    const { ledger, log, generation } = await ready(redis.url)
    await redis.cli('HSET', '{hv}:gen', 'v', '999')
    await eventually(async () =>
      expect(await faultOf(() => ledger.generation(anyJti))).toBe('database-schema-outdated'),
    )
    expect(await faultOf(() => ledger.consume(entry(generation)))).toBe('database-schema-outdated')
    expect(await faultOf(() => ledger.probe())).toBe('database-schema-outdated')
    await sleep(700)
    expect(log.lines.filter((line) => line.includes('schema'))).toHaveLength(1)
    expect(await redis.cli('HGET', '{hv}:gen', 'g')).toBe(generation)

    await redis.cli('HSET', '{hv}:gen', 'v', '1')
    await eventually(() => expect(ledger.generation(anyJti)).toBe(generation))
  })

  test('never lets two instances on two databases both accept', async () => {
    const one = await ready(redis.url)
    const other = await ready(redis.url.replace(/0$/, '1'))
    const token = entry(one.generation)
    expect(await one.ledger.consume(token)).toBe('ours')
    expect(await other.ledger.consume({ ...token, attempt: newAttempt() })).toBe('stale')
    expect(await other.ledger.consume(entry(other.generation))).toBe('ours')
  })

  test('moves nobody between two instances on one database', async () => {
    const one = await ready(redis.url)
    const other = await ready(redis.url)
    expect(other.generation).toBe(one.generation)
    const token = entry(one.generation)
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, (_, i) => (i % 2 ? one : other).ledger.consume({ ...token, attempt: newAttempt() })),
    )
    expect(outcomes.filter((outcome) => outcome === 'ours')).toHaveLength(1)
  })

  test('works again after its client gave up', async () => {
    const { ledger, link } = await ready(redis.url)
    link.client.disconnect()
    await eventually(() => expect(link.trouble()).toBeDefined())
    const generation = await eventually(() => {
      expect(link.trouble()).toBeUndefined()
      return ledger.generation(anyJti)
    })
    await eventually(async () => expect(await ledger.consume(entry(generation))).toBe('ours'))
  })

  test('faults when memory is full, and works again when it is not', async () => {
    const { ledger, generation } = await ready(redis.url)
    await redis.cli('CONFIG', 'SET', 'maxmemory', '1')
    expect(await faultOf(() => ledger.consume(entry(generation)))).toBe('database-unavailable')
    await redis.cli('CONFIG', 'SET', 'maxmemory', '0')
    expect(await ledger.consume(entry(await eventually(() => ledger.generation(anyJti))))).toBe('ours')
  })

  test('faults on a replica, which may not write', async () => {
    const { ledger, generation } = await ready(redis.url)
    await redis.cli('REPLICAOF', '127.0.0.1', '1')
    const refused = await timed(() => faultOf(() => ledger.consume(entry(generation))))
    expect(refused.answer).toBe('database-unavailable')
    expect(refused.ms).toBeLessThan(1000)
    await redis.cli('REPLICAOF', 'NO', 'ONE')
    await eventually(async () => expect(await ledger.consume(entry(ledger.generation(anyJti)))).toBe('ours'))
  })
})

describe('a broken wire', () => {
  let redis: TestRedis
  let proxy: TcpProxy
  let url: string
  beforeAll(async () => {
    redis = await startRedis()
    proxy = await startTcpProxy(redis.port)
    url = `redis://127.0.0.1:${proxy.port}/0`
  })
  afterAll(async () => {
    await proxy.close()
    await redis.remove()
  })
  afterEach(() => proxy.delay(0))

  test('gives the token to the attempt whose reply was cut after the write, with one second try', async () => {
    const { ledger, generation } = await ready(url)
    // The first call ever sends the script itself once more.
    expect(await ledger.consume(entry(generation))).toBe('ours')
    for (let round = 0; round < 5; round++) {
      const token = entry(generation)
      proxy.cutReplyTo(token.jti)
      const { answer, ms } = await timed(() => ledger.consume(token))
      expect(answer).toBe('ours')
      expect(ms).toBeLessThan(600)
      expect(proxy.requests()).toBe(2)
      expect(await redis.cli('HGET', bucketKey('{hv}:', token), token.jti)).toBe(token.attempt)
      expect(await ledger.consume({ ...token, attempt: newAttempt() })).toBe('taken')
    }
  })

  test('lets replies pass that take 200 ms', async () => {
    const { ledger, generation } = await ready(url)
    proxy.delay(200)
    expect(await ledger.consume(entry(generation))).toBe('ours')
  })

  test('asks once when replies take a second, faults within 600 ms, and recovers', async () => {
    const { ledger, generation } = await ready(url)
    proxy.delay(1000)
    const token = entry(generation)
    proxy.watch(token.jti)
    const { answer, ms } = await timed(() => faultOf(() => ledger.consume(token)))
    expect(answer).toBe('database-unavailable')
    expect(ms).toBeLessThan(700)
    expect(proxy.requests()).toBe(1)
    proxy.delay(0)
    await eventually(async () => expect(await ledger.consume(token)).toBe('ours'))
  })
})

describe('a Redis that may not hold the ledger', () => {
  test('is refused at the start when it evicts, and accepted once it does not', async () => {
    const redis = await startRedis({ args: ['--maxmemory-policy', 'allkeys-lru'] })
    try {
      const { ledger, link, log } = instance(redis.url)
      const sentence = await checkRedis(link)
      expect(sentence).toMatch(/maxmemory-policy to noeviction \(it is allkeys-lru\)/)
      await sleep(600)
      expect(await faultOf(() => ledger.generation(anyJti))).toBe('database-unavailable')
      expect(await faultOf(() => ledger.consume(entry(random.id() as Generation)))).toBe('database-unavailable')
      expect(await faultOf(() => ledger.probe())).toBe('database-unavailable')
      expect(log.lines.filter((line) => line.includes('noeviction'))).toHaveLength(1)

      await redis.cli('CONFIG', 'SET', 'maxmemory-policy', 'noeviction')
      const generation = await eventually(() => ledger.generation(anyJti))
      expect(await ledger.consume(entry(generation))).toBe('ours')
      expect(await checkRedis(link)).toBeUndefined()
    } finally {
      await redis.remove()
    }
  })

  test('is refused when its user may not read its identity; the recommended user is enough', async () => {
    const redis = await startRedis()
    const rights =
      '~{hv}:* -@all +evalsha +eval +time +hmget +hset +hsetnx +hincrby +hlen +hkeys +hdel +unlink +pexpire +set +incrby +pttl +ping +hello +auth'.split(
        ' ',
      )
    try {
      await redis.cli('ACL', 'SETUSER', 'blind', 'on', '>pa55word', ...rights)
      await redis.cli('ACL', 'SETUSER', 'hv', 'on', '>pa55word', ...rights, '+info')
      const blind = instance(redis.url.replace('//', '//blind:pa55word@'))
      expect(await checkRedis(blind.link)).toMatch(/master_replid.*allow its user INFO/)
      expect(await faultOf(() => blind.ledger.generation(anyJti))).toBe('database-unavailable')

      const allowed = await ready(redis.url.replace('//', '//hv:pa55word@'))
      expect(await checkRedis(allowed.link)).toBeUndefined()
      expect(await allowed.ledger.consume(entry(allowed.generation))).toBe('ours')
      expect(allowed.log.lines).toEqual([])
      expect(await redis.cli('ACL', 'LOG')).not.toContainEqual(expect.arrayContaining(['username', 'hv']))
    } finally {
      await redis.remove()
    }
  })

  test('with a wrong password is unavailable, and the password stays out of log and fault', async () => {
    const redis = await startRedis({ args: ['--requirepass', 'the-right-one'] })
    try {
      const { ledger, link, log } = instance(redis.url.replace('//', '//:the-wrong-one@'))
      expect(await checkRedis(link)).toBeUndefined()
      expect(await faultOf(() => ledger.probe())).toBe('database-unavailable')
      const fault = await ledger.probe().catch((error: unknown) => error)
      expect(log.lines).toHaveLength(1)
      expect(log.lines[0]).toMatch(/redis cannot be reached.*WRONGPASS/)
      const { inspect } = await import('node:util')
      expect(inspect([fault, log.lines], { depth: 9 })).not.toContain('the-wrong-one')
    } finally {
      await redis.remove()
    }
  })

  test('that nobody reaches is not refused: the service starts, and answers 503', async () => {
    const { ledger, link } = instance('redis://127.0.0.1:1/0')
    expect(await checkRedis(link)).toBeUndefined()
    expect(await faultOf(() => ledger.generation(anyJti))).toBe('database-unavailable')
    const { answer, ms } = await timed(() => faultOf(() => ledger.probe()))
    expect(answer).toBe('database-unavailable')
    expect(ms).toBeLessThan(450)
  })
})
