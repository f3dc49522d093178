/** A second try after a low score: who gets one, what it takes, and what it is worth. */
import { describe, expect, test } from '@jest/globals'
import { PROOF_TASKS } from '../../../src/proof/proof.ts'
import type { VisitConditions } from '../../../src/domain/site-rules/visit-conditions.ts'
import { type RuleEffect, visitRule } from '../../../src/domain/site-rules/visit-rules.ts'
import type { Site } from '../../../src/domain/site.ts'
import { siteDirectory } from '../../../src/settings/site-directory.ts'
import { harsher, reachesThreshold, toSeal } from '../../../src/operations/second-chance.ts'
import type { ChallengeRequest, SolveRequest, WireSignals } from '../../../src/wire.ts'
import { type Action, seconds, unixSeconds } from '../../../src/domain/words.ts'
import { faultOf } from '../../support/ledger-contract.ts'
import { PERSON, work } from '../../support/visitor.ts'
import { caller, NOW, type Operations, operations, SECRET, site, SITEKEY } from './parts.ts'
import { CHROMIUM_REQUEST } from '../../support/seen-request.ts'

/** Nothing was shown. Scores 0.4. */
const THIN = {} as const
/** A driver gave itself away. */
const DRIVER = {
  ...PERSON,
  automation: { ...PERSON.automation, webdriver: 1, artefacts: 2 },
} as const
const STEP = { step: { pressed: 1, waited: 3400 } } as const
const PRESSED = {
  automation: PERSON.automation,
  input: { trusted: 3, presses: 1, touches: 1 },
  page: { visible: 1, focused: 1 },
  ...STEP,
} as const

const denied = (when: VisitConditions) =>
  visitRule({ name: 'no', when, effect: { kind: 'deny' }, until: undefined })
const start = (change: Partial<Site> = {}, more: Parameters<typeof operations>[0] = {}) =>
  operations({ sites: [site({ stepUp: 'managed', ...change })], ...more })

interface Try {
  readonly ticket?: string
  readonly from?: ReturnType<typeof caller>
  readonly wrong?: number
  readonly change?: Partial<SolveRequest>
  readonly action?: string
  /** Seconds from the challenge to the solution. */
  readonly takes?: number
}

/** A visit up to its solution, which is not yet handed in. */
async function visit(
  on: Operations,
  signals: object,
  { ticket, from = caller(), wrong = 0, ...more }: Try = {},
) {
  const { change = {}, action = 'sign-up', takes = 4 } = more
  const asked = { sitekey: SITEKEY, action, proof: 1, ...(ticket !== undefined && { ticket }) }
  const { challenge, work: todo, proof } = await on.issue(asked as ChallengeRequest, from)
  on.at.now += takes
  const answers = (await on.prove(challenge)).map((each, i) => (i < wrong ? each.concat(1) : each))
  const request: SolveRequest = {
    challenge,
    solution: work(challenge, todo),
    signals: { ...signals, proof: answers } as WireSignals,
    step_up: '1',
    ...(ticket !== undefined && { ticket }),
    ...change,
  }
  return { request, todo, proof }
}
async function solve(on: Operations, signals: object, by: Try = {}) {
  return on.solve((await visit(on, signals, by)).request, by.from ?? caller())
}
/** The caller of a second try, after a first one that shows nothing: its notes have the score. */
async function secondTry(on: Operations, signals: object, by: Try = {}) {
  const { ticket } = await solve(on, THIN)
  const from = caller()
  await solve(on, signals, { ticket, from, ...by })
  return from
}
const verdictOf = async (on: Operations, response: string) =>
  on.verify({ secret: SECRET, response }, caller())
/** A token of a first visit that scores too low, and siteverify's answer to it. */
const refused = async (on: Operations, signals: object = THIN) =>
  verdictOf(on, (await solve(on, signals, { change: { step_up: undefined } as never })).token)

/** The contributions to a visit's score, as logged. */
const contributionsOf = ({ notes }: ReturnType<typeof caller>) =>
  (notes.decision as { contributions: { name: string; value: number }[] }).contributions
const STEPPED_UP = expect.objectContaining({ name: 'stepped-up' })

