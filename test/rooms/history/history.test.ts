/** What history knows of an address and of a behaviour: over memory, and over stores that fail. */
import { describe, expect, test } from '@jest/globals'
import { NOTHING, STRANGER } from '../../../src/domain/history.ts'
import { type Jti, type Sitekey, unixSeconds } from '../../../src/domain/words.ts'
import type { Bump, Counters } from '../../../src/history/counters.ts'
import { memoryCounters } from '../../../src/history/memory.ts'
import { memorySketch } from '../../../src/history/memory-sketch.ts'
import type { Cells, Sketch } from '../../../src/history/sketch.ts'
import { newJti } from '../../support/ledger-contract.ts'
import { address, NOW, place, remembered, SHOP, times } from './parts.ts'

const behaviour = (seed: number) => [seed, seed + 1] as const
const solve = (change: { jti?: Jti; shown?: ReturnType<typeof behaviour>; unfinished?: number } = {}) => ({
  jti: change.jti ?? newJti(),
  place,
  behaviour: change.shown,
  unfinished: change.unfinished ?? 0,
})

/** History, and what it has the store count. */
function recorded() {
  const counted: Bump[] = []
  const stored = memoryCounters()
  const on = remembered({
    counters: {
      count(bumps, now) {
        counted.push(...bumps)
        return stored.count(bumps, now)
      },
    },
  })
  return { on, counted }
}

describe('an address', () => {
  test('and its network are told afterwards what became of a visit; a wrong solution stays with the address', async () => {
    const on = remembered()
    const one = address(1)
    await on.sent(
      { what: 'verified', address: one },
      ...times(2, { what: 'low', address: one }),
      ...times(3, { what: 'failed', address: one }),
      // Counted when they were asked for, and told by `solved`.
      { what: 'challenged', address: one },
      { what: 'solved', address: one, isPart: true },
    )
    const told = { ...NOTHING, challenges: 1, verified: 1, low: 2 }
    expect(await on.challenged(one, NOW)).toEqual({ address: { ...told, failed: 3 }, network: told })
  })
  test('has a record on each site', async () => {
    const on = remembered()
    const one = address(1)
    const elsewhere = { sitekey: 'hv_site_another0' as Sitekey, action: undefined }
    on.note({ place: elsewhere, what: 'low', address: one })
    on.note({ place: elsewhere, what: 'failed', address: one })
    await on.sent({ what: 'low', address: one }, { what: 'failed', address: one }, { what: 'verified', address: one })
    await on.solved(one, solve({ unfinished: 0.25 }), NOW)
    const { here, ...near } = await on.solved(one, solve(), NOW)
    expect(here).toEqual({
      ...NOTHING,
      solves: 2,
      low: 1,
      failed: 1,
      verified: 1,
      parts: 1,
      unfinished: 0.25,
    })
    expect(near.address).toEqual({ ...here, low: 2, failed: 2 })
  })
  test('with nothing but wrong solutions is forgotten as soon as its challenge', async () => {
    const counters = memoryCounters()
    const on = remembered({ counters })
    await on.sent({ what: 'failed', address: address(1) }, { what: 'low', address: address(2) })
    const later = unixSeconds(NOW + 121)
    const failed = async (one: string) => (await on.challenged(one, later)).address
    expect(await failed(address(1))).toEqual({ ...NOTHING, challenges: 1 })
    expect(await failed(address(2))).toEqual({ ...NOTHING, challenges: 1, low: 1 })
  })
  test('that nobody told is nobody: nothing is noted near it, and its solve is the first', async () => {
    const { on, counted } = recorded()
    await on.sent({ what: 'verified' }, { what: 'failed' })
    expect(counted.map(({ subject }) => subject)).toEqual([`s:${SHOP}`])
    expect(await on.solved(undefined, solve(), NOW)).toEqual({
      ...STRANGER,
      here: NOTHING,
      first: true,
      again: 0,
    })
  })
  test('has no part of a solve that was finished', async () => {
    const on = remembered()
    const solved = async (unfinished: number) => (await on.solved(address(1), solve({ unfinished }), NOW)).address
    expect(await solved(0)).toEqual({ ...NOTHING, solves: 1 })
    expect(await solved(0.004)).toEqual({ ...NOTHING, solves: 2, parts: 1 })
    expect(await solved(0.005)).toEqual({ ...NOTHING, solves: 3, parts: 2, unfinished: 0.01 })
  })
})

