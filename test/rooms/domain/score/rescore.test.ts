/** A visit of the log, decided again by another policy. */
import { describe, expect, test } from '@jest/globals'
import type { DecisionRecord } from '../../../../src/domain/score/decision-record.ts'
import { decided, type Policy, rescore } from '../../../../src/domain/score/rescore.ts'
import type { DescribedVisit, VisitConditions } from '../../../../src/domain/site-rules/visit-conditions.ts'
import { type RuleEffect, type VisitRule, visitRule } from '../../../../src/domain/site-rules/visit-rules.ts'
import { changedWeights, RELEASED } from '../../../../src/domain/score/weights.ts'
import { unixSeconds } from '../../../../src/domain/words.ts'

const AT = unixSeconds(1_800_000_000)
const visit: DescribedVisit = {
  place: undefined,
  network: undefined,
  userAgent: undefined,
  agent: undefined,
  action: 'sign-up',
  at: AT,
}
/** −1 + 1.2 + 0.4: 0.65 */
const record = (change: Partial<DecisionRecord> = {}): DecisionRecord => ({
  model: 4,
  base: -1,
  score: 0.65,
  threshold: 0.5,
  units: 256,
  contributions: [
    { name: 'trusted-input', family: 'input', reason: 'behaviour', strength: 1, value: 1.2 },
    { name: 'much-trusted-input', family: 'input', reason: 'behaviour', strength: 1, value: 0.4 },
  ],
  reasons: [],
  ...change,
})
const policy = (change: Partial<Policy> = {}): Policy => ({
  weights: RELEASED,
  scoreThreshold: 0.5,
  rules: [],
  stepUp: 'off',
  ...change,
})
const rule = (name: string, when: VisitConditions, effect: RuleEffect = { kind: 'deny' }, until?: number): VisitRule =>
  visitRule({ name, when, effect, until: until === undefined ? undefined : unixSeconds(until) })
/** The log does not know the agent, so nobody can tell. */
const byAgent = (agent: string, until?: number): VisitRule =>
  rule(agent, { userAgent: [agent] }, { kind: 'deny' }, until)
const met = ({ name, id, effect }: VisitRule): NonNullable<DecisionRecord['rule']> => ({ name, id, ...effect })

describe('as it was decided', () => {
  test.each<[Partial<DecisionRecord>, boolean]>([
    [{ score: 0.5 }, true],
    [{ score: 0.49 }, false],
    [{ score: 1, rule: { name: 'r', id: 'i', kind: 'allow' } }, true],
    [{ score: 0, threshold: 0, rule: { name: 'r', id: 'i', kind: 'deny' } }, false],
  ])('%j passes: %s', (change, passes) => {
    const { score } = record(change)
    expect(decided(record(change))).toEqual({ score, passes })
  })
})