describe('managed: the widget asks', () => {
  test('a low score is answered with a ticket, and the second try with a token that passes', async () => {
    const on = await start()
    const first = caller()
    const { ticket, token } = await solve(on, THIN, { from: first })
    expect([typeof ticket, token, first.notes.score, first.notes.step_up]).toEqual([
      'string',
      undefined,
      0.4,
      'asked',
    ])
    const second = caller()
    const answer = await solve(on, PRESSED, { ticket, from: second })
    expect([second.notes.score, second.notes.step_up]).toEqual([0.65, 'helped'])
    expect(await verdictOf(on, answer.token)).toMatchObject({ accepted: true })
  })
  test.each([
    ['a site that is off', { stepUp: 'off' as const }, THIN],
    ['a site whose customer asks', { stepUp: 'ticket' as const }, THIN],
    ['a good score', {}, PERSON],
    ['a driver, whom no evidence could help', {}, DRIVER],
    ['a threshold that no step reaches', { scoreThreshold: 0.78 }, THIN],
    [
      'a visit that a rule of the site denies',
      { rules: [denied({ action: ['sign-up'] })] },
      PERSON,
    ],
  ])('no ticket for %s', async (_who, change, signals) => {
    expect(await solve(await start(change), signals)).toHaveProperty('token')
  })
  test('evidence that is judged again, such as another network, does not prevent a ticket', async () => {
    // What a press and the step are worth at most, after a visit that shows nothing else.
    const on = await start({ scoreThreshold: 0.77 })
    const { request } = await visit(on, THIN)
    expect(await on.solve(request, caller({ address: '198.51.100.9' }))).toHaveProperty('ticket')
  })
  test('a score at the threshold passes, a denied visit never', () => {
    const rule = denied({ action: ['sign-up'] })
    expect(
      reachesThreshold(site({ scoreThreshold: 0.5 }), 'sign-up' as Action, {
        score: 0.5,
        rule: undefined,
      }),
    ).toBe(true)
    expect(
      reachesThreshold(site({ scoreThreshold: 0 }), 'sign-up' as Action, { score: 0, rule }),
    ).toBe(false)
  })
  test('a second try counts once its work is done, and only where something speaks against the visit', async () => {
    const on = await start({}, { tickets: 1 })
    for (let i = 0; i < 4; i++) expect(await solve(on, THIN)).toHaveProperty('ticket')
    // Solved at another address than the challenge was issued to.
    const from = caller({ address: '198.51.100.9' })
    const elsewhere = async () => on.solve((await visit(on, THIN)).request, from)
    const { ticket } = await elsewhere()
    expect(await elsewhere()).toHaveProperty('ticket')
    const again = async () => on.solve((await visit(on, PRESSED, { ticket, from })).request, from)
    expect(await again()).toHaveProperty('token')
    expect(on.charged.at(-1)![1].extraBudgets).toEqual(['ticket'])
    expect(await elsewhere()).toHaveProperty('token')
    expect(await solve(on, THIN, { from })).toHaveProperty('ticket')
  })
  test('an action’s own threshold decides whether the widget asks, and the log has it', async () => {
    const own = new Map([['sign-up', { scoreThreshold: 0.4 }]])
    const from = caller()
    expect(await solve(await start({ actionThresholds: own }), THIN, { from })).toHaveProperty(
      'token',
    )
    expect(from.notes).toMatchObject({ score: 0.4, decision: { threshold: 0.4 } })
  })
  test('a second low score gets no second ticket', async () => {
    const on = await start()
    const { ticket } = await solve(on, THIN)
    const second = caller()
    expect(await solve(on, THIN, { ticket, from: second })).toHaveProperty('token')
    expect(second.notes.step_up).toBe('done')
  })
})

