import { describe, expect, test } from '@jest/globals'
import { readDecision, reproduce } from '../../../src/cli/explanation.ts'
import { recordOf } from '../../../src/score/decision-record.ts'
import { type NetworkFacts, NOTHING_KNOWN } from '../../../src/domain/network.ts'
import { RULES } from '../../../src/score/rules.ts'
import { scoreVisit } from '../../../src/score/score.ts'
import { type RuleEffect, visitRule } from '../../../src/domain/site-rules/visit-rules.ts'
import type { VisitFacts } from '../../../src/score/visit-facts.ts'
import {
  applyWeightChanges,
  RELEASED,
  type WeightChanges,
} from '../../../src/score/weight-changes.ts'
import { CHROMIUM_REQUEST } from '../../support/seen-request.ts'
import { PERSON } from '../../support/visitor.ts'

const driven: VisitFacts = {
  signals: { ...PERSON, v: 1, automation: { ...PERSON.automation, webdriver: 1 } },
  request: CHROMIUM_REQUEST,
  units: 256,
}
const person: VisitFacts = { signals: { ...PERSON, v: 1 }, request: CHROMIUM_REQUEST, units: 256 }
const idOf = (name: string): number => RULES.find((rule) => rule.name === name)!.id
const rule = (effect: RuleEffect) =>
  visitRule({ name: 'r', when: { action: ['a'] }, effect, until: undefined })

describe('changed weights', () => {
  test('equal to the released ones have no hash, however they are written', () => {
    const same = {
      weights: { 'webdriver-true': RELEASED.byRule.get(idOf('webdriver-true'))! },
      base: RELEASED.base,
    }
    for (const change of [{}, { off: [] }, same])
      expect(applyWeightChanges(change)).toEqual(RELEASED)
  })

  test('have the same hash if and only if they are equal, in any order', () => {
    const a: WeightChanges = { base: -0.5, weights: { 'webdriver-true': -5, 'headless-agent': 0 } }
    const { hash } = applyWeightChanges(a)
    expect(hash).toMatch(/^[0-9a-f]{8}$/)
    expect(
      applyWeightChanges(
        { base: -0.5 },
        { off: ['headless-agent'], weights: { 'webdriver-true': -5 } },
      ).hash,
    ).toBe(hash)
    const [least, most] = RELEASED.bounds.input
    const different: readonly WeightChanges[] = [
      {},
      a,
      { ...a, base: -1 },
      { base: -0.5 },
      { weights: { 'webdriver-true': -5 } },
      { weights: { 'webdriver-true': -4.5 } },
      { bounds: { input: [least - 1, most] } },
      { bounds: { input: [least, most + 1] } },
    ]
    expect(new Set(different.map((change) => applyWeightChanges(change).hash)).size).toBe(
      different.length,
    )
  })

  test("a site's come on top of those for all, back to the released ones too", () => {
    const all: WeightChanges = { weights: { 'webdriver-true': -1 }, off: ['headless-agent'] }
    const { byRule } = applyWeightChanges(all, { weights: { 'headless-agent': -2 } })
    expect([byRule.get(idOf('webdriver-true')), byRule.get(idOf('headless-agent'))]).toEqual([
      -1, -2,
    ])
    const back = Object.fromEntries(
      ['webdriver-true', 'headless-agent'].map((name) => [name, RELEASED.byRule.get(idOf(name))!]),
    )
    expect(applyWeightChanges(all, { weights: back }).hash).toBe('')
  })

  test('move the score; a disabled rule still shows that it fired', () => {
    const off = applyWeightChanges({ off: ['webdriver-true'] })
    const [before, after] = [scoreVisit(driven), scoreVisit(driven, off)]
    expect(after.score).toBeGreaterThan(before.score)
    expect(after.weights).toBe(off.hash)
    expect(after.contributions.map(({ id }) => id)).not.toContain(idOf('webdriver-true'))
    expect(after.fired).toContainEqual({
      id: idOf('webdriver-true'),
      strength: 1,
      value: expect.closeTo(0),
    })
  })

  test('bounds limit a family', () => {
    const least = scoreVisit(driven, applyWeightChanges({ bounds: { automation: [-0.5, 0] } }))
    expect(least.sum.families).toContainEqual({
      family: 'automation',
      sum: expect.any(Number),
      net: -0.5,
    })
  })
})