// Two versions run side by side during an upgrade.
test('what is counted has the same names in every version; a site is told by six letters, a challenge by 48 bits', async () => {
  const { on, counted } = recorded()
  await on.solved(address(1), solve({ jti: 'aaaabbbbccccddddeeeeff' as Jti }), NOW)
  await on.sent({ what: 'failed', address: address(2) }, { what: 'solved', address: address(3), costBin: 5 })
  const text = ({ subject, once, add }: Bump) =>
    [subject, once, ...add.map(([field, by]) => `${field} ${by}`)].join(' ')
  expect(counted.map(text)).toEqual([
    `a:${address(1)} jaaaabbbb s 1 sstshop 1`,
    `n:nnnnnnn1  s 1`,
    `a:${address(2)}  f 1 fstshop 1`,
    `s:${SHOP}  s 1`,
    `d:${SHOP}  s 1`,
    `t:${SHOP} nnnnnnnn3 5 1`,
  ])
})

describe('the behaviour of a visit', () => {
  test('without an address is counted all the same', async () => {
    const on = remembered()
    const shown = behaviour(1)
    await on.solved(undefined, solve({ shown }), NOW)
    const { again } = await on.solved(undefined, solve({ shown }), NOW)
    expect(Math.round(again)).toBe(1)
  })
  test('is counted once for each challenge', async () => {
    const on = remembered()
    const once = solve({ shown: behaviour(1) })
    for (let i = 0; i < 3; i++) await on.solved(address(1), once, NOW)
    expect(Math.round((await on.solved(address(2), { ...once, jti: newJti() }, NOW)).again)).toBe(1)
  })
  test('lies in the sketch of its site, which is the same in every process and version', async () => {
    const asked: Cells[] = []
    const sketch: Sketch = {
      async count(cells, add, now) {
        asked.push(cells)
        return memorySketch().count(cells, add, now)
      },
    }
    const on = remembered({ sketch })
    const shardOf = async (sitekey: string) => {
      await on.solved(
        undefined,
        { ...solve({ shown: behaviour(1) }), place: { sitekey: sitekey as Sitekey, action: undefined } },
        NOW,
      )
      return asked.at(-1)!.shard
    }
    // The sum of letters, each times a power of 31, modulo 2^32 and then 8.
    const shards: number[] = []
    for (const name of [SHOP, 'hv_site_another0', 'hv_site_another1', 'x']) shards.push(await shardOf(name))
    expect(shards).toEqual([7, 4, 5, 0])
    const used = new Set<number>()
    for (let i = 0; i < 64; i++) used.add(await shardOf(`hv_site_shop${i}`))
    expect(used).toEqual(new Set([0, 1, 2, 3, 4, 5, 6, 7]))
    // Two counters of each cell.
    expect(asked[0]!.offsets).toEqual([1, 2 ** 19 + 2])
  })
})

describe('a store', () => {
  function breakable() {
    const state = { broken: false }
    const guard = <T>(call: () => Promise<T>) => (state.broken ? Promise.reject(new Error('no answer')) : call())
    const [counters, sketch] = [memoryCounters(), memorySketch()]
    return {
      state,
      counters: { count: (...of: Parameters<Counters['count']>) => guard(() => counters.count(...of)) },
      sketch: { count: (...of: Parameters<Sketch['count']>) => guard(() => sketch.count(...of)) },
    }
  }
  const UNREACHABLE = 'warn history is unreachable; visits are scored without it {"detail":"Error: no answer"}'
  const BACK = 'info history is back {}'

  test('that fails leaves strangers; the log says so once, and once when it is over', async () => {
    const stores = breakable()
    const on = remembered(stores)
    const known = { ...STRANGER, here: NOTHING, first: true, again: 0 }
    expect((await on.challenged(address(1), NOW)).address.challenges).toBe(1)
    expect(on.log.lines).toEqual([])
    for (let outage = 1; outage <= 2; outage++) {
      stores.state.broken = true
      for (let i = 0; i < 2; i++) {
        expect(await on.challenged(address(1), NOW)).toEqual(STRANGER)
        expect(await on.solved(address(1), solve({ shown: behaviour(1) }), NOW)).toEqual(known)
        expect(await on.solved(undefined, solve({ shown: behaviour(1) }), NOW)).toEqual(known)
      }
      stores.state.broken = false
      for (let i = 0; i < 2; i++) await on.challenged(address(1), NOW)
      expect(on.log.lines).toEqual(Array.from({ length: outage }, () => [UNREACHABLE, BACK]).flat())
    }
  })
  test('whose sketch alone fails still tells of the address', async () => {
    const { counters } = breakable()
    const { sketch, state } = breakable()
    state.broken = true
    const on = remembered({ counters, sketch })
    expect(await on.solved(address(9), solve({ shown: behaviour(1) }), NOW)).toMatchObject({
      first: true,
      address: { solves: 1 },
      again: 0,
    })
  })
  test('that loses what is noted loses it, without a word and without a fault', async () => {
    const stores = breakable()
    const on = remembered(stores)
    stores.state.broken = true
    await on.sent({ what: 'challenged' }, { what: 'low', address: address(1) })
    expect(on.log.lines).toEqual([])
    stores.state.broken = false
    await on.sent({ what: 'challenged' })
    expect(on.load(place, NOW).recent).toBe(1)
  })
})
