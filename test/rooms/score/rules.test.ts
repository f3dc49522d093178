/** Each rule of the score at its edge: what fires it and how strongly, and the nearest visits that do not. */
import { describe, expect, test } from '@jest/globals'
import { type ScoreRule, RULES } from '../../../src/score/rules.ts'
import { isDriven, scoreVisit } from '../../../src/score/score.ts'
import { type RequestFacts, SIGNALS, type Signals } from '../../../src/score/signals.ts'
import type { VisitFacts } from '../../../src/score/visit-facts.ts'
import { RELEASED } from '../../../src/score/weight-changes.ts'
import { CHROMIUM, CHROMIUM_REQUEST } from '../../support/seen-request.ts'

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0'
const WEBKIT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/60.5 Safari/605.1.15'
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
const NO_METADATA = { fetchSite: undefined, fetchMode: undefined, fetchDest: undefined }
const page = (of: Record<string, number>): More => by({ page: of })
const moving = (of: Record<string, number>, userAgent?: string): More =>
  input({ moves: 40, moveGap: 14, ...of }, userAgent)
const bundled = (of: Record<string, number>, userAgent?: string): More =>
  input({ moves: 100, coalesced: 10, sameFrame: 8, ...of }, userAgent)
const typing = (of: Record<string, number>, userAgent?: string): More =>
  input({ keys: 30, keyGap: 100, keyGapLong: 160, ...of }, userAgent)
const scattered = (
  of: Record<string, number>,
  userAgent?: string,
  environment: object = { placed: 1 },
): More => by({ input: { timed: 3, samePhase: 60, ...of }, environment }, userAgent)
const held = (of: Record<string, number>, userAgent?: string, environment: object = {}): More =>
  by({ input: { presses: 2, pressHold: 24, ...of }, environment }, userAgent)
const phone = (change: Signals = {}, userAgent = ANDROID): More =>
  by({ environment: { desktop: 1 }, input: { touches: 3 }, ...change }, userAgent)
const counts = (parts: number) => ({ visits: parts, parts })
const history = (address: number, network: number, subnet = address) => ({
  address: counts(address),
  subnet: counts(subnet),
  network: counts(network),
})
const part = (...parts: Parameters<typeof history>): More => ({
  part: 0.5,
  history: history(...parts),
})

