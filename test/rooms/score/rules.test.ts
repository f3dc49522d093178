/** Each rule of the score at its edge: what fires it and how strongly, and the nearest visits that do not. */
import { describe, expect, test } from '@jest/globals'
import { type ScoreRule, RULES, type VisitFacts } from '../../../src/score/rules.ts'
import { scoreVisit } from '../../../src/score/score.ts'
import { type RequestFacts, SIGNALS, type Signals } from '../../../src/score/signals.ts'
import { CHROMIUM, CHROMIUM_REQUEST } from '../../support/seen-request.ts'

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0'
const WEBKIT = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/60.5 Safari/605.1.15'
const SAFARI = WEBKIT.replace('X11; Linux x86_64', 'Macintosh; Intel Mac OS X 10_15_7')
const WINDOWS = CHROMIUM.replace('X11; Linux x86_64', 'Windows NT 10.0; Win64; x64')
const ANDROID = CHROMIUM.replace('X11; Linux x86_64', 'Linux; Android 16; K')
const CHROME_OS = CHROMIUM.replace('X11; Linux x86_64', 'X11; CrOS x86_64 14541.0.0')

type More = Partial<Omit<VisitFacts, 'request'>> & { readonly request?: Partial<RequestFacts> }
const factsOf = (more: More): VisitFacts => ({
  signals: {},
  units: 18_432,
  ...more,
  request: { ...CHROMIUM_REQUEST, ...more.request },
})
const ruleOf = (name: string): ScoreRule => RULES.find((rule) => rule.name === name)!
/** As the score takes it: 0 to 1. */
const strength = (name: string, more: More): number =>
  Math.min(1, Math.max(0, Number(ruleOf(name).when(factsOf(more)))))

const by = (signals: Signals, userAgent = CHROMIUM): More => ({ signals, request: { userAgent } })
const input = (of: Record<string, number>, userAgent?: string): More => by({ input: of }, userAgent)
const asked = (of: Partial<RequestFacts>): More => ({ request: of })
const page = (of: Record<string, number>): More => by({ page: of })
const moving = (of: Record<string, number>, userAgent?: string): More =>
  input({ moves: 40, moveGap: 14, ...of }, userAgent)
const bundled = (of: Record<string, number>, userAgent?: string): More =>
  input({ moves: 100, coalesced: 10, sameFrame: 8, ...of }, userAgent)
const typing = (of: Record<string, number>, userAgent?: string): More =>
  input({ keys: 30, keyGap: 100, keyGapLong: 160, ...of }, userAgent)
const scattered = (of: Record<string, number>, userAgent?: string, environment: object = { placed: 1 }): More =>
  by({ input: { timed: 12, samePhase: 60, ...of }, environment }, userAgent)
const held = (of: Record<string, number>, userAgent?: string, environment: object = {}): More =>
  by({ input: { presses: 2, pressHold: 24, ...of }, environment }, userAgent)
const phone = (change: Signals = {}, userAgent = ANDROID): More =>
  by({ environment: { desktop: 1 }, input: { touches: 3 }, ...change }, userAgent)
const counts = (parts: number) => ({ solves: parts, parts })
const history = (address: number, network: number, again = 0) => ({
  address: counts(address),
  network: counts(network),
  again,
})
const part = (address: number, network: number): More => ({ part: 0.5, history: history(address, network) })

