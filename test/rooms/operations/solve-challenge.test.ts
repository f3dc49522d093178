import { beforeEach, describe, expect, test } from '@jest/globals'
import type { ChallengeClaims } from '../../../src/claims/challenge.ts'
import { rightAnswers } from '../../../src/proof/proof.ts'
import type { ResponseClaims } from '../../../src/claims/response.ts'
import { parseSolution } from '../../../src/work/solution.ts'
import { type Sample, spellSolution } from '../../../src/work/spell-solution.ts'
import { visitRule } from '../../../src/domain/site-rules/visit-rules.ts'
import { siteDirectory } from '../../../src/settings/site-directory.ts'
import { ORDINARY_UNITS } from '../../../src/domain/work-done.ts'
import { type Action, unixSeconds } from '../../../src/domain/words.ts'
import type { SolveRequest } from '../../../src/wire.ts'
import { budgetLimiter } from '../../../src/store/limits/budget-limiter.ts'
import { memoryLimits } from '../../../src/store/limits/limit-store.ts'
import { faultOf } from '../../support/ledger-contract.ts'
import { everyBudget } from '../../support/ledger-on-redis.ts'
import { CHROMIUM_REQUEST } from '../../support/seen-request.ts'
import { work, wrongly } from '../../support/visitor.ts'
import {
  caller,
  NOW,
  type Operations,
  operations,
  ORIGIN,
  SECRET,
  site,
  SITEKEY,
  solvedChallenge,
} from './parts.ts'

let on: Operations
let genuine: SolveRequest
beforeEach(async () => {
  on = await operations()
  genuine = await solvedChallenge(on, 'sign-up', 'basket-7')
  on.asked.length = 0
})
const opened = async (token: string) =>
  (await on.tokens.openResponse(token, SITEKEY, unixSeconds(on.at.now))) as ResponseClaims
const solved = async (request: SolveRequest, from = caller()) =>
  opened((await on.solve(request, from)).token)
const claimsOf = async (challenge: string) =>
  (await on.tokens.openChallenge(challenge, unixSeconds(NOW))) as ChallengeClaims
const challengeOf = () => claimsOf(genuine.challenge)

test('a token repeats the claims of its challenge and adds its own times and the decision', async () => {
  on.at.now = NOW + 90
  const { token, expires_in } = await on.solve(genuine, caller())
  const { jti, kid, sitekey, hostname, action, generation } = await challengeOf()
  expect(expires_in).toBe(120)
  expect(await opened(token)).toEqual({
    jti,
    kid,
    sitekey,
    hostname,
    action,
    cdata: 'basket-7',
    generation,
    challengedAt: NOW,
    issuedAt: NOW + 90,
    expiresAt: NOW + 90 + 120,
    keepUntil: NOW + 600 + 120 + 60,
    sealed: {
      decision: expect.objectContaining({ score: 0.88 }),
      address: on.tokens.hashAddress('203.0.113.7'),
    },
  })
})

test('the order is: open, consume, charge', async () => {
  await on.solve(genuine, caller())
  expect(on.asked).toEqual(['open', 'consume', 'visit'])
})

test('the challenge is consumed under its own id until a minute after its end', async () => {
  await on.solve(genuine, caller())
  const { jti, generation } = await challengeOf()
  expect(on.consumed).toEqual([
    {
      kind: 'challenge',
      jti,
      generation,
      attempt: expect.stringMatching(/^[\w-]{22}$/),
      expiresAt: NOW + 600,
      keepUntil: NOW + 660,
    },
  ])
})

describe('the same solution is another attempt', () => {
  const facts = (change: object) => () => ({ ...CHROMIUM_REQUEST, ...change })
  test.each<[when: string, change: Partial<SolveRequest>, from: Parameters<typeof caller>[0]]>([
    ['with other signals', { signals: { v: 1 } }, {}],
    ['with the offer of a step', { step_up: '1' }, {}],
    ['from nowhere', {}, { address: undefined }],
    ['with another header that is judged', {}, { facts: facts({ fetchSite: 'same-origin' }) }],
  ])('%s', async (_when, change, from) => {
    await on.solve(genuine, caller())
    expect(await faultOf(() => on.solve({ ...genuine, ...change }, caller(from)))).toBe(
      'challenge-expired',
    )
  })
  test('but not after a change of keys, wherever it came from', async () => {
    const genuineTokens = { ...on.tokens }
    const kid = on.tokens.activeKid(unixSeconds(NOW))
    for (const address of ['203.0.113.7', '198.51.100.9']) {
      Object.assign(on.tokens, genuineTokens)
      const request = await solvedChallenge(on)
      const { token } = await on.solve(request, caller({ address }))
      // The active key hashes every address otherwise; that of the challenge as before.
      on.tokens.hashAddress = (text, of) =>
        genuineTokens.hashAddress(of === kid ? text : '192.0.2.1', kid)
      expect((await solved(request, caller({ address }))).jti).toBe((await opened(token)).jti)
    }
  })
})

