/** A score taken apart: what adds up, and every way in which it may not be relied on. test/rooms/cli/explain.test.ts shows it. */
import { describe, expect, test } from '@jest/globals'
import type { DecisionRecord, RecordedContribution } from '../../../src/score/decision-record.ts'
import { explainRecord } from '../../../src/cli/explanation.ts'
import { MODEL } from '../../../src/score/rules.ts'
import { applyWeightChanges, RELEASED } from '../../../src/score/weight-changes.ts'

const input = { family: 'input', reason: 'behaviour' } as const
const driver = {
  name: 'webdriver-true',
  family: 'automation',
  reason: 'automation',
  strength: 1,
  value: -4,
} as const
const hand = { name: 'trusted-input', ...input, strength: 0.75, value: 1.2 } as const
const more = { name: 'coalesced-moves', ...input, strength: 0.4, value: 0.2 } as const
const pressed = { family: 'input', reason: 'automation', strength: 1 } as const
const centred = { name: 'presses-in-the-middle', ...pressed, value: -1.2 } as const
const held = { name: 'presses-barely-held', ...pressed, value: -0.9 } as const
const fallback = {
  name: 'work-by-fallback',
  family: 'work',
  reason: 'work',
  strength: 1,
  value: -0.1,
} as const
/** −1 − 4 + 1.4 */
const record = (change: Partial<DecisionRecord> = {}): DecisionRecord => ({
  model: MODEL.version,
  base: -1,
  score: 0.03,
  threshold: 0.5,
  units: 256,
  contributions: [driver, hand, more],
  reasons: ['automation'],
  ...change,
})
const inside = ({ name, reason, strength, value }: RecordedContribution) => ({
  name,
  reason,
  strength,
  value,
})

describe('a recorded decision', () => {
  test('is explained by family', () => {
    expect(explainRecord(record(), RELEASED)).toEqual({
      model: MODEL.version,
      weights: '',
      base: -1,
      families: [
        { family: 'automation', sum: -4, kept: -4, contributions: [inside(driver)] },
        { family: 'input', sum: 1.4, kept: 1.4, contributions: [inside(hand), inside(more)] },
      ],
      rule: undefined,
      logOdds: -3.6,
      score: 0.03,
      again: 0.03,
      threshold: 0.5,
      reasons: ['automation'],
      doubts: [],
    })
  })
  test('whose score differs from the sum of its parts is reported, with or without weights', () => {
    for (const weights of [RELEASED, undefined]) {
      expect(explainRecord(record({ score: 0.5 }), weights).doubts).toEqual([
        'the parts give 0.03, the decision says 0.5',
      ])
    }
  })

  test('has the dearest rule of a group only', () => {
    const contributions = [driver, hand, more, centred, { ...held, value: 0 }]
    expect(explainRecord(record({ contributions, score: 0.01 }), RELEASED).doubts).toEqual([])
  })

  test('needs no cap of a rule that is switched off', () => {
    const off = applyWeightChanges({ off: [fallback.name] })
    const contributions = [driver, hand, more, { ...fallback, value: 0 }]
    expect(explainRecord(record({ contributions, weights: off.hash }), off).doubts).toEqual([])
  })
  const doubtsOf = (change: Partial<DecisionRecord>) =>
    explainRecord(record(change), RELEASED).doubts
  test('may clip a step where the visit needs no more', () => {
    expect(doubtsOf({ clipped: { step: 0.3 } })).toEqual([])
  })
  const parts = (score: number, ...contributions: readonly RecordedContribution[]) => ({
    score,
    contributions,
  })
  const [weak, unknown] = [
    { ...more, strength: 0.3 },
    { ...driver, name: 'from-another-world' },
  ] as const
  test.each<readonly [says: string, change: Partial<DecisionRecord>]>([
    ['the base of these weights is -1; the record says -0.5', { base: -0.5, score: 0.04 }],
    [
      'webdriver-true at strength 1 gives -4; the record says -3',
      parts(0.07, { ...driver, value: -3 }, hand, more),
    ],
    [
      'coalesced-moves at strength 0.3 gives 0.15; the record says 0.2',
      parts(0.03, driver, hand, weak),
    ],
    [
      'from-another-world at strength 1 gives nothing; the record says -4',
      parts(0.03, unknown, hand, more),
    ],
    [
      'presses-barely-held at strength 1 gives -0.9; the record says 0',
      parts(0.03, driver, hand, more, { ...held, value: 0 }),
    ],
    [
      'trusted-input caps at nothing; the record says 3',
      parts(0.03, driver, { ...hand, cap: 3 }, more),
    ],
    [
      'work-by-fallback caps at 0.4; the record says nothing',
      parts(0.02, driver, hand, more, fallback),
    ],
    ['1.3 is no bound of input in these weights', { clipped: { input: 1.3 }, score: 0.02 }],
    ['1 is no bound of other in these weights', { clipped: { other: 1 } as never }],
  ])('is checked against its weights: %s', (says, change) => {
    expect(doubtsOf(change)).toEqual([says])
    // Other weights, or another model, are unknown here.
    expect(doubtsOf({ ...change, weights: 'abcdef01' })).toEqual([])
    expect(doubtsOf({ ...change, model: 999 })).toEqual([])
    expect(explainRecord(record(change), undefined).doubts).toEqual([])
  })
})