describe('the step', () => {
  test('its challenge asks for the most work of the site, twice the time that it takes a slow phone, and two sets of tasks', async () => {
    const on = await start({
      work: { ...site().work, level: 0, maxLevel: 5, humanCost: seconds(1) },
    })
    const { ticket } = await solve(on, THIN)
    const { todo, proof } = await visit(on, PRESSED, { ticket })
    expect(todo).toMatchObject({ n: 73_728, b: 11_207 })
    expect(proof?.tasks).toHaveLength(2 * PROOF_TASKS)
  })
  test.each([
    ['no press', { ...PRESSED, step: { pressed: 0, waited: 4000 } }, {}],
    ['nothing said of it', { ...PRESSED, step: undefined }, {}],
    ['nothing said of the browser', { ...PRESSED, automation: undefined }, {}],
    ['nothing said of the press', { ...PRESSED, input: { untrusted: 3 } }, {}],
    [
      'less than three seconds, as the browser says',
      { ...PRESSED, step: { pressed: 1, waited: 2900 } },
      {},
    ],
    ['less than three seconds, by our clock', PRESSED, { takes: 2 }],
    ['one task that is wrong', PRESSED, { wrong: 1 }],
    ['a task of the second set that is wrong', PRESSED, { wrong: 6 }],
  ])('is not confirmed with %s', async (_what, signals, how: Try) => {
    expect(contributionsOf(await secondTry(await start(), signals, how))).not.toContainEqual(
      STEPPED_UP,
    )
  })
  test('does not count in a first try, whatever the browser reports', async () => {
    const from = caller()
    await solve(await start(), PRESSED, { from })
    expect(contributionsOf(from)).not.toContainEqual(STEPPED_UP)
  })
  test('leaves a visit above 0.65 as it is', async () => {
    const { notes } = await secondTry(await start({ scoreThreshold: 0.6 }), { ...PERSON, ...STEP })
    expect(notes.score).toBe(0.88)
  })
})

/** Hands of a program on a real device: eased curves. Scores 0.4. */
const ROBOT = { ...PERSON, input: { ...PERSON.input, reaches: 4, balanced: 4 } } as const
/** Presses in the middle without a way there: voice control, or a program. */
const VOICE = { ...PERSON, input: { trusted: 8, presses: 3, centred: 3 } } as const

describe('a second try never erases evidence of automation', () => {
  test('the step does not count when the movements are a program’s', async () => {
    const on = await start({ scoreThreshold: 0.6 })
    expect(await solve(on, ROBOT)).toHaveProperty('token')
    const contributions = contributionsOf(await secondTry(on, { ...ROBOT, ...STEP }))
    expect(contributions).toContainEqual(expect.objectContaining({ name: 'balanced-reaches' }))
    expect(contributions).not.toContainEqual(STEPPED_UP)
  })
  test('the step counts for voice control', async () => {
    const on = await start({ scoreThreshold: 0.6 })
    const first = caller()
    const { ticket } = await solve(on, VOICE, { from: first })
    expect(first.notes.score).toBeLessThan(0.6)
    const from = caller()
    await solve(on, { ...VOICE, ...STEP }, { ticket, from })
    expect(contributionsOf(from)).toContainEqual(
      expect.objectContaining({ name: 'stepped-up', value: 1.2 }),
    )
    expect(from.notes.score).toBeGreaterThanOrEqual(0.6)
  })
  test('evidence against the first visit is carried over; the worse of the two visits counts', async () => {
    const on = await start({ stepUp: 'ticket' })
    const refusal = await refused(on, DRIVER)
    const { stepUp } = refusal as { stepUp: string }
    const from = caller()
    // The second visit is a perfect person's.
    await solve(on, { ...PERSON, ...STEP }, { ticket: stepUp, from })
    expect(from.notes.score).toBeLessThan(0.1)
    expect(from.notes.decision).toMatchObject({
      step_up: { carried: ['webdriver-true', 'driver-artefacts'] },
    })
  })
  test('a site rule that denied the first visit denies the second, whatever its browser', async () => {
    const on = await start({ stepUp: 'ticket', rules: [denied({ userAgent: ['curl/*'] })] })
    const curl = caller({ facts: () => ({ ...CHROMIUM_REQUEST, userAgent: 'curl/8' }) })
    const { token } = await solve(on, THIN, { from: curl })
    const { stepUp } = (await verdictOf(on, token)) as { stepUp: string }
    const { token: second } = await solve(on, { ...PERSON, ...STEP }, { ticket: stepUp })
    expect(await verdictOf(on, second)).toMatchObject({
      accepted: false,
      code: 'low-score',
      score: 0,
    })
  })
})

