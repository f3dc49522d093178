import { describe, expect, test } from '@jest/globals'
import { explanationText } from '../../../../src/cli/explanation-text.ts'
import { recordOf, reproduce } from '../../../../src/domain/score/decision-record.ts'
import { explainRecord } from '../../../../src/domain/score/explanation.ts'
import { NOTHING_KNOWN } from '../../../../src/domain/network.ts'
import { scoreVisit } from '../../../../src/domain/score/score.ts'
import type { VisitFacts } from '../../../../src/domain/score/score-rule.ts'
import { visitRule } from '../../../../src/domain/site-rules/visit-rules.ts'
import { changedWeights, RELEASED } from '../../../../src/domain/score/weights.ts'
import { caller } from '../../protocol/parts.ts'
import { PERSON } from '../../../support/visitor.ts'

/** All that speaks for a person, and nothing against. */
const best: VisitFacts = { signals: { ...PERSON, v: 1 }, request: caller().facts(), units: 128 }
const byFallback: VisitFacts = { ...best, fallback: true }
const CAP = 0.4

test('the best of visits is capped at 0.6 when its work was pb.1', () => {
  expect(scoreVisit(best).score).toBeGreaterThan(0.85)
  const { score, sum } = scoreVisit(byFallback)
  expect([score, sum.logOdds, sum.cappedTo]).toEqual([0.6, CAP, CAP])
})

test.each([
  ['tabs through a form', { trusted: 4, keys: 4, keyHold: 80 }],
  ['types', { trusted: 40, keys: 38, keyHold: 95 }],
  ['uses autofill and a click', { trusted: 4, presses: 1, autofills: 3 }],
  ['pastes', { trusted: 8, keys: 2, pastes: 2, keyHold: 70 }],
])('a person who %s passes at the default threshold', (_who, input) => {
  const { score } = scoreVisit({ ...byFallback, signals: { ...PERSON, v: 1, input } })
  expect(score).toBeGreaterThanOrEqual(0.5)
})

test('a visit below the cap loses a tenth, which is what keeps the rule in its token', () => {
  const weak = { ...best, signals: {} }
  const [without, within] = [scoreVisit(weak), scoreVisit({ ...weak, fallback: true })]
  expect(within.sum.logOdds).toBeCloseTo(without.sum.logOdds - 0.1, 5)
  expect(within.sum.cappedTo).toBeUndefined()
  expect(within.contributions).toContainEqual({ id: 53, value: -0.1 })
})

describe('what the site says comes on top', () => {
  const rule = (effect: Parameters<typeof visitRule>[0]['effect']) =>
    visitRule({ name: 'mine', when: { action: ['a'] }, effect, until: undefined })

  test.each([
    ['adds', rule({ kind: 'adjust', score: 1, work: undefined }), 0.8],
    ['allows', rule({ kind: 'allow' }), 1],
    ['denies', rule({ kind: 'deny' }), 0],
  ])('a rule that %s', (_what, met, score) => {
    expect(scoreVisit(byFallback, RELEASED, met).score).toBe(score)
  })
  test('a rule of the score that is switched off caps nothing', () => {
    const weights = changedWeights({ off: ['work-by-fallback'] })
    expect(scoreVisit(byFallback, weights).score).toBe(scoreVisit(best).score)
  })
})

describe('it is computed again', () => {
  const circumstances = { weights: RELEASED, threshold: 0.5, units: 128, network: NOTHING_KNOWN, rule: undefined }
  const record = recordOf(scoreVisit(byFallback), circumstances)

  test('from the log', () => {
    expect(reproduce(record)).toMatchObject({ score: 0.6, logOdds: CAP, cappedTo: CAP })
    const explained = explainRecord(record, RELEASED)
    expect(explained).toMatchObject({ cappedTo: CAP, again: 0.6, reasons: ['work'], doubts: [] })
    expect(explanationText(explained, { styled: (_style, text) => text })).toMatch(
      /^ {2}capped to +\+0\.40\n {2}log-odds +\+0\.40$/m,
    )
  })
  test('from the log of weights that switch it off: what weighs nothing has no cap, and wants none', () => {
    const weights = changedWeights({ off: ['work-by-fallback'] })
    const off = recordOf(scoreVisit(byFallback, weights), { ...circumstances, weights })
    const fallback = off.contributions.find(({ name }) => name === 'work-by-fallback')
    expect(fallback).toEqual({ name: 'work-by-fallback', family: 'work', reason: 'work', strength: 1, value: 0 })
    expect(Object.keys(fallback!)).not.toContain('cap')
    expect(explainRecord(off, weights)).toMatchObject({ cappedTo: undefined, again: off.score, doubts: [] })
  })
  test('and a line whose cap was edited is told', () => {
    const contributions = record.contributions.map(({ cap: _cap, ...each }) => each)
    expect(explainRecord({ ...record, contributions }, RELEASED).doubts).toEqual([
      expect.stringMatching(/^the parts give 0\.\d+, the decision says 0\.6$/),
      'work-by-fallback caps at 0.4; the record says nothing',
    ])
  })
})