describe('by another policy', () => {
  test('the strengths that were recorded count by its weights', () => {
    expect(rescore(record(), policy(), visit)).toEqual({
      score: 0.65,
      passes: true,
      stepsUp: false,
      rule: undefined,
      undecided: undefined,
    })
    const weights = changedWeights({ weights: { 'trusted-input': 0.2, 'much-trusted-input': 0.8 } })
    // −1 + 0.2 + 0.8
    expect(rescore(record(), policy({ weights }), visit)).toMatchObject({ score: 0.5, passes: true })
    const half = record({ contributions: [{ ...record().contributions[0]!, strength: 0.5 }] })
    expect(rescore(half, policy(), visit)).toMatchObject({ score: 0.4, passes: false })
  })
  test.each([
    ['off', 0, 'off', false],
    ['managed, and a step could lift the visit', -0.6, 'managed', true],
    ['managed, and no step could', -3, 'managed', false],
    ['ticket: every low score', -3, 'ticket', true],
  ] as const)('a refused visitor gets a second try with %s', (_what, value, stepUp, stepsUp) => {
    const against = {
      name: 'webdriver-true',
      family: 'automation',
      reason: 'automation',
      strength: -value / 4,
      value,
    } as const
    const visited = record({ contributions: value === 0 ? [] : [against] })
    expect(rescore(visited, policy({ stepUp }), visit)).toMatchObject({ passes: false, stepsUp })
    expect(rescore({ ...visited, step_up: { first: 0.3, carried: [] } }, policy({ stepUp }), visit).stepsUp).toBe(false)
  })
  test('a rule of the score that this release no longer knows keeps its value, in its family and its bounds', () => {
    const gone = { name: 'long-gone', family: 'automation', reason: 'automation', strength: 0.5, value: -1.6 } as const
    const contributions = [...record().contributions, gone]
    expect(rescore(record({ contributions }), policy(), visit).score).toBe(0.27)
    const weights = changedWeights({ bounds: { automation: [-0.6, 0] } })
    expect(rescore(record({ contributions }), policy({ weights }), visit).score).toBe(0.5)
  })
  test('and its cap', () => {
    const gone = { name: 'long-gone', family: 'work', reason: 'work', strength: 1, value: -0.1, cap: -0.5 } as const
    const contributions = [...record().contributions, gone]
    expect(rescore(record({ contributions }), policy(), visit).score).toBe(0.38)
  })
  test('its threshold decides, at the score itself too', () => {
    expect(rescore(record(), policy({ scoreThreshold: 0.65 }), visit).passes).toBe(true)
    expect(rescore(record(), policy({ scoreThreshold: 0.66 }), visit).passes).toBe(false)
  })
  test.each<[RuleEffect, number, boolean]>([
    [{ kind: 'allow' }, 1, true],
    [{ kind: 'deny' }, 0, false],
    [{ kind: 'adjust', score: -0.6, work: undefined }, 0.5, true],
    [{ kind: 'adjust', score: -0.7, work: undefined }, 0.48, false],
  ])('its rule %j counts', (effect, score, passes) => {
    const here = rule('here', { action: ['sign-up'] }, effect)
    const there = rule('there', { action: ['log-in'] })
    const found = rescore(record(), policy({ rules: [there, here] }), visit)
    expect(found).toEqual({ score, passes, stepsUp: false, rule: here, undecided: undefined })
  })
  test('whom a rule denies passes at no threshold', () => {
    const rules = [rule('here', { action: ['sign-up'] })]
    expect(rescore(record(), policy({ rules, scoreThreshold: 0 }), visit).passes).toBe(false)
  })
})

describe('a rule that asks what the log does not know', () => {
  const [curl, wget] = [byAgent('curl'), byAgent('wget')]
  const here = rule('here', { action: ['sign-up'] }, { kind: 'allow' })

  test('is not met, and named: the first of them', () => {
    expect(rescore(record(), policy({ rules: [curl, wget] }), visit)).toMatchObject({
      rule: undefined,
      undecided: curl,
    })
    expect(rescore(record(), policy({ rules: [curl, wget, here] }), visit)).toMatchObject({
      rule: here,
      undecided: curl,
      score: 1,
    })
    expect(rescore(record(), policy({ rules: [here, curl] }), visit).undecided).toBeUndefined()
  })
  test('is met where it was met then', () => {
    const found = rescore(record({ rule: met(wget) }), policy({ rules: [curl, wget] }), visit)
    expect(found).toMatchObject({ rule: wget, undecided: curl, score: 0, passes: false })
  })

  const undecidedOf = (of: DecisionRecord, rules: readonly VisitRule[], before: readonly VisitRule[]) =>
    rescore(of, policy({ rules }), visit, before).undecided
  test('is not met where it was asked then, and no rule was', () => {
    expect(undecidedOf(record(), [curl, wget], [curl, wget])).toBeUndefined()
    expect(undecidedOf(record(), [curl, wget], [curl])).toBe(wget)
  })
  test('is not met where it stood above the one that was, and only there', () => {
    const second = record({ rule: met(here) })
    expect(undecidedOf(second, [curl], [curl, here])).toBeUndefined()
    expect(undecidedOf(second, [curl], [here, curl])).toBe(curl)
    // Which stood above is not known when the one that was met is gone.
    expect(undecidedOf(record({ rule: met(wget) }), [curl], [curl, here])).toBe(curl)
  })
  test('was not asked once it had ended', () => {
    expect(undecidedOf(record(), [curl], [byAgent('curl', AT)])).toBe(curl)
    expect(undecidedOf(record(), [curl], [byAgent('curl', AT + 1)])).toBeUndefined()
  })
})
