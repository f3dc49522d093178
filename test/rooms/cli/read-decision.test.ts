/** The line of the log that keeps a decision: what is written, and what is read again. */
import { describe, expect, test } from '@jest/globals'
import { readDecision, reproduce } from '../../../src/cli/explanation.ts'
import type { DecisionRecord } from '../../../src/score/decision-record.ts'

const contribution = {
  name: 'trusted-input',
  family: 'input',
  reason: 'behaviour',
  strength: 1,
  value: 1.2,
} as const
const genuine = {
  model: 4,
  weights: 'abcdef01',
  base: -1,
  score: 0.55,
  threshold: 0.5,
  units: 256,
  contributions: [contribution],
  clipped: { input: 1.2 },
  rule: { name: 'r', id: '01234567', kind: 'adjust', score: 0.5, work: 3 },
  network: { asn: 64_496, country: 'DE', lists: ['tor'] },
  reasons: ['network'],
  step_up: { first: 0.4, carried: ['webdriver-true'] },
} as const satisfies DecisionRecord

describe('a recorded score is computed again', () => {
  test('by family, within the bounds, with the rule’s adjustment', () => {
    const work = { ...contribution, name: 'work-too-fast', family: 'work', value: -0.4 } as const
    expect(
      reproduce({
        ...genuine,
        contributions: [contribution, work, contribution],
        clipped: { input: 2.2 },
      }),
    ).toEqual({
      families: [
        { family: 'work', sum: -0.4, net: -0.4 },
        { family: 'input', sum: 2.4, net: 2.2 },
      ],
      logOdds: 1.3,
      score: 0.79,
    })
  })
  test.each<readonly [caps: readonly number[], cappedTo: number | undefined, logOdds: number]>([
    [[0.4, 0.1], 0.1, 0.6],
    [[0.2], undefined, 0.7],
    [[3], undefined, 0.7],
  ])('capped at the lowest of %j, before the rule’s adjustment', (caps, cappedTo, logOdds) => {
    const light = { ...contribution, value: 0 }
    const contributions = [contribution, ...caps.map((cap) => ({ ...light, cap }))]
    expect(reproduce({ ...genuine, contributions })).toMatchObject({ cappedTo, logOdds })
  })
})

describe('a record is read', () => {
  const without = (...names: (keyof DecisionRecord)[]): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(genuine).filter(([name]) => !(names as string[]).includes(name)),
    )
  test.each<[string, unknown]>([
    ['whole', genuine],
    ['without what may be left out', without('weights', 'clipped', 'rule', 'network', 'step_up')],
    ['with an empty network', { ...genuine, network: {} }],
    ['with no contributions and no reasons', { ...genuine, contributions: [], reasons: [] }],
    ['with a cap', { ...genuine, contributions: [{ ...contribution, cap: 0.4 }] }],
    ['with a rule that allows', { ...genuine, rule: { name: 'r', id: 'i', kind: 'allow' } }],
    ['with a rule that denies', { ...genuine, rule: { name: 'r', id: 'i', kind: 'deny' } }],
    [
      'with a rule that leaves the work',
      { ...genuine, rule: { name: 'r', id: 'i', kind: 'adjust', score: 1 } },
    ],
  ])('%s', (_how, value) => expect(readDecision(value)).toBe(value))

  test.each(['model', 'base', 'score', 'threshold', 'units', 'contributions', 'reasons'] as const)(
    'not without %s, nor with a string in its place',
    (name) => {
      expect(readDecision(without(name))).toBeUndefined()
      expect(readDecision({ ...genuine, [name]: '1' })).toBeUndefined()
    },
  )
  test.each<object>([
    { weights: 7 },
    { contributions: { length: 0 } },
    { contributions: [contribution, null] },
    ...['name', 'family', 'reason', 'strength', 'value', 'cap'].map((member) => ({
      contributions: [{ ...contribution, [member]: {} }],
    })),
    { contributions: [{ ...contribution, value: NaN }] },
    { rule: 'deny' },
    ...['name', 'id', 'kind', 'score', 'work'].map((member) => ({
      rule: { ...genuine.rule, [member]: {} },
    })),
    { network: [] },
    ...['asn', 'country', 'lists'].map((member) => ({ network: { [member]: {} } })),
    { network: { lists: ['tor', 7] } },
    { step_up: [] },
    ...['first', 'carried'].map((member) => ({ step_up: { ...genuine.step_up, [member]: {} } })),
    { step_up: { first: 0.4, carried: ['webdriver-true', 7] } },
    { clipped: null },
    { clipped: { input: 1, work: NaN } },
  ])('not with %j', (change) => expect(readDecision({ ...genuine, ...change })).toBeUndefined())
  test.each([undefined, null, 'x', 7, [], [genuine], {}])('not of %j', (value) =>
    expect(readDecision(value)).toBeUndefined(),
  )
})
