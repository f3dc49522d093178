/** What a challenge and a solve ask of Redis in one call each: the same outcome as in two, whatever the number of partitions. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { randomInt } from 'node:crypto'
import { networkOf } from '../../../src/domain/address-mark.ts'
import { NOTHING, STRANGER } from '../../../src/domain/history.ts'
import type { BehaviourCell, BehaviourCells } from '../../../src/domain/score/behaviour.ts'
import { seconds, type Sitekey, unixSeconds } from '../../../src/domain/words.ts'
import { history } from '../../../src/history/history.ts'
import { memoryCounters } from '../../../src/history/memory.ts'
import { memorySketch } from '../../../src/history/memory-sketch.ts'
import { redisCounters } from '../../../src/history/redis.ts'
import { redisSketch } from '../../../src/history/redis-sketch.ts'
import { redisLimiter } from '../../../src/limits/limits.ts'
import type { History, Limiter } from '../../../src/ports/stores.ts'
import { type RedisLink, redisLink } from '../../../src/redis/link.ts'
import { eventually, faultOf, keepLog, type Lines, newJti, random } from '../../support/ledger-contract.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'

const NOW = unixSeconds(1_800_000_300)
const clock = { now: () => NOW }
const place = { sitekey: 'hv_site_testshop' as Sitekey, action: undefined }
const few = { points: 1, per: seconds(600) }
const many = { points: 1_000_000, per: seconds(60) }
/** A burst is three times the rate. */
const BUDGETS = { challenge: few, solve: many, siteverify: many, fallback: many, junk: many, ticket: many }

let redis: TestRedis
const ends: (() => Promise<void>)[] = []
beforeAll(async () => {
  redis = await startRedis()
})
afterAll(async () => {
  for (const end of ends.toReversed()) await end()
  await redis.remove()
})

interface Stores {
  readonly link: RedisLink
  readonly limiter: Limiter
  readonly history: History
  readonly log: Lines
}

async function stores(partitions: number): Promise<Stores> {
  const log = keepLog()
  const at = { url: redis.url, cluster: undefined, sentinel: undefined, keyPrefix: `hv${partitions}` }
  const link = redisLink(at, { log, partitions })
  ends.push(() => link.close())
  await eventually(() => expect(link.client().status).toBe('ready'))
  const remembered = history(
    { counters: redisCounters(link), sketch: redisSketch(link) },
    { clock, log, everyMs: 10_000 },
  )
  ends.push(() => remembered.close())
  return { link, limiter: redisLimiter(link, BUDGETS), history: remembered, log }
}

const addressIn = (network = random.id().slice(0, 8)): string => network + random.id().slice(0, 14)
const cell = (): BehaviourCell => [randomInt(2 ** 32), randomInt(2 ** 32)]
const behaviour = (): BehaviourCells => ({ exact: cell(), grids: [cell(), cell()], isRich: true })

/** How many commands Redis has run, scripts' own ones left out. */
async function commands({ link }: Stores): Promise<number> {
  const stats = await link.client().info('commandstats')
  return Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1] ?? 0)
}

