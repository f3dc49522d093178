/** Budgets by a clock that stands where the test puts it; the promise that memory shares with Redis is in test/world/limits. */
import { describe, expect, test } from '@jest/globals'
import { Fault } from '../../../src/domain/codes.ts'
import { seconds } from '../../../src/domain/words.ts'
import { type Budgets, memoryLimiter } from '../../../src/limits/limits.ts'
import type { Operation } from '../../../src/ports/stores.ts'

const rate = (points: number, per: number) => ({ points, per: seconds(per) })
/** A visit takes 20 s of room, and 180 s are there; a ticket takes 30 s of 60. */
const BUDGETS: Budgets = {
  challenge: rate(3, 60),
  solve: rate(2, 10),
  siteverify: rate(3, 60),
  fallback: rate(1, 30),
  junk: rate(4, 5),
  ticket: rate(2, 60),
}

/** @param elapsed milliseconds at the start. */
function limited(elapsed = 5_000, isTight?: () => boolean) {
  let ms = elapsed
  const limiter = memoryLimiter(BUDGETS, () => ms, undefined, isTight)
  /** Seconds to wait; 0: was taken. */
  const wait = async (operation: Operation, who: string): Promise<number> => {
    try {
      expect(await limiter.take(operation, who)).toBeUndefined()
      return 0
    } catch (thrown) {
      if (!(thrown instanceof Fault && thrown.code === 'rate-limit-exceeded')) throw thrown
      return thrown.retryAfter ?? NaN
    }
  }
  /** How many are taken before the first is refused. */
  const granted = async (operation: Operation, who: string | (() => string)): Promise<number> => {
    for (let taken = 0; taken < 1000; taken++) {
      if ((await wait(operation, typeof who === 'string' ? who : who())) > 0) return taken
    }
    throw new Error('never refused')
  }
  return { limiter, wait, granted, pass: (by: number) => void (ms += by) }
}

let made = 0
/** An address as `whoIs` spells it: the family, 48 bits of the network, 24 of the subnet, 56 of the address. */
const address = (family: 4 | 6, network = `${made++}`, subnet = `${made++}`, own = `${made++}`): string =>
  `${family}${network.padStart(8, 'n')}${subnet.padStart(4, 's')}${own.padStart(10, 'a')}`

