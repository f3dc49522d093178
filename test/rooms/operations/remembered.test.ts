/** What history is asked and told on the way: for whom, where, and only what happened. */
import { describe, expect, test } from '@jest/globals'
import { behaviourCell } from '../../../src/score/behaviour.ts'
import type { ChallengeClaims } from '../../../src/domain/challenge.ts'
import { seconds, unixSeconds } from '../../../src/domain/words.ts'
import type { SolveRequest } from '../../../src/wire.ts'
import { faultOf, sleep } from '../../support/ledger-contract.ts'
import { PERSON } from '../../support/visitor.ts'
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
  (await on.tokens.openChallenge(challenge, unixSeconds(on.at.now))) as ChallengeClaims
/** A well-formed solution whose tags are wrong. */
const wrongly = (solution: string): string =>
  Buffer.from(Buffer.from(solution, 'base64url').map((byte, i) => (i % 3 ? byte ^ 1 : byte))).toString('base64url')
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

  test('is the same work for an address with bad tries: it tells nobody how a visit was judged', async () => {
    const { on } = await fresh({
      sites: [site({ work: { level: 1, maxLevel: 6, humanCost: seconds(60), fallback: false } })],
    })
    for (let i = 0; i < 9; i++) {
      on.history.note({ place: EVERYWHERE, address: address(on), what: 'failed' })
      on.history.note({ place: EVERYWHERE, address: address(on), what: 'low' })
    }
    await sleep(50)
    const { work } = await on.issue({ sitekey: SITEKEY, action: 'sign-up' }, caller())
    expect(work.n).toBe(4608)
  })
})

describe('a solve', () => {
  const work = { level: 1, maxLevel: 1, humanCost: seconds(2), fallback: false }
  const timed = (request: SolveRequest): SolveRequest => ({
    ...request,
    signals: { ...request.signals, work: { ms: 900 } },
  })
  const solve = async (change: Parameters<typeof site>[0] = {}) => {
    const { on, forget } = await fresh({ sites: [site({ work, ...change })] })
    const genuine = timed(await solvedChallenge(on))
    forget()
    on.at.now = NOW + 3
    return { on, genuine, forget }
  }

  test('is counted for address, id and place, and by the cells of its behaviour', async () => {
    const { on, genuine } = await solve()
    await on.solve(genuine, caller())
    const { jti } = await claimsOf(on, genuine.challenge)
    const behaviour = behaviourCell(genuine.signals, on.tokens.behaviourSeed(SITEKEY))
    expect(behaviour).toBeDefined()
    expect(on.known).toEqual([[address(on), { jti, place: EVERYWHERE, behaviour, unfinished: 0 }]])
  })
  test('that shows too little to be known again says so', async () => {
    const { on, genuine } = await solve()
    await on.solve({ ...genuine, signals: { v: 1, input: { trusted: 3 } } as SolveRequest['signals'] }, caller())
    expect(on.known[0]![1]!.behaviour).toBeUndefined()
  })
  test.each([
    { shows: 'enough, from where its challenge was asked for', from: {}, signals: {}, charged: 2 },
    { shows: 'little', from: {}, signals: { input: { trusted: 5 } }, charged: 3 },
    { shows: 'enough, from another network', from: { address: '198.51.100.9' }, signals: {}, charged: 4 },
    {
      shows: 'enough, from a neighbour of its challenge',
      from: { address: '203.0.113.9' },
      signals: {},
      charged: 2,
    },
    {
      shows: 'little, from another network',
      from: { address: '198.51.100.9' },
      signals: { input: { trusted: 5 } },
      charged: 5,
    },
  ])(
    'that shows $shows, costs the address that solves $charged halves of a visit',
    async ({ from, signals, charged }) => {
      const { on, genuine } = await solve()
      const page = { visible: 1, focused: 1 } as const
      const shown = { ...genuine.signals, page, input: { ...genuine.signals.input, trusted: 12 }, ...signals }
      await on.solve({ ...genuine, signals: shown as SolveRequest['signals'] }, caller(from))
      expect(on.charged.map(([, halves]) => halves)).toEqual([charged])
      const mark = on.tokens.markAddress(from.address ?? '203.0.113.7')!
      for (const [who] of on.charged) expect(who).toBe(`4${mark.hash}`)
    },
  )
  test('whose work is wrong is not counted: it was not paid for', async () => {
    const { on, genuine } = await solve()
    await faultOf(() => on.solve({ ...genuine, solution: wrongly(genuine.solution) }, caller()))
    expect(on.known).toEqual([])
  })

  test('that passes is noted, and the time of its work is in the log', async () => {
    const { on, genuine } = await solve()
    const from = caller()
    await on.solve(genuine, from)
    expect(on.noted).toEqual([
      {
        place: EVERYWHERE,
        address: address(on),
        what: 'solved',
        isPart: false,
      },
    ])
    expect(from.notes).toMatchObject({ work_ms: 900 })
  })
  test('that does not pass is noted as low too', async () => {
    const { on, genuine } = await solve({ scoreThreshold: 0.95 })
    await on.solve(genuine, caller())
    expect(on.noted.map(({ what }) => what)).toEqual(['solved', 'low'])
    expect(on.noted[1]).toEqual({ place: EVERYWHERE, address: address(on), what: 'low' })
  })
  test('at the threshold itself passes', async () => {
    const { on, genuine } = await solve({ scoreThreshold: 0.88 })
    await on.solve(genuine, caller())
    expect(on.noted.map(({ what }) => what)).toEqual(['solved'])
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
    const wrong = { ...genuine, solution: wrongly(genuine.solution) }
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
    const wrong = { ...genuine, solution: wrongly(genuine.solution) }
    expect(await faultOf(() => on.solve(wrong, caller({ address: undefined })))).toBe('invalid-input-solution')
    expect(on.noted).toEqual([{ place: EVERYWHERE, address: undefined, what: 'failed' }])
  })
  test('is compared with the challenge: another network weighs', async () => {
    const { on, genuine } = await solve()
    const from = caller({ address: '198.51.100.9' })
    await on.solve(genuine, from)
    const { contributions } = (from.notes as { decision: { contributions: { name: string }[] } }).decision
    const names = contributions.map(({ name }) => name)
    expect(names).toContain('solved-elsewhere')
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