test('the log has the challenge’s claims, the score and the decision', async () => {
  const from = caller()
  await on.solve({ ...genuine, signals: { ...genuine.signals, work: { ms: 900 } } }, from)
  const { jti } = await challengeOf()
  expect(from.notes).toEqual({
    sitekey: SITEKEY,
    jti,
    hostname: 'shop.example.com',
    action: 'sign-up',
    work_ms: 900,
    score: 0.88,
    decision: expect.objectContaining({
      score: 0.88,
      threshold: 0.5,
      units: 1536,
      network: {},
      reasons: [],
    }),
  })
})

test('a correct proof that the challenge did not ask for counts as missing', async () => {
  const { challenge, work: asked } = await on.issue(
    { sitekey: SITEKEY, action: 'sign-up' },
    caller(),
  )
  const proof = rightAnswers(
    on.tokens.derive('proof', (await claimsOf(challenge)).jti, (await claimsOf(challenge)).kid),
  )
  const from = caller()
  await on.solve(
    { challenge, solution: work(challenge, asked), signals: { ...genuine.signals, proof } },
    from,
  )
  const { contributions } = from.notes.decision as { contributions: object[] }
  expect(contributions).toContainEqual(expect.objectContaining({ name: 'proof-missing' }))
})

test('a visitor without an address gets a token', async () => {
  const nobody = caller({ address: undefined })
  const { challenge, work: asked } = await on.issue({ sitekey: SITEKEY, action: 'sign-up' }, nobody)
  expect(
    await solved({ ...genuine, challenge, solution: work(challenge, asked) }, nobody),
  ).toHaveProperty('jti')
})

test('a repeated body is answered again, with a later token of the same id', async () => {
  const first = await solved(genuine)
  on.at.now = NOW + 100
  const second = await solved(genuine)
  expect(second).toEqual({
    ...first,
    issuedAt: NOW + 100,
    expiresAt: NOW + 220,
    sealed: expect.anything(),
  })
})

test.each([
  [600 - 1, 'none'],
  [600, 'challenge-expired'],
  [600 + 4, 'challenge-expired'],
  [600 + 5, 'challenge-expired'],
])('a challenge of 600 s after %i s: %s', async (after, gives) => {
  on.at.now = NOW + after
  expect(await faultOf(() => on.solve(genuine, caller()))).toBe(gives)
})

test('a challenge from before the ledger was lost has expired, so that the widget starts again', async () => {
  on.at.now = NOW - 31
  on.ledger.generation((await challengeOf()).jti)
  on.at.now = NOW
  expect(await faultOf(() => on.solve(genuine, caller()))).toBe('challenge-expired')
})

test.each([
  {
    gives: 'invalid-input-challenge',
    when: 'the site is gone',
    now: { sitekey: 'hv_site_another0' as never },
  },
  {
    gives: 'bad-request',
    when: 'the page is no longer the site’s',
    now: { hostnames: ['www.example.com'] },
  },
  {
    gives: 'bad-request',
    when: 'the site has no such action any more',
    now: { actions: ['other' as Action] },
  },
])('after a reload: $gives when $when', async ({ gives, now }) => {
  Object.assign(on.sites, siteDirectory([site(now)]))
  expect(await faultOf(() => on.solve(genuine, caller()))).toBe(gives)
})

test.each<[code: string, Partial<SolveRequest>, origin: string]>([
  ['invalid-input-challenge', { challenge: 'x' }, ORIGIN],
  ['bad-request', {}, 'https://www.shop.example.com'],
  ['invalid-input-solution', { solution: 'x' }, ORIGIN],
])(
  '%s consumes nothing, and the log names only a challenge that is ours',
  async (code, change, origin) => {
    const from = caller({ origin })
    expect(await faultOf(() => on.solve({ ...genuine, ...change }, from))).toBe(code)
    expect(on.consumed).toEqual([])
    expect(Object.keys(from.notes)).toEqual(
      'challenge' in change ? [] : ['sitekey', 'jti', 'hostname', 'action'],
    )
  },
)