describe('a budget of visits', () => {
  test('lets three times as many come at once; then one for each time that a visit takes up', async () => {
    const { granted, wait, pass } = limited()
    expect(await granted('challenge', 'one')).toBe(9)
    expect(await wait('challenge', 'one')).toBe(20)
    pass(500)
    expect(await wait('challenge', 'one')).toBe(20)
    pass(500)
    expect(await wait('challenge', 'one')).toBe(19)
    pass(18_999)
    expect(await wait('challenge', 'one')).toBe(1)
    pass(1)
    expect([await wait('challenge', 'one'), await wait('challenge', 'one')]).toEqual([0, 20])
    pass(60_000)
    expect(await granted('challenge', 'one')).toBe(3)
    pass(180_000)
    expect(await granted('challenge', 'one')).toBe(9)
    // No more, however long nobody came.
    pass(1_000_000)
    expect(await granted('challenge', 'one')).toBe(9)
  })
  test('lets tickets come as often as the rate says, beside the visits', async () => {
    const { granted, wait, pass } = limited()
    const one = address(4)
    expect(await granted('ticket', one)).toBe(2)
    expect(await wait('ticket', one)).toBe(30)
    expect(await granted('challenge', one)).toBe(9)
    pass(30_000)
    expect(await granted('ticket', one)).toBe(1)
  })
  test.each([
    { times: 16, family: 4 as const, of: 'an IPv4 /24', who: () => address(4, 'net') },
    { times: 4, family: 6 as const, of: 'an IPv6 /48', who: () => address(6, 'net') },
    { times: 2, family: 6 as const, of: 'an IPv6 /56', who: () => address(6, 'net', 'home') },
    { times: 1, family: 6 as const, of: 'one address', who: () => address(6, 'net', 'home', 'own') },
  ])('has $times times the room in all of $of', async ({ times, who, family }) => {
    const { granted, wait } = limited()
    expect(await granted('challenge', who)).toBe(9 * times)
    expect(await wait('challenge', who())).toBe(Math.ceil(20 / times))
    expect(await wait('challenge', address(family, 'else'))).toBe(0)
  })
  test('has as much for a network as for one address while the store has little room', async () => {
    let isTight = true
    const { granted } = limited(5_000, () => isTight)
    for (const family of [4, 6] as const) {
      expect(await granted('challenge', () => address(family, `net${family}`))).toBe(9)
    }
    isTight = false
    expect(await granted('challenge', () => address(4, 'other'))).toBe(9 * 16)
  })
  test.each(['hv_site_testshop', `5${'x'.repeat(22)}`, `4${'x'.repeat(21)}`])(
    'is of %s alone, which is no address mark',
    async (who) => {
      const { granted, wait } = limited()
      expect(await granted('challenge', who)).toBe(9)
      const waits: number[] = []
      for (let i = 100; i < 250; i++) waits.push(await wait('challenge', `${who.slice(0, -3)}${i}`))
      expect(new Set(waits)).toEqual(new Set([0]))
    },
  )
  test('takes nothing of a network for a visit that its address has no room for', async () => {
    const { granted, wait } = limited()
    const one = address(6, 'net', 'home')
    expect(await granted('challenge', one)).toBe(9)
    for (let i = 0; i < 100; i++) expect(await wait('challenge', one)).toBe(20)
    expect(await granted('challenge', () => address(6, 'net', 'home'))).toBe(9)
  })
  test('is charged for more than a visit, also where there is no room', async () => {
    const { limiter, granted, wait, pass } = limited()
    limiter.charge('one', 0.5)
    expect(await granted('challenge', 'one')).toBe(8)
    expect(await wait('challenge', 'one')).toBe(10)
    limiter.charge('one', 2)
    // A refusal is repeated for a second with what it said.
    pass(1000)
    expect(await wait('challenge', 'one')).toBe(49)
    pass(49_000)
    expect(await wait('challenge', 'one')).toBe(0)
    const home = () => address(6, 'net', 'home')
    limiter.charge(home(), 10)
    expect(await granted('challenge', home)).toBe(8)
  })
})

describe('a window', () => {
  test.each([
    { operation: 'solve' as const, points: 2, per: 10 },
    { operation: 'siteverify' as const, points: 3, per: 60 },
    { operation: 'fallback' as const, points: 1, per: 30 },
    { operation: 'junk' as const, points: 4, per: 5 },
  ])(
    'of $operation has $points in $per s, from the first one on, for each caller',
    async ({ operation, points, per }) => {
      const { granted, wait, pass } = limited()
      expect(await wait(operation, 'one')).toBe(0)
      pass(1_500)
      expect(await granted(operation, 'one')).toBe(points - 1)
      expect(await wait(operation, 'one')).toBe(Math.ceil(per - 1.5))
      expect(await granted(operation, 'other')).toBe(points)
      pass(per * 1000 - 1_501)
      expect(await wait(operation, 'one')).toBe(1)
      pass(1)
      expect(await granted(operation, 'one')).toBe(points)
    },
  )
  test('gives a point of a siteverify back, and never more than were taken', async () => {
    const { limiter, granted, pass } = limited()
    limiter.giveBack('siteverify', 'one')
    expect(await granted('siteverify', 'one')).toBe(3)
    limiter.giveBack('siteverify', 'one')
    expect(await granted('siteverify', 'one')).toBe(1)
    for (let i = 0; i < 9; i++) limiter.giveBack('siteverify', 'one')
    expect(await granted('siteverify', 'one')).toBe(3)
    expect(await granted('siteverify', 'other')).toBe(3)
    pass(60_000)
    expect(await granted('siteverify', 'one')).toBe(3)
  })
  test('has an end', async () => {
    const { limiter } = limited()
    expect(await limiter.close()).toBeUndefined()
  })
})
