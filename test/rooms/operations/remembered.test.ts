/** What is read from and added to history: for which address, site and action, and only what happened. */
import { describe, expect, test } from '@jest/globals'
import type { ChallengeClaims } from '../../../src/claims/challenge.ts'
import { ORDINARY_UNITS } from '../../../src/domain/work-done.ts'
import { seconds, unixSeconds } from '../../../src/domain/words.ts'
import { parseSolution } from '../../../src/work/solution.ts'
import { spellSolution } from '../../../src/work/spell-solution.ts'
import type { SolveRequest } from '../../../src/wire.ts'
import { faultOf } from '../../support/ledger-contract.ts'
import { wrongly } from '../../support/visitor.ts'
import {
  caller,
  NOW,
  type Operations,
  operations,
  site,
  SITEKEY,
  solvedChallenge,
} from './parts.ts'

const EVERYWHERE = { sitekey: SITEKEY, action: undefined }
const SIGN_UP = { sitekey: SITEKEY, action: 'sign-up' }
const address = (on: Operations): string => on.tokens.hashAddress('203.0.113.7')!
const claimsOf = async (on: Operations, challenge: string) =>
  (await on.tokens.openChallenge(challenge, unixSeconds(on.at.now))) as ChallengeClaims
test('a challenge looks up its address by a keyed hash, and counts nothing', async () => {
  const on = await operations()
  await on.issue({ sitekey: SITEKEY, action: 'sign-up' }, caller())
  await on.issue({ sitekey: SITEKEY, action: 'sign-up' }, caller({ address: undefined }))
  expect(on.known).toEqual([[address(on)], [undefined]])
})

describe('a solve', () => {
  const work = { level: 1, maxLevel: 1, humanCost: seconds(2), fallback: false }
  const solve = async (change: Parameters<typeof site>[0] = {}) => {
    const on = await operations({ sites: [site({ work, ...change })] })
    const { signals, ...request } = await solvedChallenge(on)
    on.known.length = 0
    on.at.now = NOW + 3
    return {
      on,
      genuine: { ...request, signals: { ...signals, work: { ms: 900 } } } as SolveRequest,
    }
  }

  test('is counted for its address, site and action with the units that it did, and charged by its challenge', async () => {
    const { on, genuine } = await solve()
    await on.solve(genuine, caller())
    const { jti, pow, expiresAt } = await claimsOf(on, genuine.challenge)
    expect(on.known).toEqual([[address(on), { siteAction: EVERYWHERE, units: pow.n, partOf: 0 }]])
    expect(on.charged).toEqual([
      [address(on), { jti, sitekey: SITEKEY, until: expiresAt + 60, cost: 2, extraBudgets: [] }],
    ])
  })
  test('of a part of the work is counted with what was asked, and costs two halves more', async () => {
    const { on, genuine } = await solve()
    on.at.now = NOW + 60
    const { pow } = await claimsOf(on, genuine.challenge)
    const half = spellSolution(pow.n, parseSolution(genuine.solution, pow.n)!.slice(0, 256))
    await on.solve({ ...genuine, solution: half }, caller())
    expect(on.known).toEqual([
      [address(on), { siteAction: EVERYWHERE, units: expect.any(Number), partOf: pow.n }],
    ])
    expect(on.known[0]![1]!.units / pow.n).toBeCloseTo(0.5, 1)
    expect(on.charged.map(([, { cost }]) => cost)).toEqual([4])
  })
  test('by another algorithm is counted in units of the usual one', async () => {
    const on = await operations()
    await on.solve(await solvedChallenge(on, 'sign-up', undefined, 'pb.1'), caller())
    expect(on.known.at(-1)![1]!.units).toBe(1536)
    expect(on.charged[0]![1].extraBudgets).toEqual(['fallback'])
  })
  const LITTLE = { input: { trusted: 5 } }
  const [HERE, ELSEWHERE] = [{ address: '203.0.113.7' }, { address: '198.51.100.9' }]
  test.each([
    {
      shows: 'enough, from where its challenge was asked for',
      from: HERE,
      signals: {},
      charged: 2,
    },
    { shows: 'little', from: HERE, signals: LITTLE, charged: 3 },
    { shows: 'enough, from another network', from: ELSEWHERE, signals: {}, charged: 4 },
    {
      shows: 'enough, from a neighbour of its challenge',
      from: { address: '203.0.113.9' },
      signals: {},
      charged: 2,
    },
    { shows: 'little, from another network', from: ELSEWHERE, signals: LITTLE, charged: 5 },
    { shows: 'that its page is hidden', from: HERE, signals: { page: { visible: 0 } }, charged: 3 },
    { shows: 'nothing of its page', from: HERE, signals: { page: undefined }, charged: 3 },
  ])(
    'that shows $shows, costs the address that solves $charged halves of a visit',
    async ({ from, signals, charged }) => {
      const { on, genuine } = await solve()
      const page = { visible: 1, focused: 1 } as const
      const shown = {
        ...genuine.signals,
        page,
        input: { ...genuine.signals.input, trusted: 6 },
        ...signals,
      }
      await on.solve({ ...genuine, signals: shown as SolveRequest['signals'] }, caller(from))
      expect(on.charged.map(([, { cost }]) => cost)).toEqual([charged])
      for (const [who] of on.charged) expect(who).toBe(on.tokens.hashAddress(from.address))
    },
  )
  test('costs the same address no more after a change of keys', async () => {
    const { on, genuine } = await solve()
    const tokens = { ...on.tokens }
    on.tokens.hashAddress = (from, kid) =>
      tokens.hashAddress(kid === undefined ? '198.51.100.9' : from, kid)
    await on.solve(genuine, caller())
    expect(on.charged.map(([, { cost }]) => cost)).toEqual([2])
  })
  test('with wrong work is not counted', async () => {
    const { on, genuine } = await solve()
    await faultOf(() => on.solve(wrongly(genuine), caller()))
    expect(on.known).toEqual([])
  })

  test('is counted for the action only if the site lists it: a visitor can invent others', async () => {
    const { on, genuine } = await solve({ actions: ['sign-up'] })
    await on.solve(genuine, caller())
    expect(on.known[0]![1]!.siteAction).toEqual(SIGN_UP)
  })
})

