/** The load of a place, and when it is heard of: nobody waits for what is noted. */
import { afterEach, describe, expect, jest, test } from '@jest/globals'
import { SLOW_PHONE } from '../../../src/work/human-cost.ts'
import { type Action, unixSeconds } from '../../../src/domain/words.ts'
import type { Counters } from '../../../src/history/counters.ts'
import { history } from '../../../src/history/history.ts'
import { memoryCounters } from '../../../src/history/memory.ts'
import { memorySketch } from '../../../src/history/memory-sketch.ts'
import type { Noted } from '../../../src/ports/stores.ts'
import { keepLog } from '../../support/ledger-contract.ts'
import { address, NOW, place, remembered, SHOP, times } from './parts.ts'

const logIn = { sitekey: SHOP, action: 'log-in' as Action }

describe('the load of a place', () => {
  test('is nothing before the store has said anything', () => {
    expect(remembered().load(place, NOW)).toEqual({
      recent: 0,
      usual: 0,
      solves: 0,
      verified: 0,
      parts: 0,
      usualParts: 0.05,
      unitCost: SLOW_PHONE,
    })
  })
  test('is what was noted of it, in ten minutes and in a day', async () => {
    const on = remembered()
    await on.sent(
      ...times(1440, { what: 'challenged' }),
      ...times(7, { what: 'solved' }),
      ...times(3, { what: 'solved', isPart: true }),
      ...times(5, { what: 'verified' }),
      ...times(11, { what: 'low' }),
      ...times(13, { what: 'failed' }),
    )
    expect(on.load(place, NOW)).toEqual({
      recent: 1440,
      usual: 10,
      solves: 10,
      verified: 5,
      parts: 3,
      usualParts: (3 + 5) / (10 + 100),
      unitCost: SLOW_PHONE,
    })
  })
  test('counts no part of what is no solve', async () => {
    const on = remembered()
    await on.sent({ what: 'challenged', isPart: true })
    expect(on.load(place, NOW).parts).toBe(0)
  })
  test('is of the action alone where there is one', async () => {
    const on = remembered()
    on.note({ place: logIn, what: 'solved', isPart: true })
    expect([on.load(logIn, NOW).parts, on.load(place, NOW).parts]).toEqual([1, 0])
    await on.close()
    expect([on.load(logIn, NOW).solves, on.load(place, NOW).solves]).toEqual([1, 0])
    expect([on.load(logIn, NOW).parts, on.load(place, NOW).parts]).toEqual([1, 0])
  })
  test('follows the clock between two answers, and each answer within a second', async () => {
    const on = remembered()
    await on.sent(...times(30, { what: 'challenged' }))
    expect(on.load(place, NOW).recent).toBe(30)
    // The bucket of now has 300 s left; in the middle of the next one half of it counts.
    expect(on.load(place, unixSeconds(NOW + 600)).recent).toBe(15)
    expect(on.load(place, NOW).recent).toBe(30)
    await on.sent({ what: 'challenged' })
    expect(on.load(place, NOW).recent).toBe(31)
  })
  test('is the same object within a second as long as nothing is heard', async () => {
    const on = remembered()
    await on.sent({ what: 'challenged' })
    expect(on.load(place, NOW)).toBe(on.load(place, NOW))
  })
  test('is not forgotten over the answers about 30,000 addresses', async () => {
    const on = remembered()
    await on.sent({ what: 'challenged' })
    for (let from = 0; from < 30_000; from += 10_000) {
      for (let i = from; i < from + 10_000; i++) on.note({ place, what: 'failed', address: address(i) })
      await on.close()
    }
    expect(on.load(place, NOW).recent).toBe(1)
  })
})

describe('the time that the work takes', () => {
  const votes = (count: number, of = (i: number) => address(i), costBin: Noted['costBin'] = 13) =>
    Array.from({ length: count }, (_, i) => ({ what: 'solved' as const, address: of(i), costBin }))

  test('is one vote of each network', async () => {
    const [many, one] = [remembered(), remembered()]
    await many.sent(...votes(500))
    expect(many.load(place, NOW).unitCost).toBeGreaterThan(SLOW_PHONE * 1.5)
    await one.sent(...votes(500, (i) => address(7, i)))
    expect(one.load(place, NOW).unitCost).toBe(SLOW_PHONE)
  })
  test('is voted on by a network whose earlier visit told no time', async () => {
    const on = remembered()
    await on.sent(...Array.from({ length: 500 }, (_, i) => ({ what: 'solved' as const, address: address(i) })))
    await on.sent(...votes(500))
    expect(on.load(place, NOW).unitCost).toBeGreaterThan(SLOW_PHONE * 1.5)
  })
  test('is that of all actions of a site together', async () => {
    const on = remembered()
    await on.sent(...votes(500))
    expect(on.load(logIn, NOW).unitCost).toBeGreaterThan(SLOW_PHONE * 1.5)
  })
})

