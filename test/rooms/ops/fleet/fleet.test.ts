/** The fleet's counts: what is published, what is added up, and what happens when processes and the store come and go. */
import { describe, expect, test } from '@jest/globals'
import { fleet } from '../../../../src/ops/fleet/fleet.ts'
import { quantile } from '../../../../src/ops/fleet/fleet-view.ts'
import { minutes } from '../../../../src/ops/fleet/minute-counts.ts'
import { pack, type Packet, unpack } from '../../../../src/ops/fleet/packet.ts'
import { ownPackets } from '../../../../src/ops/fleet/publisher.ts'
import { tally } from '../../../../src/ops/metrics/tally.ts'
import { topNetworks } from '../../../../src/ops/metrics/top-networks.ts'
import { AT, MINUTE, setup, status } from './fleet-setup.ts'

describe('what all processes counted', () => {
  test('is added up; one that is gone stays in the sums until its minutes leave the window', async () => {
    const on = setup()
    on.a.requests('solve', 'solved', 3)
    on.b.requests('solve', 'solved', 4)
    await Promise.all([on.a.tick(), on.b.tick()])
    expect(await on.solved()).toBe(7)

    on.time.now += 59 * 60_000
    on.a.requests('solve', 'solved', 1)
    await on.a.tick()
    expect(await on.solved()).toBe(8)
    expect((await on.look(60)).instances.map(({ id, state }) => [id, state])).toEqual([
      ['a', 'running'],
      ['b', 'gone'],
    ])
    on.time.now += 60_000
    await on.a.tick()
    expect(await on.solved()).toBe(1)
  })

  test('is known from the process alone while the store does not answer, and told later', async () => {
    const on = setup()
    await Promise.all([on.a.tick(), on.b.tick()])
    on.at.down = true
    for (let i = 0; i < 3; i++) {
      on.a.requests('solve', 'solved', 2)
      await on.a.tick()
      on.time.now += 60_000
    }
    const alone = await on.look(60)
    expect([alone.scope, alone.requests['solve']?.['solved']]).toEqual(['process', 6])
    expect(alone.problem).toMatch(/^Redis does not answer: this is one process/)
    on.at.down = false
    // Minutes of before are read, and found empty, before they are told.
    on.time.now += 5000
    for (let i = 0; i < 5; i++) {
      await on.a.tick()
      await on.look(60)
      on.time.now += 5000
    }
    const whole = await on.look(60)
    expect([whole.scope, whole.requests['solve']?.['solved']]).toEqual(['fleet', 6])
  })

  test('is told again to a store that has forgotten it', async () => {
    const on = setup()
    for (let i = 0; i < 4; i++) {
      on.a.requests('solve', 'solved')
      await on.a.tick()
      on.time.now += 60_000
    }
    on.forget()
    for (let i = 0; i < 6; i++) {
      await on.a.tick()
      on.time.now += 5000
    }
    expect(await on.solved()).toBe(4)
  })

  test('is one move of the generation, however many saw it', async () => {
    const on = setup()
    const packet = (id: string): Packet => ({
      v: 1,
      minute: MINUTE,
      instance: status(id, AT / 1000),
      steps: [{ generation_moves: id === 'a' ? 2 : 1 }, { generation_moves: 1 }],
      sites: {},
      limited: {},
    })
    for (const id of ['a', 'b']) await on.store.publish(id, 0, MINUTE, await pack(packet(id)))
    expect((await on.look(5)).generationMoves).toBe(3)
  })

  test('has the time of each trouble, by steps of ten seconds', async () => {
    const on = setup()
    const steps = [
      {},
      { 'requests solve database-unavailable': 3, 'requests challenge database-unavailable': 4 },
      { shed: 2 },
    ]
    const packet: Packet = { v: 1, minute: MINUTE, instance: status('a', AT / 1000), steps, sites: {}, limited: {} }
    await on.store.publish('a', 0, MINUTE, await pack(packet))
    const { troubles, from, every } = (await on.look(5)).steps
    const momentsOf = (counts: readonly number[] = []): number[][] =>
      counts.flatMap((n, i) => (n === 0 ? [] : [[from + i * every - MINUTE * 60, n]]))
    expect(Object.keys(troubles)).toEqual(['database-unavailable', 'shed'])
    expect([momentsOf(troubles['database-unavailable']), momentsOf(troubles['shed'])]).toEqual([[[10, 7]], [[20, 2]]])
  })

  test('leaves out what it cannot read: another shape, rubbish, a bomb', async () => {
    const on = setup()
    on.a.requests('solve', 'solved')
    await on.a.tick()
    await on.store.publish('x', 0, MINUTE, 'no packet')
    await on.store.publish('y', 0, MINUTE, await pack({ ...({} as Packet), v: 2 as 1 }))
    await on.store.publish('z', 0, MINUTE, await pack({ junk: 'a'.repeat(8_000_000) } as unknown as Packet))
    expect(await unpack('')).toBeUndefined()
    expect(await on.solved()).toBe(1)
  })
})

test('an action that is called __proto__, or constructor, is an action like any other', async () => {
  const counts = tally()
  const scores = counts.distribution('scores')
  for (const action of ['__proto__', 'constructor', 'sign-up']) scores(0.88, 'hv_site_shop', action)
  const own = ownPackets({
    id: 'a',
    store: undefined,
    minutes: minutes({ counts, limited: topNetworks(), status: () => status('a', AT / 1000) }),
  })
  await own.tick(AT)
  const answer = await fleet({
    own: (length) => own.own(length),
    store: undefined,
    factsOf: () => undefined,
    clock: () => AT,
  })(5)
  expect(({} as Record<string, unknown>)['88']).toBeUndefined()
  const read = JSON.parse(JSON.stringify(answer)) as typeof answer
  expect(Object.entries(read.sites[0]!.scores)).toEqual([
    ['__proto__', { 88: 1 }],
    ['constructor', { 88: 1 }],
    ['sign-up', { 88: 1 }],
  ])
})

test('a packet tells a bounded number of series; what is too much is added up as other', () => {
  const counts = tally()
  const verdicts = counts.counter('verdicts')
  const scores = counts.distribution('scores')
  for (let i = 0; i < 50; i++) {
    verdicts(`site${i}`, 'accepted', 2)
    scores(0.7, `site${i}`, 'sign-up')
  }
  const packet = minutes({
    counts,
    limited: topNetworks(),
    status: () => status('a', 0),
    mostSeries: { minute: 30, hour: 30 },
  }).take(AT)
  expect(Object.keys(packet.sites).length).toBeLessThan(40)
  const sum = (family: RegExp): number =>
    Object.entries(packet.sites).reduce((total, [series, n]) => total + (family.test(series) ? n : 0), 0)
  expect(sum(/^verdicts \S+ accepted$/)).toBe(100)
  expect(sum(/^scores \S+ \S+ 70$/)).toBe(50)
  expect(packet.sites['scores other other 70']).toBeGreaterThan(0)
})

test.each([
  { share: 0.5, counts: [0, 0, 0, 0], gives: null },
  { share: 0.5, counts: [10, 0, 0, 0], gives: 0.5 },
  { share: 0.95, counts: [0, 0, 100, 0], gives: 3.9 },
  { share: 0.95, counts: [50, 0, 0, 50], gives: 4 },
  { share: 0.5, counts: [1, 1, 0, 0], gives: 1 },
])('the value below which $share of $counts lie is $gives', ({ share, counts, gives }) => {
  expect(quantile([1, 2, 4], counts, share)).toBe(gives)
})