interface Row {
  readonly fires: readonly (readonly [facts: More, strength?: number])[]
  readonly silent: readonly More[]
}
const TABLE: Readonly<Record<string, Row>> = {
  'trusted-input': { fires: [[input({ trusted: 1 })]], silent: [input({ trusted: 0 })] },
  'much-trusted-input': {
    fires: [[input({ trusted: 1 }), 0.1], [input({ trusted: 10 })]],
    silent: [input({ trusted: 0 })],
  },
  'coalesced-moves': {
    fires: [[input({ coalesced: 4, moves: 40 }), 0.8], [input({ coalesced: 5, moves: 50 })]],
    silent: [input({ coalesced: 4, moves: 41 })],
  },
  'page-focused': {
    fires: [[page({ visible: 1, focused: 1 })]],
    silent: [page({ visible: 1, focused: 0 }), page({ visible: 0, focused: 1 })],
  },
  'fetch-metadata': {
    fires: ['cross-site', 'same-site', 'same-origin'].map((fetchSite) => [asked({ fetchSite })]),
    silent: [
      ...['none', undefined].map((fetchSite) => asked({ fetchSite })),
      asked({ fetchMode: 'navigate' }),
      asked({ fetchDest: 'document' }),
    ],
  },
  'webdriver-true': { fires: [[by({ automation: { webdriver: 1 } })]], silent: [by({ automation: { webdriver: 0 } })] },
  'headless-agent': {
    fires: [
      [by({ automation: { headless: 1 } })],
      [asked({ userAgent: 'Mozilla/5.0 HeadlessChrome/156' })],
      [asked({ clientHints: '"HeadlessChrome";v="156"' })],
    ],
    silent: [by({ automation: { headless: 0 } }), asked({ clientHints: undefined })],
  },
  'driver-artefacts': {
    fires: [[by({ automation: { artefacts: 1 } })]],
    silent: [by({ automation: { artefacts: 0 } })],
  },
  'console-listener': { fires: [[by({ automation: { console: 1 } })]], silent: [by({ automation: { console: 0 } })] },
  'proof-missing': {
    fires: [[{ proof: { is: 'missing' } }], [{ proof: { is: 'unasked' } }]],
    silent: [{ proof: { is: 'answered', wrong: 5 } }],
  },
  'proof-wrong': {
    fires: [[{ proof: { is: 'answered', wrong: 2 } }], [{ proof: { is: 'answered', wrong: 1 } }, 0.1]],
    silent: [{ proof: { is: 'answered', wrong: 0 } }, { proof: { is: 'missing' } }],
  },
  'untrusted-input-only': {
    fires: [[input({ untrusted: 1 })]],
    silent: [input({ untrusted: 1, trusted: 1 }), input({ untrusted: 0 })],
  },
  'scattered-times': {
    fires: [
      [scattered({})],
      [scattered({ samePhase: 75 }), 0.5],
      [scattered({}, CHROMIUM, {}), 0.4],
      [scattered({}, WINDOWS, { placed: 0, linuxEngine: 1 }), 0.6],
      [scattered({}, ANDROID, { placed: 1, linuxEngine: 1 })],
    ],
    silent: [
      ...[{ timed: 11 }, { samePhase: 90 }].map((of) => scattered(of)),
      ...[WINDOWS, ANDROID, FIREFOX, CHROME_OS].map((agent) => scattered({}, agent)),
      scattered({}, CHROME_OS, { placed: 1, linuxEngine: 1 }),
      scattered({}, CHROMIUM, { placed: 0 }),
    ],
  },
  'flat-presses': { fires: [[input({ flatPresses: 1 })]], silent: [input({ flatPresses: 0 })] },
  'presses-in-the-middle': {
    fires: [
      [input({ centred: 2, presses: 3 }), 2 / 3],
      [input({ centred: 3, presses: 5 })],
      [input({ centred: 3, presses: 9, touches: 4 })],
    ],
    silent: [input({ centred: 1, presses: 1 }), input({ centred: 2, presses: 4 })],
  },
  'presses-barely-held': {
    fires: [
      [held({})],
      [held({ presses: 4, pressHold: 44, pressHoldSpread: 10 })],
      [held({ pressHold: 0 }, SAFARI)],
      [held({ pressHold: 5 }, WEBKIT)],
      [held({ pressHold: 0 }, WEBKIT, { engine: 1 })],
      [held({ pressHold: 0 }, WEBKIT, { engine: 2 })],
    ],
    silent: [
      ...[{ pressHold: 25 }, { presses: 1 }, { touches: 1 }].map((of) => held(of)),
      held({ presses: 4, pressHold: 45, pressHoldSpread: 10 }),
      held({ presses: 4, pressHold: 44, pressHoldSpread: 15 }),
      held({ presses: 3, pressHold: 44, pressHoldSpread: 10 }),
      // A finger's tap, as WebKitGTK tells of it.
      held({ pressHold: 0 }, WEBKIT, { engine: 3 }),
    ],
  },
  'balanced-reaches': {
    fires: [
      [input({ balanced: 13, reaches: 20 }), 0.5],
      [input({ balanced: 2, reaches: 2 }), 0.625],
      [input({ balanced: 4, reaches: 5 })],
    ],
    silent: [input({ balanced: 1, reaches: 1 }), input({ balanced: 2, reaches: 4 })],
  },
  'no-move-coalesced': {
    fires: [
      [moving({})],
      [moving({ moves: 100, coalesced: 4 }), 0.5],
      [moving({}, WINDOWS), 0.7],
      [moving({}, ANDROID), 0.7],
    ],
    silent: [
      ...[{ moves: 39 }, { moveGap: 13 }, { moves: 100, coalesced: 8 }, { touches: 1 }].map((of) => moving(of)),
      moving({}, FIREFOX),
    ],
  },
  'moves-within-a-frame': {
    fires: [
      [bundled({})],
      [bundled({ moves: 200, coalesced: 20, sameFrame: 11 }), 0.5],
      [bundled({}, WINDOWS), 0.7],
      [by({ ...bundled({}).signals, environment: { linuxEngine: 1 } }, WINDOWS)],
    ],
    silent: [
      bundled({ sameFrame: 3 }),
      bundled({ moves: 39, coalesced: 20, sameFrame: 20 }),
      bundled({ touches: 1 }),
      bundled({}, FIREFOX),
      // Developer tools are docked, and the machine is busy: every move comes alone, and two in one frame.
      bundled({ moves: 300, coalesced: 6, sameFrame: 24 }),
      by({ ...bundled({}).signals, automation: { console: 1 } }),
    ],
  },
  'typing-without-pauses': {
    fires: [[typing({})], [typing({ keyGapLong: 175 }), 0.5]],
    silent: [
      ...[{ keys: 29 }, { keyGapLong: 190 }, { overlaps: 1 }, { keyGap: 0 }, { touches: 1 }].map((of) => typing(of)),
      typing({}, ANDROID),
      input({ keys: 30, keyGap: 100 }),
    ],
  },
  'desktop-says-phone': {
    fires: [[phone()], [phone({}, ANDROID.replace('Linux; Android 16; K', 'iPhone'))]],
    silent: [
      phone({ environment: { desktop: 0 } }),
      phone({ environment: {} }),
      phone({ input: { touches: 0, presses: 3 } }),
      // Developer tools show a page as on a phone.
      phone({ automation: { console: 1 } }),
      phone({}, WINDOWS),
    ],
  },
  'tool-agent': {
    fires: [
      [asked({ userAgent: 'curl/8.5.0' })],
      [asked({ userAgent: '' })],
      [asked({ userAgent: 'Mozilla/5.0 (linux) AppleWebKit/537.36 (KHTML, like Gecko) jsdom/26.0.0' })],
    ],
    silent: [asked({}), asked({ userAgent: 'Javascript' }), asked({ userAgent: 'curly/1' }), asked({ userAgent: ' ' })],
  },
  'solved-elsewhere': {
    fires: [[{ distance: 'elsewhere' }], [{ distance: 'other-family' }, 0.25]],
    silent: [{ distance: 'same' }, { distance: 'near' }],
  },
  'work-in-part': {
    fires: [[{ part: 0.5 }, 0.5], [{ part: 0.25 }]],
    // Open developer tools slow the work down, and cost as much.
    silent: [{ part: undefined }, { part: 0.25, ...by({ automation: { console: 1 } }) }],
  },
  'work-in-part-again': {
    fires: [[part(16, 16)], [part(1, 62)]],
    silent: [part(15, 15), part(1, 61), { ...part(99, 99), part: undefined }, { part: 0.5 }],
  },
  'work-by-fallback': { fires: [[{ fallback: true }]], silent: [{ fallback: false }] },
  'stepped-up': { fires: [[{ stepped: true }]], silent: [{ stepped: false }] },
}

