import { describe, expect, test } from '@jest/globals'
import { MODEL, RULES } from '../../../../src/domain/score/score-model.ts'
import type { VisitFacts } from '../../../../src/domain/score/score-rule.ts'
import { combine, explain, MOST_CONTRIBUTIONS, reasonsOf, scoreVisit } from '../../../../src/domain/score/score.ts'
import type { RequestFacts, Signals } from '../../../../src/domain/score/signals.ts'
import { CHROMIUM_REQUEST } from '../../../support/seen-request.ts'

const browser = CHROMIUM_REQUEST
const curl: RequestFacts = {
  ...browser,
  userAgent: 'curl/7.88.1',
  fetchSite: undefined,
  fetchMode: undefined,
  fetchDest: undefined,
  acceptLanguage: undefined,
  clientPlatform: undefined,
}
const page = { visible: 1, focused: 1, firstTouch: 2000, filling: 8000 }
const automation = { webdriver: 0, headless: 0, artefacts: 0, altered: 0, console: 0 }
const environment = { languages: 2, cores: 8, touchPoints: 0, platformAgrees: 1, workerAgrees: 1, windowed: 1 }
const calm = { automation, page, environment, work: { ms: 400, workers: 4 } }

type Visitor = [who: string, signals: Signals, request?: RequestFacts]

const visit = (signals: Signals, request: RequestFacts = browser): VisitFacts => ({ signals, request, units: 18_432 })
const scoreOf = (signals: Signals, request?: RequestFacts): number => scoreVisit(visit(signals, request)).score

describe('people pass', () => {
  test.each<Visitor>([
    [
      'with a mouse and keys',
      { ...calm, input: { trusted: 70, moves: 45, coalesced: 33, presses: 3, keys: 20, keyHold: 90 } },
    ],
    ['with the keyboard only', { ...calm, input: { trusted: 40, keys: 38, keyHold: 95 } }],
    ['who merely tab through a form', { ...calm, input: { trusted: 4, keys: 4, keyHold: 80 } }],
    [
      'with autofill and one click',
      { ...calm, page: { ...page, filling: 300 }, input: { trusted: 4, presses: 1, autofills: 3 } },
    ],
    [
      'who let a password manager type, and use no pointer',
      {
        ...calm,
        input: {
          trusted: 64,
          keys: 60,
          timedKeys: 60,
          overlaps: 0,
          keyHold: 5,
          keyHoldSpread: 0,
          keyGap: 25,
          keyGapSpread: 5,
          keyGapLong: 30,
        },
      },
    ],
    ['who paste', { ...calm, input: { trusted: 8, keys: 2, pastes: 2, keyHold: 70 } }],
    [
      'by touch',
      {
        ...calm,
        environment: { ...environment, touchPoints: 5, windowed: 0 },
        input: { trusted: 12, presses: 6, touches: 6 },
      },
    ],
    ['with a screen reader', { ...calm, input: { trusted: 10, untrusted: 2, presses: 2 } }],
    [
      'with strict privacy settings',
      { input: { trusted: 20 }, environment: { languages: 1, platformAgrees: 0 }, page: { visible: 1 } },
    ],
    [
      'with developer tools open',
      { ...calm, automation: { ...automation, console: 1 }, input: { trusted: 50, coalesced: 20, moves: 30 } },
    ],
    [
      'in a tab opened in the background',
      { ...calm, page: { ...page, visible: 0, focused: 0 }, input: { trusted: 20, keys: 15 } },
    ],
    [
      'on plain http, where engines send no fetch metadata',
      { ...calm, input: { trusted: 20 } },
      { ...browser, trustworthy: false, fetchSite: undefined, fetchMode: undefined, fetchDest: undefined },
    ],
  ])('%s', (...[, signals, request]: Visitor) => {
    expect(scoreOf(signals, request)).toBeGreaterThanOrEqual(0.5)
  })
})

describe('bots do not', () => {
  const busy = { trusted: 60, moves: 40, coalesced: 30, presses: 3, keys: 20, keyHold: 80 }
  test.each<Visitor>([
    ['a plain HTTP client', {}, curl],
    ["a plain HTTP client that replays a person's summary", { ...calm, input: busy }, curl],
    ['a browser that shows nothing', {}],
    ['a DOM simulator', { ...calm, input: { untrusted: 30 } }],
    ['a default driver', { ...calm, automation: { ...automation, webdriver: 1 }, input: busy }],
    ['headless with its own agent', { ...calm, automation: { ...automation, headless: 1 }, input: { trusted: 20 } }],
    ['input from a debugger', { ...calm, input: { trusted: 60, moves: 45, coalesced: 0, presses: 3, flatPresses: 3 } }],
    [
      'scripted typing with driver artefacts',
      { ...calm, automation: { ...automation, artefacts: 1 }, input: { trusted: 50, keys: 40, keyHold: 5 } },
    ],
  ])('%s', (...[, signals, request]: Visitor) => {
    expect(scoreOf(signals, request)).toBeLessThan(0.5)
  })
})

test('a visit that shows nothing at all stands at the base', () => {
  const nothing = { ...curl, userAgent: 'Unheard/1.0', acceptLanguage: 'en' }
  expect(scoreVisit(visit({}, nothing))).toMatchObject({ model: MODEL.version, score: 0.27, contributions: [] })
})

test('the score can be computed again from its contributions, in any order', () => {
  const { score, contributions } = scoreVisit(visit({ ...calm, input: { trusted: 7, coalesced: 2, moves: 9 } }))
  expect(contributions.length).toBeGreaterThan(2)
  expect(combine(contributions).score).toBe(score)
  expect(combine(contributions.toReversed()).score).toBe(score)
})