describe("a rule of the site's", () => {
  test.each<[RuleEffect, (before: number) => number]>([
    [{ kind: 'allow' }, () => 1],
    [{ kind: 'deny' }, () => 0],
    [{ kind: 'adjust', score: 0, work: 5 }, (before) => before],
  ])('%j', (effect, score) => {
    for (const facts of [person, driven]) {
      expect(scoreVisit(facts, RELEASED, rule(effect)).score).toBe(score(scoreVisit(facts).score))
    }
  })

  test('adds to the log-odds, beside the bounds of the families', () => {
    const adjusted = rule({ kind: 'adjust', score: 2.5, work: 1 })
    const [before, after] = [scoreVisit(driven), scoreVisit(driven, RELEASED, adjusted)]
    expect(after.sum.logOdds).toBeCloseTo(before.sum.logOdds + 2.5, 5)
  })

  test('is recorded only if it affected the score', () => {
    expect(
      scoreVisit(person, RELEASED, rule({ kind: 'adjust', score: 0, work: 5 })).rule,
    ).toBeUndefined()
    expect(scoreVisit(person, RELEASED, rule({ kind: 'deny' })).rule).toMatchObject({
      effect: { kind: 'deny' },
    })
  })
})

describe('the record of a decision', () => {
  const circumstances = { threshold: 0.5, units: 256, network: NOTHING_KNOWN }
  const weights = applyWeightChanges({
    base: -0.37,
    weights: { 'webdriver-true': -3.33 },
    bounds: { input: [-1, 0.77] },
  })
  const record = (facts: VisitFacts, effect?: RuleEffect) => {
    const met = effect && rule(effect)
    return recordOf(scoreVisit(facts, weights, met), { ...circumstances, weights, rule: met })
  }

  test.each<[string, VisitFacts, RuleEffect | undefined]>([
    ['a person', person, undefined],
    ['a driver', driven, undefined],
    ['an adjusted one', driven, { kind: 'adjust', score: 1.23, work: 2 }],
    ['an allowed one', driven, { kind: 'allow' }],
    ['a denied one', person, { kind: 'deny' }],
  ])('of %s survives JSON, and gives the same score', (_, facts, effect) => {
    const written = record(facts, effect)
    const read = readDecision(JSON.parse(JSON.stringify(written)))!
    expect(read).toEqual(written)
    expect(reproduce(read).score).toBe(written.score)
  })

  test('has the clipped families and the hash of the weights', () => {
    expect(record(person)).toMatchObject({ weights: weights.hash, base: -0.37 })
    expect(record(person).clipped).toEqual({ input: 0.77 })
  })

  test('has the cap of a rule only while that rule counts', () => {
    const capping = (under: typeof RELEASED) =>
      recordOf(scoreVisit({ ...person, fallback: true }, under), {
        ...circumstances,
        weights: under,
        rule: undefined,
      }).contributions.find(({ name }) => name === 'work-by-fallback')
    expect(capping(RELEASED)).toMatchObject({ value: -0.1, cap: 0.4 })
    expect(capping(applyWeightChanges({ off: ['work-by-fallback'] }))).not.toHaveProperty('cap')
  })

  test('has the facts of the network, and what the second visit of a step-up inherits', () => {
    const first = scoreVisit(driven)
    const network = {
      asn: 64_496,
      country: 'DE',
      lists: [{ name: 'tor' }],
    } as unknown as NetworkFacts
    const second = scoreVisit(person, RELEASED, undefined, first)
    const written = recordOf(second, {
      ...circumstances,
      network,
      weights: RELEASED,
      rule: undefined,
      first,
    })
    expect(written).toMatchObject({
      network: { asn: 64_496, country: 'DE', lists: ['tor'] },
      step_up: { first: first.score, carried: ['webdriver-true'] },
    })
    expect(written.contributions[0]).toMatchObject({
      name: 'webdriver-true',
      strength: 1,
      value: -4,
    })
    expect(written).not.toHaveProperty('weights')
  })
})
