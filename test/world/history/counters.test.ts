/** One promise, kept in memory and in a real Redis. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { seconds, unixSeconds } from '../../../src/domain/words.ts'
import { type Bump, type Counters, MOST_FIELDS } from '../../../src/history/counters.ts'
import { memoryCounters } from '../../../src/history/memory.ts'
import { redisCounters } from '../../../src/history/redis.ts'
import { type RedisConnection, redisConnection } from '../../../src/store/redis.ts'
import { eventually, keepLog, random } from '../../support/ledger-contract.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'

let redis: TestRedis
const links: RedisConnection[] = []
beforeAll(async () => {
  redis = await startRedis()
})
afterAll(async () => {
  for (const link of links) await link.close()
  await redis.remove()
})

async function inRedis(partitions = 1): Promise<Counters> {
  const place = { url: redis.url, cluster: undefined, sentinel: undefined, keyPrefix: 'hv' }
  const link = redisConnection(place, { log: keepLog(), partitions })
  links.push(link)
  await eventually(() => expect(link.client.status).toBe('ready'))
  return redisCounters(link)
}

const NOW = unixSeconds(1_800_000_000)
const LENGTH = seconds(600)
const bump = (change: Partial<Bump> = {}): Bump => ({
  subject: `a:${random.id()}`,
  place: 'one',
  bucket: LENGTH,
  add: [['s', 1]],
  read: ['s'],
  keep: seconds(1200),
  ...change,
})
const at = (by: number) => unixSeconds(NOW + by)

describe.each([
  { name: 'memory', make: async () => memoryCounters() },
  { name: 'Redis', make: () => inRedis() },
  { name: 'Redis in four partitions', make: () => inRedis(4) },
])('counters in $name', ({ make }) => {
  let counters: Counters
  beforeAll(async () => {
    counters = await make()
  })
  const count = async (...bumps: Bump[]) => counters.count(bumps, NOW)

  test('count, then read; what was not counted is 0', async () => {
    const one = bump({
      add: [
        ['s', 2],
        ['c', 1],
      ],
      read: ['c', 's', 'v'],
    })
    const zero = { current: 0, previous: 0 }
    expect(await count(one)).toEqual([
      { first: true, values: [{ current: 1, previous: 0 }, { current: 2, previous: 0 }, zero] },
    ])
    expect((await count({ ...one, add: [] }))[0]!.values[1]).toEqual({ current: 2, previous: 0 })
  })

  test('keep subjects apart, and answer in the order asked, whatever their places', async () => {
    const bumps = Array.from({ length: 9 }, (_, i) => bump({ add: [['s', i]], place: `place ${i}` }))
    const answers = await count(...bumps)
    expect(answers.map(({ values }) => values[0]!.current)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
    const alone = await Promise.all(bumps.map((each) => count({ ...each, add: [] })))
    expect(alone.map(([one]) => one!.values[0]!.current)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
    expect(await counters.count([], NOW)).toEqual([])
  })

  test('move from one bucket to the next, and are gone after that', async () => {
    const one = bump()
    await counters.count([one, one], NOW)
    const read = async (by: number) => (await counters.count([{ ...one, add: [] }], at(by)))[0]!.values[0]
    expect(await read(0)).toEqual({ current: 2, previous: 0 })
    expect(await read(600)).toEqual({ current: 0, previous: 2 })
    expect(await read(1200)).toEqual({ current: 0, previous: 0 })
  })

  test('count an id once, in this bucket and in the next, with all that follows of its place', async () => {
    const [one, other] = [bump({ once: 'j1' }), bump({ follows: true })]
    expect((await count(one, other)).map(({ first }) => first)).toEqual([true, true])
    const again = await counters.count([one, other], at(600))
    expect(again).toEqual([
      { first: false, values: [{ current: 0, previous: 1 }] },
      { first: false, values: [{ current: 0, previous: 1 }] },
    ])
    const another = await counters.count([{ ...one, once: 'j2' }, other], at(600))
    expect(another.map(({ values }) => values[0]!.current)).toEqual([1, 1])
  })

  test('follow as long as the first field before them is at most so much in the bucket', async () => {
    const [own, around] = [
      bump({
        add: [
          ['c', 1],
          ['s', 5],
        ],
      }),
      bump({ follows: true, upTo: 2, read: ['s'] }),
    ]
    const followed = async (by: number) => (await counters.count([own, around], at(by)))[1]!
    expect([(await followed(0)).first, (await followed(0)).first, (await followed(0)).first]).toEqual([
      true,
      true,
      false,
    ])
    expect((await followed(0)).values).toEqual([{ current: 2, previous: 0 }])
    expect(await followed(600)).toEqual({ first: true, values: [{ current: 1, previous: 2 }] })
    // Nothing is added before it: there is nothing to be too much.
    const quiet = await counters.count([{ ...own, add: [] }, around], at(600))
    expect(quiet[1]!.values).toEqual([{ current: 2, previous: 2 }])
    // What follows without a limit follows whatever there is; so does what follows that.
    const chain = [own, { ...around, upTo: undefined }, { ...around, subject: `n:${random.id()}`, upTo: 3 }]
    const counted = async () => (await counters.count(chain, at(600))).map(({ first }) => first)
    expect([await counted(), await counted()]).toEqual([
      [true, true, true],
      [true, true, false],
    ])
  })

  test('hold so many fields and no more; those that are there go on counting', async () => {
    const one = bump()
    const names = Array.from({ length: MOST_FIELDS - 2 }, (_, i) => `f${i}`)
    await count({ ...one, add: [['s', 1]] })
    await count({ ...one, add: names.map((name) => [name, 1] as const) })
    await count({ ...one, add: [['last', 1]] })
    await count({
      ...one,
      add: [
        ['more', 1],
        ['s', 1],
      ],
    })
    const [found] = await count({ ...one, add: [], read: ['last', 'more', 's', 'f7'] })
    expect(found!.values.map(({ current }) => current)).toEqual([1, 0, 2, 1])
  })

  test('remember an id without anything to add; ids take room too, and where there is none no id is remembered', async () => {
    const one = bump({ add: [], once: 'j1' })
    const first = async (change: Partial<Bump> = {}) => (await count({ ...one, ...change }))[0]!.first
    expect([await first(), await first()]).toEqual([true, false])
    const names = Array.from({ length: MOST_FIELDS - 1 }, (_, i) => `f${i}`)
    await count({ ...one, once: undefined, add: names.map((name) => [name, 1] as const) })
    expect([await first({ once: 'j2', add: [['f0', 1]] }), await first({ once: 'j2' }), await first()]).toEqual([
      true,
      true,
      false,
    ])
    await count({ ...one, once: undefined, add: [['more', 1]] })
    const [found] = await count({ ...one, once: undefined, read: ['more', 'f0'] })
    expect(found!.values.map(({ current }) => current)).toEqual([0, 2])
  })

  test('count what follows nothing', async () => {
    expect(await count(bump({ follows: true, upTo: 0 }))).toEqual([
      { first: true, values: [{ current: 1, previous: 0 }] },
    ])
  })

  test('lose nothing among many at once', async () => {
    const one = bump()
    await Promise.all(Array.from({ length: 200 }, () => count(one)))
    expect((await count({ ...one, add: [] }))[0]!.values[0]!.current).toBe(200)
  })
})

describe('in Redis', () => {
  const left = async ({ subject }: Bump) => Number(await redis.cli('TTL', `{hv}:h:${subject}:${Math.floor(NOW / 600)}`))

  test.each([
    { ends: 1200, when: 'full, at the begin of a bucket', keep: 1200, at: 0 },
    { ends: 601, when: 'full, at its end', keep: 1200, at: 599 },
    { ends: 120, when: 'brief', keep: 120, at: 0 },
  ])('a bucket that is kept $when ends after $ends s', async ({ ends, keep, at: by }) => {
    const counters = await inRedis()
    const one = bump({ keep: seconds(keep) })
    await counters.count([one], at(by))
    expect(await left(one)).toBeLessThanOrEqual(ends)
    expect(await left(one)).toBeGreaterThan(ends - 6)
    // A longer one is never cut short.
    await counters.count([{ ...one, keep: seconds(60) }], at(by))
    expect(await left(one)).toBeGreaterThan(ends - 12)
  })

  test.each([
    { ends: 120, when: 'few times', times: 4, at: 0 },
    { ends: 1200, when: 'more often than that', times: 5, at: 0 },
    { ends: 601, when: 'more often than that at its end', times: 5, at: 599 },
  ])('a bucket that is raised $when ends after $ends s', async ({ ends, times, at: by }) => {
    const counters = await inRedis()
    const one = bump({ keep: seconds(120), busy: { above: 4, keep: seconds(1200) } })
    for (let i = 0; i < times; i++) await counters.count([one], at(by))
    expect(await left(one)).toBeLessThanOrEqual(ends)
    expect(await left(one)).toBeGreaterThan(ends - 6)
  })

  test('two instances share what they count', async () => {
    const [one, two] = [await inRedis(), await inRedis()]
    const shared = bump({ once: 'j1' })
    await one.count([shared], NOW)
    expect(await two.count([shared], NOW)).toEqual([{ first: false, values: [{ current: 1, previous: 0 }] }])
  })
})

describe('in memory', () => {
  test('the oldest bucket goes when there is no room', async () => {
    const counters = memoryCounters(10)
    const bumps = Array.from({ length: 11 }, () => bump())
    for (const each of bumps) await counters.count([each], NOW)
    const left = await Promise.all(bumps.map((each) => counters.count([{ ...each, add: [] }], NOW)))
    expect(left.map(([one]) => one!.values[0]!.current)).toEqual([0, ...Array.from({ length: 10 }, () => 1)])
  })
  test('what nobody worked for is forgotten early', async () => {
    const counters = memoryCounters()
    const brief = bump({ keep: seconds(120) })
    await counters.count([brief], NOW)
    const read = async (by: number) => (await counters.count([{ ...brief, add: [] }], at(by)))[0]!.values[0]!.current
    expect(await read(119)).toBe(1)
    const other = bump({ keep: seconds(120) })
    await counters.count([other], NOW)
    expect((await counters.count([{ ...other, add: [] }], at(120)))[0]!.values[0]!.current).toBe(0)
  })
  test('a bucket that is looked at for longer is kept for longer', async () => {
    const counters = memoryCounters()
    const brief = bump({ keep: seconds(120) })
    await counters.count([brief], NOW)
    await counters.count([{ ...brief, add: [], keep: seconds(900) }], NOW)
    const read = async (by: number) => (await counters.count([{ ...brief, add: [] }], at(by)))[0]!.values[0]!
    expect([await read(599), await read(899), await read(900)]).toEqual([
      { current: 1, previous: 0 },
      { current: 0, previous: 1 },
      { current: 0, previous: 0 },
    ])
  })
  test.each([
    { left: 0, when: 'few times', times: 4 },
    { left: 5, when: 'more often than that', times: 5 },
  ])('of a bucket that was raised $when $left are left after two minutes', async ({ left, times }) => {
    const counters = memoryCounters()
    const one = bump({ keep: seconds(120), busy: { above: 4, keep: seconds(1200) } })
    for (let i = 0; i < times; i++) await counters.count([one], NOW)
    const read = async (by: number) => (await counters.count([{ ...one, add: [] }], at(by)))[0]!.values[0]!
    expect((await read(120)).current).toBe(left)
    expect((await read(1199)).previous).toBe(left)
  })
})
