/** The hours of a week: what is counted into them, what is shown of them, and how much they take. */
import { describe, expect, test } from '@jest/globals'
import type { FleetAnswer } from '../../../../src/ops/fleet/fleet-answer.ts'
import { fleet } from '../../../../src/ops/fleet/fleet.ts'
import { minutes } from '../../../../src/ops/fleet/minute-counts.ts'
import { pack, REMEMBERED, unpack } from '../../../../src/ops/fleet/packet.ts'
import { ownPackets } from '../../../../src/ops/fleet/publisher.ts'
import { tally } from '../../../../src/ops/metrics/tally.ts'
import { topNetworks } from '../../../../src/ops/metrics/top-networks.ts'
import { AT, MINUTE, setup, status } from './fleet-setup.ts'

const [HOUR_MS, DAY, WEEK] = [3_600_000, 1440, 10_080]
const solvedIn = ({ requests }: FleetAnswer): number => requests['solve']?.['solved'] ?? 0

/** Lets a process count `solved` once a minute for some minutes, with a tick after each. */
async function pass(on: ReturnType<typeof setup>, count: number, who: 'a' | 'b' = 'a'): Promise<void> {
  for (let i = 0; i < count; i++) {
    on[who].requests('solve', 'solved')
    await on[who].tick()
    on.time.now += 60_000
  }
}

describe('a day and a week', () => {
  test('have what all processes counted, in steps of ten minutes; an hour no longer has it', async () => {
    const on = setup()
    await pass(on, 90)
    await pass(on, 30, 'b')
    on.time.now += 20 * HOUR_MS
    await on.a.tick()
    expect(solvedIn(await on.look(60))).toBe(0)
    const day = await on.look(DAY)
    expect([solvedIn(day), day.scope, day.steps.every]).toEqual([120, 'fleet', 600])
    expect(day.steps.requests['solve']!.slice(0, 12)).toEqual(Array.from({ length: 12 }, () => 10))
    expect(day.steps.median).toHaveLength((day.at - day.steps.from - (day.at % 3600)) / 600 + 6)

    on.time.now += 6 * 24 * HOUR_MS
    await on.a.tick()
    expect([solvedIn(await on.look(DAY)), solvedIn(await on.look(WEEK))]).toEqual([0, 120])
    on.time.now += 24 * HOUR_MS
    await on.a.tick()
    expect(solvedIn(await on.look(WEEK))).toBe(0)
  })

  test('show the processes of the last hour, not everyone who was there in a week', async () => {
    const on = setup()
    await on.b.tick()
    on.time.now += 3 * 24 * HOUR_MS
    await on.a.tick()
    expect((await on.look(WEEK)).instances.map(({ id, state }) => [id, state])).toEqual([['a', 'running']])
  })

  test('begin where the counts begin, and are never shorter than two hours', async () => {
    const on = setup()
    await on.a.tick()
    const { from, median } = (await on.look(WEEK)).steps
    expect([from, median.length]).toEqual([(MINUTE - 60) * 60, 12])
    on.time.now += 5 * HOUR_MS
    await on.a.tick()
    expect((await on.look(WEEK)).steps.from).toBe(MINUTE * 60)
  })

  test('have the counts of an outage later, and those that an emptied store has forgotten', async () => {
    const on = setup()
    await pass(on, 70)
    on.at.down = true
    await pass(on, 120)
    expect([solvedIn(await on.look(DAY)), (await on.look(DAY)).scope]).toEqual([190, 'process'])
    on.at.down = false
    on.forget()
    for (let i = 0; i < 8; i++) {
      await on.a.tick()
      await on.look(DAY)
      on.time.now += 20_000
    }
    const day = await on.look(DAY)
    expect([solvedIn(day), day.scope]).toEqual([190, 'fleet'])
  })

  test('without a store are what this process remembers: a week, and no more', async () => {
    const counts = tally()
    const requests = counts.counter('requests')
    const now = { at: AT }
    const own = ownPackets({
      id: 'a',
      store: undefined,
      minutes: minutes({ counts, limited: topNetworks(), status: () => status('a', now.at / 1000) }),
    })
    const look = fleet({
      own: (length) => own.own(length),
      store: undefined,
      factsOf: () => undefined,
      clock: () => now.at,
    })
    for (let i = 0; i < 200; i++) {
      requests('solve', 'solved')
      await own.tick(now.at)
      now.at += HOUR_MS
    }
    expect(own.own('hour').length).toBe(REMEMBERED.hour / 60)
    const week = await look(WEEK)
    expect([week.scope, week.steps.median.length]).toEqual(['process', 168 * 6])
    // The last tick was an hour ago.
    expect(solvedIn(week)).toBe(167)
  })
})

test('an hour has no networks: those are for an hour only', async () => {
  const limited = topNetworks()
  const counted = minutes({ counts: tally(), limited, status: () => status('a', 0) })
  limited.count('203.0.113.0/24')
  expect(counted.take(AT).limited).toEqual({ '203.0.113.0/24': 1 })
  expect(counted.hours().map((packet) => packet.limited)).toEqual([{}])
})

test('an hour that has ended is handed over whole, once, before the one that runs', () => {
  const counts = tally()
  const requests = counts.counter('requests')
  const counted = minutes({ counts, limited: topNetworks(), status: () => status('a', 0) })
  const solved = () =>
    counted
      .hours()
      .map(({ minute, steps }) => [
        minute - MINUTE,
        steps.reduce((sum, step) => sum + (step['requests solve solved'] ?? 0), 0),
      ])
  requests('solve', 'solved')
  counted.take(AT)
  expect(solved()).toEqual([[0, 1]])
  requests('solve', 'solved')
  counted.take(AT + HOUR_MS - 2500)
  requests('solve', 'solved')
  counted.take(AT + HOUR_MS + 2500)
  expect(solved()).toEqual([
    [0, 2],
    [60, 1],
  ])
  expect(solved()).toEqual([[60, 1]])
})

test('the packet of the busiest hour stays below 36,000 bytes, so a process needs at most 6.1 MB for its week', async () => {
  const counts = tally()
  const [requests, seconds] = [counts.counter('requests'), counts.distribution('request_seconds')]
  const scores = counts.distribution('scores')
  const counted = minutes({ counts, limited: topNetworks(), status: () => status('a', 0) })
  for (let step = 0; step < 6; step++) {
    for (const operation of ['challenge', 'solve', 'siteverify', 'other'])
      for (let i = 0; i < 2000; i++) {
        requests(operation, ['accepted', 'low-score', 'timeout-or-duplicate', 'database-unavailable'][i % 4], i * 7919)
        seconds(((i * 31) % 3000) / 1000, operation)
      }
    for (let i = 0; i < 5000; i++) scores((i % 101) / 100, `hv_site_${(i * 2654435761) % 997}`, `action-${i % 50}`)
    counted.take(AT + step * 600_000)
  }
  const [hour] = counted.hours()
  const text = await pack(hour!)
  expect(Object.keys(hour!.sites).length).toBeLessThan(1200)
  expect(await unpack(text)).toEqual(hour)
  expect(text.length).toBeGreaterThan(8000)
  expect(text.length).toBeLessThan(36_000)
  expect((36_000 * REMEMBERED.hour) / 60).toBeLessThan(6.1e6)
})