test('each contribution has a name, a family, a reason and a value', () => {
  const { contributions } = scoreVisit(visit({ automation: { webdriver: 1 } }, curl))
  expect(contributions.map(explain)).toContainEqual({
    name: 'webdriver-true',
    family: 'automation',
    reason: 'automation',
    value: -4,
  })
})

test('a number that no rule has cannot be added up', () => {
  expect(() => combine([{ id: 255, value: 1 }])).toThrow(
    new RangeError(`no rule has the number 255 in model ${MODEL.version}`),
  )
})

describe('the reasons', () => {
  const of = (...contributions: [name: string, value: number][]) =>
    contributions.map(([name, value]) => ({ id: RULES.find((rule) => rule.name === name)!.id, value }))
  test('stand in the order of what they took together', () => {
    const contributions = of(
      ['language-missing', -1.5],
      ['webdriver-true', -1],
      ['console-listener', -1],
      ['proxy', -0.2],
    )
    const reasons = ['automation', 'environment', 'network']
    for (const each of [contributions, contributions.toReversed()]) {
      expect(reasonsOf({ contributions: each, score: 0.1, rule: undefined })).toEqual(reasons)
    }
  })
  test('are none of what weighs nothing, speaks for the visitor, or is not known here', () => {
    const contributions = [...of(['webdriver-true', 0], ['trusted-input', 1.2]), { id: 255, value: -1 }]
    expect(reasonsOf({ contributions, score: 0.5, rule: undefined })).toEqual([])
    expect(reasonsOf({ contributions, score: 0.49, rule: undefined })).toEqual(['behaviour'])
  })
})

test('of more rules than a token has room for, those are left out first that speak for the visit', () => {
  const many = { challenges: 999, solves: 999, verified: 0, failed: 999, low: 999, unfinished: 0, parts: 999 }
  // Nobody's: made up so that sixty rules fire, three of them for the visit.
  const worst: VisitFacts = {
    signals: {
      automation: { webdriver: 2, artefacts: 99, altered: 20, console: 1, ownWebdriver: 1, scripted: 999, granted: 1 },
      input: {
        trusted: 2,
        untrusted: 999,
        moves: 100,
        coalesced: 499,
        moveGap: 50,
        rawRatio: 100,
        presses: 20,
        flatPresses: 20,
        jumps: 20,
        centred: 499,
        reaches: 1,
        straight: 499,
        even: 100,
        pressHold: 0,
        timed: 20,
        samePhase: 2,
        keys: 999,
        timedKeys: 999,
        overlaps: 0,
        bareCapitals: 999,
        unfocused: 999,
        pastes: 999,
        wholeTexts: 499,
        keyHold: 20,
        keyHoldSpread: 1,
        keyGap: 1,
        keyGapSpread: 1000,
      },
      page: { visible: 0, loneFocus: 100, filling: 20 },
      environment: {
        languages: 0,
        languageAgrees: 0,
        touchPoints: 0,
        platformAgrees: 0,
        workerAgrees: 0,
        framed: 0,
        pointers: 0,
        engine: 2,
        zoneAgrees: 0,
        windowed: 0,
      },
      work: { ms: 1_800_000 },
    },
    request: {
      ...browser,
      userAgent: 'curl Linux Headless Chrome/156',
      fetchSite: 'none',
      fetchMode: 'navigate',
      acceptLanguage: undefined,
      acceptEncoding: undefined,
      clientHints: '"1"',
      clientPlatform: 'Windows',
      clientMobile: '?1',
      accept: 'x',
      headerOrder: ['accept-language', 'accept-encoding', 'sec-fetch-mode', 'sec-fetch-site', 'sec-fetch-dest'],
    },
    units: 1e9,
    part: { done: 0.5, early: true },
    network: { asn: 1, country: 'DE', lists: [{ name: 'a', kind: 'abuse' }] },
    history: {
      address: many,
      network: many,
      here: many,
      again: 999,
      alike: [999, 999, 999],
      site: { solves: 0, verified: 0, parts: 0, usualParts: 0 },
    },
    shows: 'much',
    observation: { age: 0, distance: 'elsewhere', sameAgent: false },
    proof: { is: 'missing' },
  }
  const firing = RULES.filter(({ when }) => Number(when(worst)) > 0).map(({ weight }) => weight)
  expect(firing.length).toBeGreaterThan(MOST_CONTRIBUTIONS + 10)
  expect(firing.filter((weight) => weight > 0).length).toBeGreaterThan(2)
  const { fired, contributions } = scoreVisit(worst)
  expect([fired.length, contributions.length]).toEqual([MOST_CONTRIBUTIONS, MOST_CONTRIBUTIONS])
  const values = fired.map(({ value }) => value)
  expect(Math.max(...values)).toBeLessThan(0)
  // The strongest first.
  expect(values).toEqual(values.toSorted((a, b) => a - b))
})

describe('the model', () => {
  test('numbers and names every rule once', () => {
    expect(new Set(RULES.map((rule) => rule.id)).size).toBe(RULES.length)
    expect(new Set(RULES.map((rule) => rule.name)).size).toBe(RULES.length)
    expect(Math.max(...RULES.map((rule) => rule.id))).toBeLessThan(256)
  })

  test('gives every rule its evidence', () => {
    for (const { evidence } of RULES) expect(evidence.length).toBeGreaterThan(10)
  })

  // docs/design/risk.md, "People who must not pay": no environment signal fails anybody alone.
  test('lets nobody fail by the environment alone who tabs through a form', () => {
    const worst = { languages: 0, platformAgrees: 0, workerAgrees: 0, windowed: 0, touchPoints: 0 }
    expect(
      scoreOf({ ...calm, environment: worst, input: { trusted: 6, keys: 6, keyHold: 80 } }),
    ).toBeGreaterThanOrEqual(0.5)
  })
})