describe('of the rules that the two visits meet, if any, the harsher one counts', () => {
  const of = (effect: RuleEffect, action: string) =>
    visitRule({ name: action, when: { action: [action] }, effect, until: undefined })
  const adding = (score: number, action: string) =>
    of({ kind: 'adjust', score, work: undefined }, action)
  const first = adding(-1, 'first')
  test.each([
    { counts: 'the first', when: 'the second meets none', second: undefined },
    { counts: 'the first', when: 'the second is let in', second: of({ kind: 'allow' }, 'second') },
    { counts: 'the first', when: 'the second loses less', second: adding(-0.5, 'second') },
    { counts: 'the second', when: 'it loses as much', second: adding(-1, 'second') },
    { counts: 'the second', when: 'it is denied', second: of({ kind: 'deny' }, 'second') },
    {
      counts: 'the second',
      when: 'the first is no longer in the file',
      second: undefined,
      rules: [],
    },
    {
      counts: 'the second',
      when: 'the first gained',
      second: undefined,
      before: adding(1, 'first'),
    },
    {
      counts: 'the second',
      when: 'the first was let in',
      second: undefined,
      before: of({ kind: 'allow' }, 'first'),
    },
  ])(
    '$counts where $when',
    ({ counts, second, before = first, rules = [of({ kind: 'deny' }, 'other'), before] }) => {
      const decision = { score: 0.4, contributions: [], rule: before }
      expect(harsher(site({ rules }), second, decision)).toBe(
        counts === 'the first' ? before : second,
      )
      expect(harsher(site({ rules }), second, { ...decision, rule: undefined })).toBe(second)
    },
  )
})

test('a ticket keeps the seven strongest parts against the visit, evidence of a driver before all others', () => {
  const of = (...ids: number[]) => ids.map((id) => ({ id, value: -1 }))
  const contributions = [
    { id: 1, value: 1.2 },
    ...of(22, 23, 24, 25),
    { id: 1, value: -1 },
    ...of(6, 7, 8),
  ]
  const more = { score: 0.1, rule: undefined, stepped: true } as const
  expect(toSeal({ ...more, contributions })).toEqual({
    ...more,
    contributions: of(6, 7, 8, 22, 23, 24, 25),
  })
})

describe('ticket: the customer’s own flow', () => {
  test('every low score carries one, a driver’s too', async () => {
    const on = await start({ stepUp: 'ticket' })
    for (const signals of [THIN, DRIVER]) {
      expect(await refused(on, signals)).toEqual({
        accepted: false,
        code: 'low-score',
        score: expect.any(Number),
        scoreThreshold: 0.5,
        stepUp: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      })
    }
  })
  test.each(['off', 'managed'] as const)(
    'no low score of a site with `step_up: %s` carries one',
    async (stepUp) => {
      expect(Object.keys(await refused(await start({ stepUp })))).toEqual([
        'accepted',
        'code',
        'score',
        'scoreThreshold',
      ])
    },
  )
  test('no other rejection carries one', async () => {
    const on = await start({ stepUp: 'ticket' })
    const { token } = await solve(on, THIN)
    const verdict = await on.verify({ secret: SECRET, response: token, action: 'log-in' }, caller())
    expect(verdict).toEqual({ accepted: false, code: 'action-mismatch', action: 'sign-up' })
  })
  test('where second tries of the address were used up the verdict has none, and one that is left gets no challenge', async () => {
    const on = await start({ stepUp: 'ticket' }, { tickets: 2 })
    // Tries without work leave room: a stranger behind the address cannot use it up.
    const verdicts = [await refused(on), await refused(on), await refused(on)]
    for (const verdict of verdicts) expect(verdict).toHaveProperty('stepUp')
    const charge = {
      sitekey: SITEKEY,
      until: unixSeconds(NOW + 600),
      cost: 2,
      extraBudgets: ['ticket'] as const,
    }
    for (const jti of ['one', 'two'])
      await on.limiter.visit(on.tokens.hashAddress('203.0.113.7')!, {
        ...charge,
        jti: jti as never,
      })
    expect(await refused(on)).not.toHaveProperty('stepUp')
    const { stepUp: ticket } = verdicts[0] as { stepUp: string }
    const request = { sitekey: SITEKEY, action: 'sign-up', proof: 1, ticket } as const
    expect(await faultOf(() => on.issue(request as never, caller()))).toBe('rate-limit-exceeded')
    on.limiter.check = async () => {
      throw new TypeError('a defect')
    }
    await expect(refused(on)).rejects.toThrow('a defect')
  })
})