test('every rule has rows here, evidence, and a note on the people it could hurt', () => {
  expect(Object.keys(TABLE)).toEqual(RULES.map(({ name }) => name))
  for (const { evidence, people } of RULES) expect(Math.min(evidence.length, people.length)).toBeGreaterThan(10)
})

test('there are at most 30 rules over at most 40 signals', () => {
  expect(RULES.length).toBeLessThanOrEqual(30)
  expect(Object.values(SIGNALS).flatMap((family) => Object.keys(family)).length).toBeLessThanOrEqual(40)
})

describe.each(Object.entries(TABLE))('%s', (name, { fires, silent }) => {
  test.each(fires)('fires for %j', (facts, at = 1) => expect(strength(name, facts)).toBeCloseTo(at, 9))
  test.each(silent)('is silent for %j', (facts) => expect(strength(name, facts)).toBe(0))
  test('does not fire for a visit without signals', () => {
    if (ruleOf(name).family === 'request') return
    for (const signals of [{}, { automation: {}, input: {}, page: {}, environment: {}, step: {} }])
      expect(strength(name, { signals })).toBe(0)
  })
})

/** A visit of a person who shows the least: a few keys, in a page that has the focus. */
const tabbing = { input: { trusted: 12, keys: 6 }, page: { visible: 1, focused: 1 } } satisfies Signals

describe('no single rule fails a person', () => {
  const ALONE = [
    'console-listener',
    'presses-in-the-middle',
    'presses-barely-held',
    'typing-without-pauses',
    'solved-elsewhere',
    'work-in-part',
  ]
  test.each(ALONE)('%s', (name) => {
    const [facts] = TABLE[name]!.fires.find(([, at = 1]) => at === 1)!
    const signals = { ...tabbing, ...facts.signals, input: { ...tabbing.input, ...facts.signals?.input } }
    const { sum } = scoreVisit(factsOf({ ...facts, signals }))
    expect(sum.score).toBeGreaterThanOrEqual(0.57)
  })
  test('work-by-fallback', () => {
    expect(scoreVisit(factsOf({ signals: tabbing, fallback: true })).score).toBe(0.6)
  })
  test('no-move-coalesced, on systems where nothing was measured', () => {
    const [facts] = [moving({ trusted: 60 }, WINDOWS)]
    const signals = { ...tabbing, ...facts.signals }
    expect(scoreVisit(factsOf({ ...facts, signals })).score).toBeGreaterThanOrEqual(0.5)
  })
})