describe('what nobody waits for', () => {
  afterEach(() => void jest.useRealTimers())

  function onClock(counters: Counters, everyMs?: number) {
    jest.useFakeTimers()
    return history(
      { counters, sketch: memorySketch() },
      { clock: { now: () => NOW }, log: keepLog(), ...(everyMs !== undefined && { everyMs }) },
    )
  }
  test.each([
    { everyMs: undefined, ms: 250 },
    { everyMs: 10, ms: 10 },
  ])(
    'is sent every $ms ms for the minutes, and every forty times that for the day, until the end',
    async ({ everyMs, ms }) => {
      const on = onClock(memoryCounters(), everyMs)
      on.note({ place, what: 'challenged' })
      await jest.advanceTimersByTimeAsync(ms - 1)
      expect(on.load(place, NOW)).toMatchObject({ recent: 0, usual: 0 })
      await jest.advanceTimersByTimeAsync(1)
      expect(on.load(place, NOW)).toMatchObject({ recent: 1, usual: 0 })
      await jest.advanceTimersByTimeAsync(39 * ms - 1)
      expect(on.load(place, NOW).usual).toBe(0)
      await jest.advanceTimersByTimeAsync(1)
      expect(on.load(place, NOW).usual).toBeCloseTo(600 / 86_400)
      await on.close()
      expect(jest.getTimerCount()).toBe(0)
    },
  )
  /** Counters that answer about a place's minutes when they are let go, or never in time. */
  function heldBack() {
    const stored = memoryCounters()
    let release: (broken?: Error) => void = () => {}
    const counters: Counters = {
      async count(bumps, now) {
        if (bumps.some(({ subject }) => subject.startsWith('s:'))) {
          await new Promise<void>((resolve, reject) => {
            release = (broken) => (broken ? reject(broken) : resolve())
          })
        }
        return stored.count(bumps, now)
      },
    }
    const answer = async (broken?: Error) => {
      release(broken)
      await jest.advanceTimersByTimeAsync(0)
    }
    return { counters, answer }
  }
  const part = { place, what: 'solved', isPart: true } as const

  test('is counted for the parts of a site until the minutes have confirmed it, whatever the day says', async () => {
    const { counters, answer } = heldBack()
    const on = onClock(counters)
    on.note(part)
    await jest.advanceTimersByTimeAsync(10_000)
    expect(on.load(place, NOW).usualParts).toBe(6 / 101)
    expect(on.load(place, NOW)).toMatchObject({ solves: 0, parts: 1 })
    await answer()
    expect(on.load(place, NOW)).toMatchObject({ solves: 1, parts: 1 })
    await on.close()
  })
  // Parts that came while the store answered about earlier ones counted nothing for a quarter of a second.
  test('goes on counting for the parts that come while earlier ones are confirmed', async () => {
    const { counters, answer } = heldBack()
    const on = onClock(counters)
    for (let i = 0; i < 2; i++) on.note(part)
    await jest.advanceTimersByTimeAsync(250)
    for (let i = 0; i < 3; i++) on.note(part)
    on.note({ place: logIn, what: 'solved', isPart: true })
    await answer()
    expect(on.load(place, NOW)).toMatchObject({ solves: 2, parts: 5 })
    await jest.advanceTimersByTimeAsync(250)
    await answer()
    expect(on.load(place, NOW)).toMatchObject({ solves: 5, parts: 5 })
    expect(on.load(logIn, NOW)).toMatchObject({ solves: 1, parts: 1 })
    on.note({ place, what: 'challenged' })
    await jest.advanceTimersByTimeAsync(250)
    on.note(part)
    await answer()
    expect(on.load(place, NOW)).toMatchObject({ solves: 5, parts: 6 })
  })
  // While history alone failed, a site's parts grew without an end: after the tenth, each slow device was one too many.
  test('is lost where the store does not answer, and counts for nothing more', async () => {
    const { counters, answer } = heldBack()
    const on = onClock(counters)
    for (let i = 0; i < 20; i++) on.note(part)
    await jest.advanceTimersByTimeAsync(250)
    on.note(part)
    expect(on.load(place, NOW).parts).toBe(21)
    await answer(new Error('no answer in time'))
    expect(on.load(place, NOW).parts).toBe(1)
    await jest.advanceTimersByTimeAsync(250)
    await answer()
    expect(on.load(place, NOW)).toMatchObject({ solves: 1, parts: 1 })
  })
})
