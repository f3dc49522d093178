/** The faults of docs/design/threats.md, "Faults", as one instance's ledger sees them; each on a real server. */
import { inspect } from 'node:util'
import { expect, test } from '@jest/globals'
import { bucketKey } from '../../../src/store/ledger/buckets.ts'
import type { Ledger } from '../../../src/domain/ports.ts'
import { type Generation, unixSeconds } from '../../../src/domain/words.ts'
import { startRedis } from '../../support/redis.ts'
import { startReplica } from '../faults/stands.ts'
import { acceptedAgain, type LedgerOnRedis, openLedger } from '../../support/ledger-on-redis.ts'
import { anyJti, entry, eventually, newAttempt, now, sleep } from '../../support/ledger-contract.ts'

const redis = await startRedis()

async function ready(): Promise<LedgerOnRedis & { readonly generation: Generation }> {
  const made = openLedger({ url: redis.url })
  return { ...made, generation: await eventually(() => made.ledger.generation(anyJti)) }
}

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
  {
    when: 'the loss of the time of its last removal',
    lose: () => redis.cli('HDEL', '{hv}:gen', 'h'),
  },
  { when: 'the loss of its serial', lose: () => redis.cli('HDEL', '{hv}:gen', 's') },
  { when: 'the loss of its schema', lose: () => redis.cli('HDEL', '{hv}:gen', 'v') },
  { when: 'the loss of a bucket', lose: (bucket) => redis.cli('DEL', bucket) },
  { when: 'the loss of one entry', lose: (bucket, jti) => redis.cli('HDEL', bucket, jti) },
  { when: 'the loss of a registration', lose: (bucket) => redis.cli('HDEL', '{hv}:gen', bucket) },
  {
    when: 'the loss of a bucket with its registration',
    lose: (bucket) =>
      Promise.all([redis.cli('HDEL', '{hv}:gen', bucket), redis.cli('DEL', bucket)]),
  },
  {
    when: 'an expiry that Redis put to a bucket',
    async lose(bucket) {
      await redis.cli('PEXPIRE', bucket, '1')
      await eventually(async () => expect(await redis.cli('EXISTS', bucket)).toBe(0))
    },
  },
])(
  'the generation moves after $when, so that neither spent nor unspent tokens are accepted',
  async ({ lose }) => {
    const { ledger, generation } = await ready()
    const spent = entry(generation)
    // In the same bucket, so that a lost one is not empty.
    const other = entry(generation, { keepUntil: spent.keepUntil })
    expect([await ledger.consume(spent), await ledger.consume(other)]).toEqual(['first', 'first'])

    await lose(bucketKey('{hv}:', spent), spent.jti)
    // Said by the reply to a refused token, before the next poll.
    expect(await eventually(() => ledger.consume({ ...spent, attempt: newAttempt() }))).toBe(
      'stale',
    )
    const moved = ledger.generation(anyJti)
    expect(moved).not.toBe(generation)
    expect(await ledger.consume({ ...spent, attempt: newAttempt() })).toBe('stale')
    expect(await ledger.consume(entry(generation))).toBe('stale')
    expect(await ledger.consume(entry(moved))).toBe('first')
  },
)

/** Puts the keys back as they are now, under the same master_replid: as a machine that is set back to an earlier state. */
async function copied(): Promise<() => Promise<unknown>> {
  const each = (pattern: string, body: string) =>
    `for _, key in ipairs(redis.call('KEYS', '${pattern}')) do ${body} end `
  const copy = each('{hv}:*', "redis.call('COPY', key, 'copy:' .. key)")
  const back = each('{hv}:*', "redis.call('DEL', key)")
  const renamed = each('copy:*', "redis.call('RENAME', key, string.sub(key, 6))")
  await redis.cli('EVAL', copy, '0')
  return () => redis.cli('EVAL', back + renamed, '0')
}
const spend = async (ledger: Ledger, generation: Generation) => {
  const tokens = Array.from({ length: 12 }, () => entry(generation))
  for (const token of tokens) expect(await ledger.consume(token)).toBe('first')
  return tokens
}

test('an older copy under the same identity accepts nothing twice: an instance has heard of more entries', async () => {
  const { ledger, generation } = await ready()
  await spend(ledger, generation)
  const putBack = await copied()
  const spent = await spend(ledger, generation)
  await putBack()
  expect(await acceptedAgain(ledger, spent)).toBe(0)
  expect(ledger.generation(anyJti)).not.toBe(generation)
})

test('an older copy is found out by the poll of any instance that has heard of more entries', async () => {
  const [one, other] = [await ready(), await ready()]
  const putBack = await copied()
  const spent = await spend(one.ledger, one.generation)
  await other.ledger.probe()
  await putBack()
  await other.ledger.probe()
  expect(await acceptedAgain(one.ledger, spent)).toBe(0)
  expect(other.moves.count).toBe(1)
})

// docs/design/single-use.md, "The serial": a limit, not a promise.
test('an older copy is not found out where every instance was started anew', async () => {
  const one = await ready()
  const putBack = await copied()
  const spent = await spend(one.ledger, one.generation)
  await one.close()
  await putBack()
  const { ledger, generation } = await ready()
  expect(generation).toBe(one.generation)
  expect(await acceptedAgain(ledger, spent)).toBe(spent.length)
})

// With replica-read-only no it would count entries of its own, under the identity of its primary.
test('a replica that accepts writes consumes nothing, and does once it is promoted', async () => {
  const { ledger, generation } = await ready()
  expect(await ledger.consume(entry(generation))).toBe('first')
  const replica = await startReplica(redis.port, { args: ['--replica-read-only', 'no'] })
  const { ledger: other } = openLedger({ url: replica.url })
  await expect(other.consume(entry(generation))).rejects.toMatchObject({
    code: 'database-unavailable',
    cause: { message: expect.stringContaining('Redis is a replica') },
  })

  await replica.cli('REPLICAOF', 'NO', 'ONE')
  const moved = await eventually(() => other.generation(anyJti))
  expect(moved).not.toBe(generation)
  expect(await other.consume(entry(moved))).toBe('first')
})

test('stores an entry in a bucket of its kind, with the attempt as its value, and Redis removes none for a day', async () => {
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

test('a password that is wrong is logged once, and stays out of log and fault', async () => {
  const secured = await startRedis({ args: ['--requirepass', 'the-right-one'] })
  const url = secured.url.replace('//', '//:the-wrong-one@')
  const { ledger, log } = openLedger({ url })
  await eventually(() =>
    expect(log.lines).toEqual([expect.stringMatching(/redis cannot be reached.*WRONGPASS/)]),
  )
  const fault: unknown = await ledger.probe().catch((error: unknown) => error)
  expect(fault).toMatchObject({ code: 'database-unavailable' })
  await sleep(600)
  expect(log.lines).toHaveLength(1)
  expect(inspect([fault, log.lines], { depth: 9 })).not.toContain('the-wrong-one')
})
