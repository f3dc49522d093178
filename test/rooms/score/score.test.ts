import { describe, expect, test } from '@jest/globals'
import { MODEL, RULES } from '../../../src/score/rules.ts'
import { carriedFrom, combine, isDriven, reasonsOf, scoreVisit } from '../../../src/score/score.ts'
import type { RequestFacts, Signals } from '../../../src/score/signals.ts'
import type { VisitFacts } from '../../../src/score/visit-facts.ts'
import { applyWeightChanges, RELEASED } from '../../../src/score/weight-changes.ts'
import { CHROMIUM_REQUEST } from '../../support/seen-request.ts'

const browser = CHROMIUM_REQUEST
const plainHttp: RequestFacts = {
  ...browser,
  fetchSite: undefined,
  fetchMode: undefined,
  fetchDest: undefined,
}
const lan: RequestFacts = { ...plainHttp, origin: 'http://shop.lan' }
const curl: RequestFacts = { ...plainHttp, userAgent: 'curl/7.88.1' }
const page = { visible: 1, focused: 1 }
const automation = { webdriver: 0, headless: 0, artefacts: 0, console: 0 }
const calm = { automation, page }

type Visitor = [who: string, signals: Signals, request?: RequestFacts]

const visit = (signals: Signals, request: RequestFacts = browser): VisitFacts => ({
  signals,
  request,
  units: 18_432,
})
const scoreOf = (...[, signals, request]: Visitor): number =>
  scoreVisit(visit(signals, request)).score
/** A visit whose automation is this beside what is calm, and whose hands are these. */
const hands = (
  input: NonNullable<Signals['input']>,
  more: Signals['automation'] = {},
): Signals => ({
  automation: { ...automation, ...more },
  page,
  input,
})

test.each<Visitor>([
  ['with a mouse and keys', hands({ trusted: 70, moves: 45, coalesced: 33, presses: 3, keys: 20 })],
  ['with the keyboard only', hands({ trusted: 40, keys: 38 })],
  ['who merely tab through a form', hands({ trusted: 4, keys: 4 })],
  ['with autofill and one click', hands({ trusted: 4, presses: 1 })],
  [
    'whose password manager fills in, with a mouse',
    hands({ trusted: 90, moves: 80, coalesced: 60, scripted: 2 }),
  ],
  ['whose password manager fills in, with some keys', hands({ trusted: 8, keys: 4, scripted: 2 })],
  [
    'who choose a date from a picker and tap once',
    hands({ trusted: 5, presses: 1, touches: 1, scripted: 1 }),
  ],
  [
    'whose password manager types',
    hands({ trusted: 64, keys: 60, overlaps: 0, keyGap: 25, keyGapLong: 30 }),
  ],
  ['who paste', hands({ trusted: 8, keys: 2 })],
  ['by touch', hands({ trusted: 12, presses: 6, touches: 6 })],
  ['with a screen reader', hands({ trusted: 10, untrusted: 2, presses: 2 })],
  ['with strict privacy settings', { input: { trusted: 20 }, page: { visible: 1 } }],
  ['with developer tools open', hands({ trusted: 50, coalesced: 20, moves: 30 }, { console: 1 })],
  [
    'in a tab that was opened behind',
    { ...calm, page: { ...page, visible: 0, focused: 0 }, input: { trusted: 20 } },
  ],
  ['on plain http, where engines send no fetch metadata', hands({ trusted: 20 }), plainHttp],
  ['with one tap on plain http', hands({ trusted: 3, presses: 1, touches: 1 }), lan],
  ['with one key on plain http', hands({ trusted: 2, keys: 1 }), lan],
  [
    'whose extension makes clocks coarse',
    hands({
      trusted: 90,
      moves: 60,
      coalesced: 40,
      sameFrame: 20,
      moveGap: 0,
      presses: 4,
      pressHold: 0,
    }),
  ],
  [
    'with a switch, whose tool presses in the middle',
    hands({ trusted: 80, keys: 35, keyGap: 600, keyGapLong: 600, presses: 5, centred: 5 }),
  ],
])('people pass %s', (...visitor: Visitor) =>
  expect(scoreOf(...visitor)).toBeGreaterThanOrEqual(0.5),
)

const busy = { trusted: 60, moves: 40, coalesced: 30, presses: 3, keys: 20 }
test.each<Visitor>([
  ['a plain HTTP client', {}, curl],
  ["a plain HTTP client that replays a person's summary", hands(busy), curl],
  ['a browser that shows nothing', {}],
  ['a DOM simulator', hands({ untrusted: 30 })],
  ['values by script and one click', hands({ trusted: 5, presses: 1, untrusted: 3, scripted: 3 })],
  ['a default driver', hands(busy, { webdriver: 1 })],
  ['headless with its own agent', hands({ trusted: 20 }, { headless: 1 })],
  [
    'input from a debugger',
    hands({ trusted: 60, moves: 45, coalesced: 0, presses: 3, flatPresses: 3 }),
  ],
  ['scripted typing with driver artefacts', hands({ trusted: 50, keys: 40 }, { artefacts: 1 })],
])('bots do not pass: %s', (...visitor: Visitor) => expect(scoreOf(...visitor)).toBeLessThan(0.5))