test.each([
  { asks: 'helper', solves: 'helper', counts: 'helper' },
  { asks: 'helper', solves: undefined, counts: undefined },
  { asks: undefined, solves: 'helper', counts: undefined },
  { asks: 'other', solves: 'helper', counts: undefined },
])(
  'an agent counts only where it asks and solves: $asks, $solves',
  async ({ asks, solves, counts }) => {
    let name: string | undefined = asks
    const when = { agent: ['helper'], action: ['sign-up'] }
    const rule = visitRule({ name: 'agents', when, effect: { kind: 'allow' }, until: undefined })
    on = await operations({
      sites: [site({ rules: [rule] })],
      agents: { identify: () => ({ name, refusal: undefined }) },
    })
    const request = await solvedChallenge(on)
    name = solves
    const [from, customer] = [caller(), caller()]
    const { token } = await on.solve(request, from)
    await on.verify({ secret: SECRET, response: token }, customer)
    const score = counts === undefined ? 0.88 : 1
    for (const { notes } of [from, customer])
      expect([notes.agent, notes.score]).toEqual([counts, score])
  },
)

test('calls without a right solution have their own budget: junk and repeats use up that of junk and repeats, not that of visits', async () => {
  on = await operations({ points: 1 })
  const two = budgetLimiter(memoryLimits(), everyBudget(2, 60), undefined, () => NOW * 1000)
  on.limiter.take = (...of) => two.take(...of)
  genuine = await solvedChallenge(on)
  const visitor = await solvedChallenge(on)
  const slow = await Promise.all(
    [1, 2, 3].map(() => solvedChallenge(on, 'sign-up', undefined, 'pb.1')),
  )
  const solve = (change: Partial<SolveRequest>, from = caller()) =>
    faultOf(() => on.solve({ ...genuine, ...change }, from))
  expect(await solve({ challenge: 'x' })).toBe('invalid-input-challenge')
  expect(await solve({}, caller({ origin: 'https://other.example' }))).toBe('bad-request')
  for (const change of [{ challenge: 'x' }, { solution: 'x' }])
    expect(await solve(change)).toBe('rate-limit-exceeded')
  expect(await solve({})).toBe('none')
  expect(await solve({})).toBe('rate-limit-exceeded')
  for (const body of slow.slice(1)) expect(await solve(wrongly(body))).toBe('rate-limit-exceeded')
  for (const body of [visitor, slow[0]!])
    expect(await faultOf(() => on.solve(body, caller()))).toBe('none')
  // A late visitor is told to start again, whatever the neighbours send.
  on.at.now = NOW + 600
  expect(await solve({})).toBe('challenge-expired')
})

test('a wrong solution, and another one after it, take of what their own address has for junk', async () => {
  on = await operations({ points: 1 })
  const three = budgetLimiter(memoryLimits(), everyBudget(3, 60), undefined, () => NOW * 1000)
  on.limiter.take = (...of) => {
    on.asked.push(of[0])
    return three.take(...of)
  }
  const bodies = [await solvedChallenge(on), await solvedChallenge(on)]
  const solve = (body: SolveRequest, from = caller()) => faultOf(() => on.solve(body, from))
  for (const body of bodies) expect(await solve(wrongly(body))).toBe('invalid-input-solution')
  expect(await solve(bodies[0]!)).toBe('challenge-expired')
  on.asked.length = 0
  for (const body of [...bodies, ...bodies.map(wrongly)])
    expect(await solve(body)).toBe('rate-limit-exceeded')
  // A refused repeat is neither opened nor asked of the ledger.
  expect(on.asked).toEqual(Array.from({ length: 4 }, () => 'invalidSolution'))
  const elsewhere = caller({ address: '203.0.113.8' })
  for (const body of bodies) expect(await solve(body, elsewhere)).toBe('challenge-expired')
  expect(elsewhere.notes).toMatchObject({ sitekey: SITEKEY, jti: expect.any(String) })
})

test('a body that was refused for its budget is charged when it comes again, once', async () => {
  on = await operations({ points: 1 })
  const bodies = [await solvedChallenge(on), await solvedChallenge(on), await solvedChallenge(on)]
  // Ten thirds of the rate at once: four.
  for (let i = 0; i < 3; i++) await on.limiter.visit(on.tokens.hashAddress('203.0.113.7')!, { jti: `j${i}` as never, sitekey: SITEKEY, until: unixSeconds(NOW + 600), cost: 2, extraBudgets: [] }) // prettier-ignore
  const codes = await Promise.all(
    bodies.flatMap((body) => [1, 2, 3].map(() => faultOf(() => on.solve(body, caller())))),
  )
  // Of the repeats one is answered.
  expect(codes.filter((code) => code === 'none')).toHaveLength(2)
  expect(on.known.filter(([, visit]) => visit)).toHaveLength(1)
})