interface Row {
  readonly fires: readonly (readonly [facts: More, strength?: number])[]
  readonly silent: readonly More[]
}
const TABLE: Readonly<Record<string, Row>> = {
  'trusted-input': {
    fires: [[input({ trusted: 1 }), 0.125], [input({ trusted: 8 })]],
    silent: [input({ trusted: 0 })],
  },
  'coalesced-moves': {
    fires: [[input({ coalesced: 5, moves: 5 })], [input({ coalesced: 5, moves: 50 })]],
    silent: [input({ coalesced: 4, moves: 4 }), input({ coalesced: 5, moves: 51 })],
  },
  'page-focused': {
    fires: [[page({ visible: 1, focused: 1 })]],
    silent: [page({ visible: 1, focused: 0 }), page({ visible: 0, focused: 1 })],
  },
  'fetch-metadata': {
    fires: [
      ...['cross-site', 'same-site', 'same-origin'].map(
        (fetchSite) => [asked({ fetchSite })] as const,
      ),
      ...['http://shop.lan', 'http://192.168.7.7:8080'].map(
        (origin) => [asked({ ...NO_METADATA, origin })] as const,
      ),
    ],
    silent: [
      ...[
        'https://shop.example.com',
        undefined,
        'http://localhost:8080',
        'http://127.0.0.1',
        'http://[::1]:80',
      ].map((origin) => asked({ ...NO_METADATA, origin })),
      asked({ fetchMode: 'navigate', origin: 'http://shop.lan' }),
      ...['none', undefined].map((fetchSite) => asked({ fetchSite })),
      asked({ fetchMode: 'navigate' }),
      asked({ fetchDest: 'document' }),
    ],
  },
  'webdriver-true': {
    fires: [[by({ automation: { webdriver: 1 } })]],
    silent: [by({ automation: { webdriver: 0 } })],
  },
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
  'console-listener': {
    fires: [[by({ automation: { console: 1 } })]],
    silent: [by({ automation: { console: 0 } })],
  },
  'proof-missing': {
    fires: [[{ proof: { is: 'missing' } }], [{ proof: { is: 'unasked' } }]],
    silent: [{ proof: { is: 'answered', wrong: 5 } }],
  },
  'proof-wrong': {
    fires: [
      [{ proof: { is: 'answered', wrong: 2 } }],
      [{ proof: { is: 'answered', wrong: 1 } }, 0.1],
    ],
    silent: [{ proof: { is: 'answered', wrong: 0 } }, { proof: { is: 'missing' } }],
  },
  'untrusted-input-only': {
    fires: [[input({ untrusted: 1 })], [input({ untrusted: 1, trusted: 1 })]],
    silent: [input({ untrusted: 1, trusted: 2 }), input({ untrusted: 0 })],
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
      ...[{ timed: 2 }, { samePhase: 90 }].map((of) => scattered(of)),
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
      // A debugger's moves take a millisecond each.
      [held({ pressHold: 0, moveGap: 1 })],
    ],
    silent: [
      ...[{ pressHold: 25 }, { presses: 1 }, { touches: 1 }].map((of) => held(of)),
      held({ presses: 4, pressHold: 45, pressHoldSpread: 10 }),
      held({ presses: 4, pressHold: 44, pressHoldSpread: 15 }),
      held({ presses: 3, pressHold: 44, pressHoldSpread: 10 }),
      // A finger's tap, as reported by WebKitGTK.
      held({ pressHold: 0 }, WEBKIT, { engine: 3 }),
      // A person's clock of 100 ms.
      held({ pressHold: 0, moveGap: 0 }),
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
      ...[{ moves: 39 }, { moveGap: 13 }, { moves: 100, coalesced: 8 }, { touches: 1 }].map((of) =>
        moving(of),
      ),
      moving({}, FIREFOX),
    ],
  },
  'moves-within-a-frame': {
    fires: [
      [bundled({})],
      [bundled({ moves: 200, coalesced: 20, sameFrame: 11 }), 0.5],
      [bundled({}, WINDOWS), 0.7],
      [by({ ...bundled({}).signals, environment: { linuxEngine: 1 } }, WINDOWS)],
      [bundled({ moveGap: 4 })],
    ],
    silent: [
      bundled({ sameFrame: 3 }),
      bundled({ moves: 39, coalesced: 20, sameFrame: 20 }),
      bundled({ touches: 1 }),
      bundled({}, FIREFOX),
      // Developer tools are docked, and the machine is busy: every move comes alone, and two in one frame.
      bundled({ moves: 300, coalesced: 6, sameFrame: 24 }),
      by({ ...bundled({}).signals, automation: { console: 1 } }),
      // An extension makes clocks coarse.
      ...[0, 3].map((moveGap) => bundled({ moveGap })),
    ],
  },
  'typing-without-pauses': {
    fires: [
      [typing({})],
      [typing({ keyGapLong: 175 }), 0.5],
      // Whole words at once, and a pause before the next.
      [typing({ keyGap: 0, keyGapLong: 900 })],
      [typing({ keyGap: 40, keyGapLong: 90 })],
      [typing({ keyGap: 500, keyGapLong: 600 })],
    ],
    silent: [
      ...[
        { keys: 29 },
        { keyGapLong: 190 },
        { overlaps: 1 },
        { keyGap: 45, keyGapLong: 90 },
        { touches: 1 },
      ].map((of) => typing(of)),
      typing({}, ANDROID),
      input({ keys: 30, keyGap: 100 }),
      // A switch, at a pace of half a second.
      typing({ keyGap: 505, keyGapLong: 900 }),
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
      [
        asked({
          userAgent: 'Mozilla/5.0 (linux) AppleWebKit/537.36 (KHTML, like Gecko) jsdom/26.0.0',
        }),
      ],
    ],
    silent: [
      asked({}),
      asked({ userAgent: 'Javascript' }),
      asked({ userAgent: 'curly/1' }),
      asked({ userAgent: ' ' }),
    ],
  },
  'solved-elsewhere': {
    fires: [[{ distance: 'elsewhere' }], [{ distance: 'other-family' }, 0.25]],
    silent: [{ distance: 'same' }, { distance: 'near' }],
  },
  'work-in-part': {
    fires: [[{ part: 0.5 }, 0.5], [{ part: 0.25 }]],
    silent: [{ part: undefined }],
  },
  'work-in-part-again': {
    fires: [[part(16, 16)], [part(1, 62)], [part(1, 1, 32)]],
    silent: [
      part(15, 15),
      part(1, 61),
      part(1, 91, 31),
      { ...part(99, 99), part: undefined },
      { part: 0.5 },
    ],
  },
  'work-by-fallback': { fires: [[{ fallback: true }]], silent: [{ fallback: false }] },
  'text-at-once': {
    fires: [[input({ insertions: 2 })], [input({ insertions: 3, keys: 3 })]],
    silent: [{ insertions: 1 }, { insertions: 2, keys: 3 }, { insertions: 2, touches: 1 }].map(
      (of) => input(of),
    ),
  },
  'values-by-script': {
    fires: [[input({ scripted: 1 }), 0.5], [input({ scripted: 2, moves: 39 })]],
    silent: [{ scripted: 0 }, { untrusted: 9 }, { scripted: 2, moves: 40 }].map((of) => input(of)),
  },
  'stepped-up': { fires: [[{ stepped: true }]], silent: [{ stepped: false }] },
}

test('every rule has rows here, evidence, and a note on the people it could hurt', () => {
  expect(Object.keys(TABLE).sort()).toEqual(RULES.map(({ name }) => name).sort())
  for (const { evidence, people } of RULES)
    expect(Math.min(evidence.length, people.length)).toBeGreaterThan(10)
})