test('a visit without any signal has the base score', () => {
  const nothing = { ...curl, userAgent: 'Unheard/1.0' }
  expect(scoreVisit(visit({}, nothing))).toMatchObject({
    model: MODEL.version,
    score: 0.27,
    contributions: [],
  })
})

test('the score can be computed again from its contributions, in any order', () => {
  const { score, contributions } = scoreVisit(
    visit({ ...calm, input: { trusted: 7, coalesced: 2, moves: 9 } }),
  )
  expect(contributions.length).toBeGreaterThan(2)
  expect(combine(contributions).score).toBe(score)
  expect(combine(contributions.toReversed()).score).toBe(score)
})

const of = (values: Readonly<Record<string, number>>) =>
  Object.entries(values).map(([name, value]) => ({
    id: RULES.find((rule) => rule.name === name)!.id,
    value,
  }))

test('the largest contribution comes first; of two that are equal, the one against the visitor', () => {
  const { contributions } = scoreVisit(visit(hands({ trusted: 20 }, { console: 1 })))
  const largest = of({ 'trusted-input': 1.6, 'console-listener': -1.2, 'fetch-metadata': 0.6 })
  expect(contributions.slice(0, 3)).toEqual(largest)
})

describe('a second visit', () => {
  test('keeps only the first visit’s evidence of a driver', () => {
    const driver = of({ 'webdriver-true': -4, 'balanced-reaches': -0.1 })
    const others = of({
      'console-listener': 0,
      'headless-agent': 1,
      'trusted-input': 1.2,
      'work-in-part': -1.2,
    })
    expect(carriedFrom({ contributions: [...driver, ...others, { id: 255, value: -1 }] })).toEqual(
      driver,
    )
  })
  test.each([
    { wrong: 1, weights: RELEASED, then: { value: -2.25, strength: 0.5 } },
    { wrong: 2, weights: RELEASED, then: { value: -4.5, strength: 1 } },
    {
      wrong: 0,
      weights: applyWeightChanges({ off: ['proof-wrong'] }),
      then: { value: -2.25, strength: 1 },
    },
  ])('has the worse of both visits: $then', ({ wrong, weights, then }) => {
    const facts = { ...visit(calm), proof: { is: 'answered', wrong } } as const
    const [first] = of({ 'proof-wrong': -2.25 })
    const { fired } = scoreVisit(facts, weights, undefined, { contributions: [first!] })
    expect(fired).toContainEqual({ ...first, ...then })
  })
  test.each<
    [driven: boolean, when: string, values: Readonly<Record<string, number>>, least?: number]
  >([
    [true, 'two families show enough together', { 'webdriver-true': -1.2, 'flat-presses': -0.3 }],
    [true, 'one family shows enough', { 'webdriver-true': -1.2, 'proof-wrong': -0.3 }],
    [false, 'they show a little less', { 'webdriver-true': -1.2, 'flat-presses': -0.29 }],
    [false, 'a tool of a person shows it, too', { 'scattered-times': -2.6 }],
    [false, 'two rules of one tool show it', { 'text-at-once': -1.8, 'values-by-script': -1.4 }],
    [
      false,
      'two tools of a person show it',
      { 'values-by-script': -1.4, 'presses-in-the-middle': -1.2 },
    ],
    [
      false,
      'chance adds a little to one tool',
      { 'scattered-times': -2.6, 'typing-without-pauses': -0.79 },
    ],
    [true, 'two groups show more', { 'text-at-once': -1.8, 'presses-barely-held': -0.9 }],
    [true, 'two groups of two families do', { 'text-at-once': -1.8, 'console-listener': -1.2 }],
    [
      true,
      'three groups do',
      { 'console-listener': -1.2, 'values-by-script': -1.4, 'presses-barely-held': -0.9 },
    ],
    [
      false,
      'the site limits the family of groups',
      { 'text-at-once': -1.8, 'scattered-times': -2.6 },
      -2.6,
    ],
    [false, 'the evidence is of no driver', { 'solved-elsewhere': -1.2, 'work-in-part': -1.2 }],
    [false, 'the site limits the family', { 'flat-presses': -3 }, -1.49],
  ])('is a driver’s: %s, when %s', (driven, _when, values, least = -4) => {
    expect(isDriven(of(values), applyWeightChanges({ bounds: { input: [least, 2] } }))).toBe(driven)
  })
})

describe('the reasons', () => {
  test('are ordered by how much they lowered the score', () => {
    const against = {
      'work-in-part': -1.5,
      'webdriver-true': -1,
      'console-listener': -1,
      'solved-elsewhere': -0.2,
    }
    const contributions = of(against)
    const reasons = ['automation', 'work', 'network']
    for (const each of [contributions, contributions.toReversed()]) {
      expect(reasonsOf({ contributions: each, score: 0.1, rule: undefined })).toEqual(reasons)
    }
  })
  test('leave out rules that weigh nothing, favour the visitor, or are unknown', () => {
    const contributions = [
      ...of({ 'webdriver-true': 0, 'trusted-input': 1.2 }),
      { id: 255, value: -1 },
    ]
    expect(reasonsOf({ contributions, score: 0.5, rule: undefined })).toEqual([])
    expect(reasonsOf({ contributions, score: 0.49, rule: undefined })).toEqual(['behaviour'])
    const rule = { id: 'r', effect: { kind: 'deny' } } as const
    expect(reasonsOf({ contributions, score: 0, rule })).toEqual([])
  })
})
