/** What history is asked and told on the way: for whom, where, and only what happened. */
import { describe, expect, test } from '@jest/globals'
import { behaviourOf } from '../../src/domain/behaviour.ts'
import type { ChallengeClaims } from '../../src/domain/challenge.ts'
import { costBin } from '../../src/domain/human-cost.ts'
import { seconds, unixSeconds } from '../../src/domain/words.ts'
import type { SolveRequest } from '../../src/wire.ts'
import { faultOf, sleep } from '../ledger/contract.ts'
import { PERSON } from '../support/visitor.ts'
import {
  caller,
  NOW,
  type Operations,
  operations,
  responseToken,
  SECRET,
  site,
  SITEKEY,
  solvedChallenge,
} from './parts.ts'

const EVERYWHERE = { sitekey: SITEKEY, action: undefined }
const SIGN_UP = { sitekey: SITEKEY, action: 'sign-up' }
const address = (on: Operations): string => on.tokens.markAddress('203.0.113.7')!.hash
const claimsOf = async (on: Operations, challenge: string) =>
  on.tokens.openChallenge(challenge, unixSeconds(on.at.now)) as ChallengeClaims
const fresh = async (...args: Parameters<typeof operations>) => {
  const on = await operations(...args)
  return { on, forget: () => void (on.noted.length = on.known.length = 0) }
}

describe('a challenge', () => {
  test('is counted for its place, and asked about by the mark of its address', async () => {
    const { on } = await fresh({ sites: [site({ actions: ['sign-up'] })] })
    await on.issue({ sitekey: SITEKEY, action: 'sign-up' }, caller())
    expect(on.noted).toEqual([{ place: SIGN_UP, what: 'challenged' }])
    expect(on.known).toEqual([[address(on)]])
  })
  test('of a site that lists no actions is counted for the site: actions are the visitor’s to invent', async () => {
    const { on } = await fresh()
    await on.issue({ sitekey: SITEKEY, action: 'sign-up' }, caller({ address: undefined }))
    expect(on.noted).toEqual([{ place: EVERYWHERE, what: 'challenged' }])
    expect(on.known).toEqual([[undefined]])
  })
  test('that is refused is counted for nobody', async () => {
    const { on } = await fresh({ sites: [site({ actions: ['sign-up'] })] })
    await faultOf(() => on.issue({ sitekey: SITEKEY, action: 'log-in' }, caller()))
    expect(on.noted).toEqual([])
  })

  test('carries how suspicious its address was, in hundredths, and asks for more work', async () => {
    const { on } = await fresh({
      sites: [site({ work: { level: 1, maxLevel: 6, humanCost: seconds(60), fallback: false } })],
    })
    for (let i = 0; i < 9; i++) on.history.note({ place: EVERYWHERE, address: address(on), what: 'failed' })
    await sleep(50)
    // In the next bucket a part of them still counts.
    on.at.now = NOW + 433
    const { challenge, work } = await on.issue({ sitekey: SITEKEY, action: 'sign-up' }, caller())
    const { suspected } = await claimsOf(on, challenge)
    expect(suspected).toBeGreaterThan(0)
    expect(suspected).toBeLessThan(1)
    expect(suspected * 100).toBeCloseTo(Math.round(suspected * 100), 9)
    expect(work.n).toBeGreaterThan(768)
  })
})

