/** Instances of release 0.1 and of this one on one Redis, as during a rolling upgrade and a roll back. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Generation, Jti } from '../../../src/domain/words.ts'
import { redisLedger } from '../../../src/ledger/redis.ts'
import { type RedisLink, redisLink } from '../../../src/redis/link.ts'
import type { Consumable, Ledger } from '../../../src/ports/stores.ts'
import { anyJti, entry, eventually, keepLog, newAttempt, random } from '../../support/ledger-contract.ts'
import { OLD_LEDGER } from '../../support/old-ledger.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'

let redis: TestRedis
let link: RedisLink
let ledger: Ledger

beforeAll(async () => {
  redis = await startRedis()
})
afterAll(async () => {
  await ledger?.close()
  await link?.close()
  await redis.remove()
})

/** An instance of release 0.1: its script, and its poll. */
function oldInstance() {
  const ask = (keys: string[], args: string[]) =>
    redis.cli('EVAL', OLD_LEDGER, String(keys.length), ...keys, ...args) as Promise<[word: string, generation: string]>
  const poll = () => ask(['{hv}:gen'], ['', '', '0', random.id(), '0', '1'])
  const polling = setInterval(() => void poll(), 250)
  return {
    generation: async () => (await poll())[1] as Generation,
    async consume({ kind, jti, attempt, generation, expiresAt, keepUntil }: Consumable): Promise<string> {
      const key = `{hv}:${kind === 'response' ? 't' : 'c'}:${jti}`
      const times = [String(expiresAt * 1000), random.id(), String(keepUntil * 1000)]
      return (await ask(['{hv}:gen', key], [attempt, generation, ...times, '1']))[0]
    },
    stop: () => clearInterval(polling),
  }
}

const again = (token: Consumable): Consumable => ({ ...token, attempt: newAttempt() })

test('no token is accepted by both, whichever sees it first, and fresh challenges work all the time', async () => {
  const old = oldInstance()
  const generation1 = await old.generation()
  link = redisLink({ url: redis.url, cluster: undefined, sentinel: undefined, keyPrefix: 'hv' }, { log: keepLog() })
  ledger = redisLedger(link, { random, log: keepLog() })
  // While the old instance lives, new challenges are of its generation: every instance can consume them.
  await eventually(() => expect(ledger.generation(anyJti)).toBe(generation1))
  // When a generation of that release began, nobody knows.
  expect(ledger.beganAt(anyJti)).toBeUndefined()
  for (let i = 0; i < 10; i++) {
    const [one, other] = [entry(ledger.generation(anyJti)), entry(ledger.generation(anyJti))]
    expect([await old.consume(one), await ledger.consume(again(one))]).toEqual(['ok', 'taken'])
    expect([await ledger.consume(other), await old.consume(again(other))]).toEqual(['ours', 'dup'])
  }
  const challenges = [1, 2].map(() => entry(generation1, { kind: 'challenge' })) as [Consumable, Consumable]
  expect([await old.consume(challenges[0]), await ledger.consume(again(challenges[0]))]).toEqual(['ok', 'taken'])
  expect([await ledger.consume(challenges[1]), await old.consume(again(challenges[1]))]).toEqual(['ours', 'dup'])
  // An answer in passing, which does not look for the old release, does not make it forgotten.
  expect(await ledger.consume(entry(random.id() as Generation))).toBe('stale')
  expect(ledger.generation(anyJti)).toBe(generation1)
  const late = entry(generation1, { jti: random.id() as Jti })
  expect(await ledger.consume(late)).toBe('ours')

  // The last old instance stops: after five seconds the new generation holds, and what was spent stays spent.
  old.stop()
  const generation2 = await eventually(() => {
    const present = ledger.generation(anyJti)
    expect(present).not.toBe(generation1)
    return present
  }, 10_000)
  expect(ledger.beganAt(anyJti)).toBeGreaterThan(0)
  expect(await ledger.consume(again(late))).not.toBe('ours')
  expect(await ledger.consume(entry(generation1))).toBe('stale')
  const token = entry(generation2)
  expect(await ledger.consume(token)).toBe('ours')

  // A roll back: the old release refuses what is not of its generation.
  const back = oldInstance()
  expect(await back.consume(again(token))).toBe('stale')
  expect(await back.consume(entry(await back.generation()))).toBe('ok')
  back.stop()
})
