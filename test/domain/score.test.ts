import { describe, expect, test } from '@jest/globals'
import { MODEL, RULES } from '../../src/domain/score-model.ts'
import type { VisitFacts } from '../../src/domain/score-rule.ts'
import { combine, explain, scoreVisit } from '../../src/domain/score.ts'
import type { RequestFacts, Signals } from '../../src/domain/signals.ts'

const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36'
const browser: RequestFacts = {
  trustworthy: true,
  userAgent: chrome,
  fetchSite: 'cross-site',
  fetchMode: 'cors',
  fetchDest: 'empty',
  acceptLanguage: 'en',
  acceptEncoding: 'gzip, br',
  clientHints: '"Chromium";v="156"',
  clientPlatform: 'Linux',
}
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

const visit = (signals: Signals, request: RequestFacts = browser): VisitFacts => ({ signals, request, units: 3072 })
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

describe('the model', () => {
  test('numbers and names every rule once', () => {
    expect(new Set(RULES.map((rule) => rule.id)).size).toBe(RULES.length)
    expect(new Set(RULES.map((rule) => rule.name)).size).toBe(RULES.length)
    expect(Math.max(...RULES.map((rule) => rule.id))).toBeLessThan(256)
  })

  test('gives every rule its evidence', () => {
    for (const { evidence } of RULES) expect(evidence.length).toBeGreaterThan(10)
  })

  // RISK.md, section 4: no environment signal fails anybody alone.
  test('lets nobody fail by the environment alone who tabs through a form', () => {
    const worst = { languages: 0, platformAgrees: 0, workerAgrees: 0, windowed: 0, touchPoints: 0 }
    expect(
      scoreOf({ ...calm, environment: worst, input: { trusted: 6, keys: 6, keyHold: 80 } }),
    ).toBeGreaterThanOrEqual(0.5)
  })
})