describe('a solve', () => {
  const work = { level: 1, maxLevel: 1, humanCost: seconds(2), fallback: false }
  const timed = (request: SolveRequest): SolveRequest => ({
    ...request,
    signals: { ...request.signals, work: { ms: 900, workers: 2 } },
  })
  const solve = async (change: Parameters<typeof site>[0] = {}) => {
    const { on, forget } = await fresh({ sites: [site({ work, ...change })] })
    const genuine = timed(await solvedChallenge(on))
    forget()
    on.at.now = NOW + 3
    return { on, genuine, forget }
  }

  test('is asked about by address, id and place, and by the hashes of its behaviour', async () => {
    const { on, genuine } = await solve()
    await on.solve(genuine, caller())
    const { jti, kid } = await claimsOf(on, genuine.challenge)
    const { exact, alike } = behaviourOf(genuine.signals)!
    const mark = (text: string): string => on.tokens.markBehaviour(text, kid)
    const behaviour = { exact: mark(exact), alike: alike!.map(mark) }
    expect(on.known).toEqual([[address(on), { jti, place: EVERYWHERE, behaviour }]])
  })
  test.each<[string, object, number | undefined]>([
    ['too little to be known again', { trusted: 3 }, undefined],
    ['too little to be alike', { trusted: 3, moves: 1, presses: 1 }, 0],
  ])('that shows %s says so', async (_what, input, alike) => {
    const { on, genuine } = await solve()
    await on.solve({ ...genuine, signals: { v: 1, input } as SolveRequest['signals'] }, caller())
    expect(on.known[0]![1]!.behaviour?.alike.length).toBe(alike)
  })

  test('that passes is noted with its behaviour, what its work took, and nothing left undone', async () => {
    const { on, genuine } = await solve()
    const from = caller()
    await on.solve(genuine, from)
    const bin = costBin({ ms: 900, units: 768, age: 3, addressSolves: 1 })
    expect(bin).toBeDefined()
    expect(on.noted).toEqual([
      {
        place: EVERYWHERE,
        address: address(on),
        what: 'solved',
        behaviour: expect.stringMatching(/^[\w-]{8}$/),
        costBin: bin,
        unfinished: 0,
      },
    ])
    expect(from.notes).toMatchObject({ work_ms: 900 })
  })
  test('that does not pass is noted as low too, and its time is not believed', async () => {
    const { on, genuine } = await solve({ scoreThreshold: 0.95 })
    await on.solve(genuine, caller())
    expect(on.noted.map(({ what, costBin: bin }) => [what, bin])).toEqual([
      ['solved', undefined],
      ['low', undefined],
    ])
    expect(on.noted[1]).toEqual({ place: EVERYWHERE, address: address(on), what: 'low' })
  })
  test('at the threshold itself passes', async () => {
    const { on, genuine } = await solve({ scoreThreshold: 0.88 })
    await on.solve(genuine, caller())
    expect(on.noted.map(({ what }) => what)).toEqual(['solved'])
  })
  test('of a challenge that is older than its work took is believed, and of one that is younger not', async () => {
    const { on, genuine } = await solve()
    const slow = { ...genuine, signals: { ...genuine.signals, work: { ms: 5000, workers: 2 } } }
    await on.solve(slow, caller())
    expect(on.noted[0]!.costBin).toBeUndefined()
    const another = await solve()
    another.on.at.now = NOW + 4
    const late = { ...another.genuine, signals: { ...another.genuine.signals, work: { ms: 5000, workers: 2 } } }
    await another.on.solve(late, caller())
    expect(another.on.noted[0]!.costBin).toBe(costBin({ ms: 5000, units: 768, age: 4, addressSolves: 1 }))
  })
  test('that says nothing of its time has none in the log', async () => {
    const { on, genuine } = await solve()
    const from = caller()
    await on.solve({ ...genuine, signals: PERSON as never }, from)
    expect(from.notes).not.toHaveProperty('work_ms')
  })
  test('that comes again is not counted again', async () => {
    const { on, genuine, forget } = await solve()
    await on.solve(genuine, caller())
    forget()
    await on.solve(genuine, caller())
    expect(on.noted).toEqual([])
  })
  test('whose work is wrong is noted as failed, by whose address', async () => {
    const { on, genuine } = await solve()
    const solution = Buffer.from(Buffer.from(genuine.solution, 'base64url').map((byte, i) => (i % 3 ? byte ^ 1 : byte)))
    const wrong = { ...genuine, solution: solution.toString('base64url') }
    expect(await faultOf(() => on.solve(wrong, caller()))).toBe('invalid-input-solution')
    expect(on.noted).toEqual([{ place: EVERYWHERE, address: address(on), what: 'failed' }])
  })
  test('of a stranger is noted without an address', async () => {
    const { on, genuine } = await solve({ scoreThreshold: 0.95 })
    await on.solve(genuine, caller({ address: undefined }))
    expect(on.noted.map(({ address: of }) => of)).toEqual([undefined, undefined])
    expect(on.known[0]![0]).toBeUndefined()
  })
  test('of a stranger whose work is wrong too', async () => {
    const { on, genuine } = await solve()
    const solution = Buffer.from(Buffer.from(genuine.solution, 'base64url').map((byte, i) => (i % 3 ? byte ^ 1 : byte)))
    const wrong = { ...genuine, solution: solution.toString('base64url') }
    expect(await faultOf(() => on.solve(wrong, caller({ address: undefined })))).toBe('invalid-input-solution')
    expect(on.noted).toEqual([{ place: EVERYWHERE, address: undefined, what: 'failed' }])
  })
  test('takes along how suspicious its address was when it asked', async () => {
    const { on } = await fresh()
    for (let i = 0; i < 30; i++) on.history.note({ place: EVERYWHERE, address: address(on), what: 'failed' })
    await sleep(50)
    const suspicious = await solvedChallenge(on)
    const from = caller({ address: '198.51.100.9' })
    await on.solve(suspicious, from)
    const { contributions } = (from.notes as { decision: { contributions: { name: string; strength: number }[] } })
      .decision
    expect(contributions).toContainEqual(expect.objectContaining({ name: 'troubled-address', strength: 1 }))
  })
})

describe('a token that is verified', () => {
  const verify = async (change: object = {}, sites = [site({ actions: ['sign-up'] })]) => {
    const { on, forget } = await fresh({ sites })
    const response = await responseToken(on)
    forget()
    await on.verify({ secret: SECRET, response, ...change }, caller())
    return on
  }
  test('is noted for who solved it, where', async () => {
    const on = await verify()
    expect(on.noted).toEqual([{ place: SIGN_UP, address: address(on), what: 'verified' }])
  })
  test('and refused is not', async () => {
    expect((await verify({ action: 'log-in' })).noted).toEqual([])
    expect((await verify({}, [site({ scoreThreshold: 0.95 })])).noted).toEqual([])
  })
})