test('rules are sorted by number, without duplicates', () => {
  const ids = RULES.map(({ id }) => id)
  expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b))
})

test('there are at most 30 rules over at most 40 signals', () => {
  expect(RULES.length).toBeLessThanOrEqual(30)
  expect(
    Object.values(SIGNALS).flatMap((family) => Object.keys(family)).length,
  ).toBeLessThanOrEqual(40)
})

describe.each(Object.entries(TABLE))('%s', (name, { fires, silent }) => {
  test.each(fires)('fires for %j', (facts, at = 1) =>
    expect(strength(name, facts)).toBeCloseTo(at, 9),
  )
  test.each(silent)('is silent for %j', (facts) => expect(strength(name, facts)).toBe(0))
  test('does not fire for a visit without signals', () => {
    if (ruleOf(name).family === 'request') return
    for (const signals of [{}, { automation: {}, input: {}, page: {}, environment: {}, step: {} }])
      expect(strength(name, { signals })).toBe(0)
  })
})

/** A visit of a person who shows the least: a few keys, in a page that has the focus. */
const tabbing = {
  input: { trusted: 12, keys: 6 },
  page: { visible: 1, focused: 1 },
} satisfies Signals

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
    const signals = {
      ...tabbing,
      ...facts.signals,
      input: { ...tabbing.input, ...facts.signals?.input },
    }
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

/** One tool of a person may fire several rules: of these the dearest counts, and the step lifts it. Invented summaries. */
describe('people whose tools fire rules', () => {
  const mouse = {
    trusted: 260,
    moves: 180,
    coalesced: 90,
    sameFrame: 0,
    moveGap: 16,
    presses: 5,
    timed: 240,
  }
  const alone = { ...mouse, coalesced: 0 }
  const spoken = { trusted: 12, presses: 4, centred: 4, pressHold: 10, pressHoldSpread: 0 }
  const keys = { trusted: 90, keys: 45, timed: 90, samePhase: 100 }
  const slow = { distance: 'elsewhere', part: 0.25 } as const
  const [tools, x11] = [{ console: 1 }, { placed: 1 }]
  const typed = { keys: 40, keyGap: 0, keyGapLong: 0 }
  test.each<[who: string, first: number, facts: More]>([
    ['voice control', 0.57, input(spoken)],
    ['voice control that types at once', 0.35, input({ ...spoken, ...typed })],
    [
      'open developer tools and moves that come alone',
      0.4,
      by({ automation: tools, input: alone, environment: x11 }),
    ],
    [
      'open developer tools on a slow device',
      0.57,
      { part: 0.25, ...by({ automation: tools, input: keys }) },
    ],
    [
      'open developer tools behind rotating egress',
      0.57,
      { distance: 'elsewhere', ...by({ automation: tools, input: keys }) },
    ],
    ['a slow device behind rotating egress', 0.57, { ...slow, ...input(keys) }],
    ['a remote desktop', 0.4, input(alone)],
    ['a remote desktop on another system', 0.54, input(alone, WINDOWS)],
    [
      'a remote X server and a mouse',
      0.35,
      by({ input: { ...mouse, samePhase: 25 }, environment: x11 }),
    ],
    [
      'a remote X server and no mouse',
      0.25,
      by({ input: { ...keys, samePhase: 25 }, environment: x11 }),
    ],
    ['a password manager that fills in and sends', 0.18, input({ untrusted: 6 })],
    ['a program that inserts whole texts, and a mouse', 0.55, input({ ...mouse, insertions: 2 })],
    [
      'a password manager and a key',
      0.29,
      input({ trusted: 3, untrusted: 4, scripted: 2, keys: 1 }),
    ],
    [
      'a password manager and one tap',
      0.38,
      input({ trusted: 5, presses: 1, touches: 1, untrusted: 4, scripted: 2 }),
    ],
    [
      'a password manager and voice control',
      0.25,
      input({ ...spoken, presses: 3, centred: 3, untrusted: 4, scripted: 2 }),
    ],
    [
      'a password manager and open developer tools',
      0.25,
      by({ automation: tools, input: { trusted: 12, keys: 5, untrusted: 4, scripted: 2 } }),
    ],
    ['a program that inserts whole texts', 0.43, input({ trusted: 40, presses: 5, insertions: 2 })],
  ])('%s: %d at first, and enough with the step', (_who, first, facts) => {
    const { page: seen } = tabbing
    const all = factsOf({ ...facts, signals: { page: seen, ...facts.signals } })
    const decision = scoreVisit(all)
    expect(decision.score).toBe(first)
    expect(isDriven(decision.contributions, RELEASED)).toBe(false)
    // One key on the button of the step makes two more events.
    const pressed = { ...all.signals.input, trusted: (all.signals.input?.trusted ?? 0) + 2 }
    const second = scoreVisit(
      { ...all, signals: { ...all.signals, input: pressed }, stepped: true },
      RELEASED,
      undefined,
      decision,
    )
    expect(second.score).toBeGreaterThanOrEqual(0.5)
  })
})