describe.each([1, 4, 64])('in %d partitions', (partitions) => {
  let on: Stores
  beforeAll(async () => {
    on = await stores(partitions)
  })
  /** As the protocol does it. */
  async function challenge(address: string) {
    const count = on.history.challengedCall(address, NOW)!
    return count.read(await on.limiter.take('challenge', `4${address}`, count))
  }

  test('a challenge that is refused is not counted, by the store or by the memory of its refusal', async () => {
    const address = addressIn()
    for (let i = 0; i < 3; i++) await challenge(address)
    // The store refuses the first one, and the memory of that the second.
    for (let i = 0; i < 2; i++) expect(await faultOf(() => challenge(address))).toBe('rate-limit-exceeded')
    expect((await on.history.challenged(address, NOW)).address.challenges).toBe(3 + 1)
  })

  test('a challenge takes room and is counted', async () => {
    const address = addressIn()
    await challenge(address)
    expect(await challenge(address)).toEqual({
      address: { ...NOTHING, challenges: 2 },
      network: { ...NOTHING, challenges: 2 },
    })
  })

  // A server of a cluster runs no script with keys of two.
  test('all that a challenge takes and counts lies in one partition', async () => {
    const address = addressIn()
    await challenge(address)
    const keys = await on.link.client().keys(`*${networkOf(address)}*`)
    expect(keys.map((key) => key.split(':').slice(1, 3).join(':')).toSorted()).toEqual([
      'h:a',
      'h:n',
      'l:visit',
      'l:visit',
    ])
    expect(new Set(keys.map((key) => key.split(':')[0])).size).toBe(1)
  })

  test('a solve and its behaviour are counted once, and told with what was there before', async () => {
    const [first, second] = [addressIn(), addressIn()]
    const shown = behaviour()
    const jti = newJti()
    const solve = { jti, place, behaviour: shown, unfinished: 0 }
    expect(await on.history.solved(first, solve, NOW)).toMatchObject({ first: true, again: 0, alike: [0, 0] })
    // The same challenge again adds neither a solve nor a cell.
    const again = await on.history.solved(first, solve, NOW)
    expect(again).toMatchObject({ first: false, address: { solves: 1 }, network: { solves: 1 } })
    const other = { ...solve, jti: newJti() }
    const same = await on.history.solved(second, other, NOW)
    expect([same.first, Math.round(same.again), same.alike.map(Math.round)]).toEqual([true, 1, [1, 1]])
  })

  test('one that shows too little is counted without cells', async () => {
    const solve = { jti: newJti(), place, behaviour: undefined, unfinished: 0 }
    const outcome = await on.history.solved(addressIn(), solve, NOW)
    expect(outcome).toMatchObject({ first: true, address: { solves: 1 }, again: 0, alike: [] })
  })
})

test('a challenge is one command for Redis, and so is a solve', async () => {
  const on = await stores(1)
  const address = addressIn()
  const solve = { jti: newJti(), place, behaviour: behaviour(), unfinished: 0 }
  // Both scripts are known to the server from now on.
  await on.limiter.take('challenge', `4${addressIn()}`, on.history.challengedCall(addressIn(), NOW))
  await on.history.solved(addressIn(), { ...solve, jti: newJti() }, NOW)
  const before = await commands(on)
  const count = on.history.challengedCall(address, NOW)!
  await on.limiter.take('challenge', `4${networkOf(address)}${address.slice(8)}`, count)
  expect((await commands(on)) - before).toBe(1)
  await on.history.solved(address, solve, NOW)
  expect((await commands(on)) - before).toBe(2)
})

test('where the count fails, the visitor has room and is a stranger; the log says so once, and when it is over', async () => {
  const on = await stores(1)
  const address = addressIn()
  const count = on.history.challengedCall(address, NOW)!
  // A key of another type in its place.
  await on.link.client().set(count.keys[0]!, 'not a hash')
  for (let i = 0; i < 2; i++)
    expect(count.read(await on.limiter.take('challenge', `4${address}`, count))).toEqual(STRANGER)
  const told = () => on.log.lines.filter((line) => line.includes('history'))
  expect(told()).toEqual([
    'warn history is unreachable; visits are scored without it {"detail":"its part of a call failed"}',
  ])
  await on.link.client().del(count.keys[0]!)
  expect(count.read(await on.limiter.take('challenge', `4${address}`, count)).address.challenges).toBe(1)
  expect(told().at(-1)).toBe('info history is back {}')
})

test('where the sketch fails, a solve is counted all the same, and its behaviour is unknown', async () => {
  const on = await stores(1)
  const shown = behaviour()
  const solve = () => ({ jti: newJti(), place, behaviour: shown, unfinished: 0 })
  const address = addressIn()
  await on.history.solved(address, solve(), NOW)
  const [sketch] = (await on.link.client().keys('{hv1}:h:k:*')) as [string]
  await on.link.client().rename(sketch, 'aside')
  // A key of another type in its place.
  await on.link.client().hset(sketch, 'a', 'b')
  expect(await on.history.solved(address, solve(), NOW)).toMatchObject({
    first: true,
    address: { solves: 2 },
    again: 0,
    alike: [],
  })
  await on.link.client().rename('aside', sketch)
  expect(on.log.lines.filter((line) => line.includes('history'))).toEqual([])
  expect(Math.round((await on.history.solved(address, solve(), NOW)).again)).toBe(1)
})

test('memory has no call to make', () => {
  const remembered = history(
    { counters: memoryCounters(), sketch: memorySketch() },
    { clock, log: keepLog(), everyMs: 10_000 },
  )
  ends.push(() => remembered.close())
  expect(remembered.challengedCall(addressIn(), NOW)).toBeUndefined()
})