describe('a ticket is refused', () => {
  const tickets = async (change: Partial<Site> = {}) => {
    const on = await start({ stepUp: 'ticket', ...change })
    return { on, ticket: ((await refused(on)) as { stepUp: string }).stepUp }
  }
  const issueWith = (
    on: Operations,
    ticket: string,
    change: Partial<ChallengeRequest> = {},
    from = caller(),
  ) =>
    faultOf(() =>
      on.issue({ sitekey: SITEKEY, action: 'sign-up', proof: 1, ticket, ...change }, from),
    )
  const solveWith = async (on: Operations, by: Try, from = caller()) => {
    const { request } = await visit(on, PRESSED, by)
    return faultOf(() => on.solve(request, from))
  }

  test('of another site, hostname, action or address', async () => {
    const on = await operations({
      sites: [
        site({ stepUp: 'ticket' }),
        site(
          { stepUp: 'ticket', sitekey: 'hv_site_other000' as never },
          `hv_secret_${'OtherSite0123456'.repeat(3)}`,
        ),
      ],
    })
    const { stepUp: ticket } = (await refused(on)) as { stepUp: string }
    expect(await issueWith(on, ticket, { sitekey: 'hv_site_other000' })).toBe(
      'invalid-input-ticket',
    )
    expect(await issueWith(on, ticket, { action: 'log-in' })).toBe('invalid-input-ticket')
    const elsewhere = caller({ origin: 'https://a.shop.example.com' })
    expect(await issueWith(on, ticket, {}, elsewhere)).toBe('invalid-input-ticket')
    for (const address of ['203.0.113.8', '198.51.100.7', undefined])
      expect(await issueWith(on, ticket, {}, caller({ address }))).toBe('invalid-input-ticket')
  })
  test('ten minutes after it was made', async () => {
    const { on, ticket } = await tickets()
    on.at.now += 606
    expect(await issueWith(on, ticket)).toBe('ticket-expired')
  })
  test('from an earlier generation: its ledger entry may be lost', async () => {
    const { on, ticket } = await tickets()
    // A clock that is set back begins another generation.
    on.at.now = NOW - 31
    on.ledger.generation('' as never)
    on.at.now = NOW
    expect(await solveWith(on, { ticket })).toBe('ticket-expired')
    expect(on.consumed.at(-1)).toMatchObject({ kind: 'ticket' })
  })
  test('where the site has switched second tries off', async () => {
    const { on, ticket } = await tickets()
    Object.assign(on.sites, siteDirectory([site()]))
    expect(await issueWith(on, ticket)).toBe('invalid-input-ticket')
  })
  test('by a solution without it, with another one, or for an ordinary challenge', async () => {
    const { on, ticket } = await tickets()
    const { stepUp: other } = (await refused(on)) as { stepUp: string }
    const without = { ticket: undefined } as never
    for (const by of [
      { ticket, change: without },
      { ticket, change: { ticket: other } },
      { change: { ticket } },
    ])
      expect(await solveWith(on, by)).toBe('invalid-input-ticket')
  })
  test('not with a right solution after a wrong one, nor by the same body again', async () => {
    const { on, ticket } = await tickets()
    const [{ request: one }, { request }] = [
      await visit(on, PRESSED, { ticket }),
      await visit(on, PRESSED, { ticket }),
    ]
    const wrong = { ...one, solution: request.solution }
    expect(await faultOf(() => on.solve(wrong, caller()))).toBe('invalid-input-solution')
    for (let i = 0; i < 2; i++) expect(await on.solve(request, caller())).toHaveProperty('token')
  })
})

test('a ticket’s ledger entry outlives every ticket of its visit', async () => {
  const on = await start()
  const { ticket } = await solve(on, THIN)
  await solve(on, PRESSED, { ticket })
  const entry = on.consumed.find(({ kind }) => kind === 'ticket')!
  expect(entry.expiresAt).toBe(NOW + 4 + 600)
  // The first visit's challenge lives 600 s, a token of it 120 s more, a ticket of that 600 s more; and a margin.
  expect(entry.keepUntil).toBe(NOW + 600 + 120 + 60 + 600)
})