describe('a part of the work', () => {
  const firstOf = (solution: string, share: number): readonly Sample[] =>
    parseSolution(solution, 1536)!.slice(0, Math.ceil(512 * share))
  const partOf = (solution: string, share: number): string =>
    spellSolution(1536, firstOf(solution, share))
  const scoreOf = async (share: number, after: number): Promise<number> => {
    on = await operations()
    const whole = await solvedChallenge(on)
    on.at.now = NOW + after
    return (await solved({ ...whole, solution: partOf(whole.solution, share) })).sealed.decision
      .score
  }

  test('is accepted with a lower score, the lower the less was done', async () => {
    const scores: number[] = []
    for (const share of [1, 0.75, 0.5, 0.25]) scores.push(await scoreOf(share, 60))
    expect(scores.toSorted((a, b) => b - a)).toEqual(scores)
    expect(scores[2]).toBeLessThan(scores[0]!)
    // A person on a slow phone, who got half-way, still passes.
    expect(scores[2]).toBeGreaterThanOrEqual(0.5)
  })
  test('is refused before the work budget has passed', async () => {
    const early = { ...genuine, solution: partOf(genuine.solution, 0.9) }
    // Twice the human cost of 2 s.
    on.at.now = NOW + 2
    expect(await faultOf(() => on.solve(early, caller()))).toBe('invalid-input-solution')
    expect(await scoreOf(0.9, 3)).toBeGreaterThan(0.8)
  })
  test('consumes the challenge: the rest cannot be handed in later', async () => {
    on.at.now = NOW + 60
    const half = { ...genuine, solution: partOf(genuine.solution, 0.5) }
    expect(await faultOf(() => on.solve(half, caller()))).toBe('none')
    expect(await faultOf(() => on.solve(genuine, caller()))).toBe('challenge-expired')
  })
  test('counts against the next parts of its address in time, not against whole work', async () => {
    const solve = async (share: number) => {
      const whole = await solvedChallenge(on)
      on.at.now += 3
      const from = caller()
      await on.solve({ ...whole, solution: partOf(whole.solution, share) }, from)
      const { units, contributions } = from.notes.decision as {
        units: number
        contributions: { name: string }[]
      }
      return [units, contributions.some(({ name }) => name === 'work-in-part-again')]
    }
    expect(await solve(0.5)).toEqual([768, false])
    const part = {
      siteAction: { sitekey: SITEKEY, action: undefined },
      units: 9216,
      partOf: ORDINARY_UNITS,
    }
    for (let i = 0; i < 16; i++)
      await on.history.solved(on.tokens.hashAddress('203.0.113.7'), part, unixSeconds(on.at.now))
    expect([await solve(0.5), await solve(1)]).toEqual([
      [768, true],
      [1536, false],
    ])
  })
  test('with invented tags is usually refused', async () => {
    let passed = 0
    for (let i = 0; i < 40; i++) {
      const whole = await solvedChallenge(on)
      on.at.now += 3
      // A quarter done, the next quarter invented: passes one time in four.
      const samples = firstOf(whole.solution, 0.5).map(({ index, tag }, nth) => ({
        index,
        tag: tag ^ (nth < 128 ? 0 : 1),
      }))
      const answered = await faultOf(() =>
        on.solve({ ...whole, solution: spellSolution(1536, samples) }, caller()),
      )
      if (answered === 'none') passed++
    }
    expect(passed).toBeLessThan(24)
    // Each body is looked at in other places: else all of them or none would pass.
    expect(passed).toBeGreaterThan(0)
  })
})

describe('work by pb.1', () => {
  const byFallback = () => solvedChallenge(on, 'sign-up', undefined, 'pb.1')

  test('gets a token whose score is capped at 0.6, however good the visit is', async () => {
    const from = caller()
    const { decision } = (await solved(await byFallback(), from)).sealed
    expect([decision.score, (await solved(genuine)).sealed.decision.score]).toEqual([0.6, 0.88])
    expect(decision.contributions).toContainEqual({ id: 25, value: -0.1 })
    expect(from.notes).toMatchObject({ decision: { score: 0.6, units: 128, reasons: ['work'] } })
  })
  test.each(['s32.1', 'pb.1'])(
    'a solution by %s to a challenge for the other algorithm is refused, and consumes it',
    async (algorithm) => {
      const asked = algorithm === 's32.1' ? await byFallback() : genuine
      const claims = await claimsOf(asked.challenge)
      const other =
        algorithm === 's32.1'
          ? ({ a: 's32.1', s: 1024 } as const)
          : ({ a: 'pb.1', s: 2000 } as const)
      const solution = work(asked.challenge, { ...claims.pow, ...other })
      expect(await faultOf(() => on.solve({ ...asked, solution }, caller()))).toBe(
        'invalid-input-solution',
      )
      expect(await faultOf(() => on.solve(asked, caller()))).toBe('challenge-expired')
    },
  )
})