/** Somebody could ask for hundreds of challenges at the price of the first, and solve them later. */
describe('a challenge that its address has outpaced', () => {
  const rising = { level: 0, maxLevel: 8, humanCost: seconds(60), fallback: true }
  const crowd = async (solves: number, from: readonly string[] = ['203.0.113.7']) => {
    const on = await operations({ sites: [site({ work: rising })] })
    const genuine = await solvedChallenge(on)
    const hashes = from.map((each) => on.tokens.hashAddress(each)!)
    const visit = { siteAction: EVERYWHERE, units: ORDINARY_UNITS, partOf: 0 }
    for (let i = 0; i < solves; i++)
      await on.history.solved(hashes[i % hashes.length], visit, unixSeconds(NOW))
    return { on, genuine }
  }
  const NEIGHBOURS = Array.from({ length: 80 }, (_, i) => `203.0.113.${100 + i}`)
  test.each([
    { after: 39, then: 'none' },
    // Its own solve is a twelfth of an ordinary visit, and a level more than it asked for may be late.
    { after: 40, then: 'challenge-expired' },
    { after: 400, from: NEIGHBOURS, then: 'challenge-expired' },
    { after: 200, from: ['203.0.113.99'], then: 'none' },
    { after: 200, from: ['198.51.100.9'], then: 'none' },
  ])(
    'after $after solves of $from.length addresses counts as expired: $then',
    async ({ after, from, then }) => {
      const { on, genuine } = await crowd(after, from)
      expect(await faultOf(() => on.solve(genuine, caller()))).toBe(then)
    },
  )
  test('a repeated solution is expired too, and the next challenge asks for the current work', async () => {
    const { on, genuine } = await crowd(46)
    for (let i = 0; i < 3; i++)
      expect(await faultOf(() => on.solve(genuine, caller()))).toBe('challenge-expired')
    const next = await on.issue({ sitekey: SITEKEY, action: 'sign-up' }, caller())
    expect(next.work.n).toBeGreaterThan(9000)
  })
})
