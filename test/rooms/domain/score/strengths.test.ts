/** How strongly each rule fires: the ends of each curve, a point between, and each thing that it asks for alone. */
import { describe, expect, test } from '@jest/globals'
import { NOTHING, type HistoryFacts, STRANGER } from '../../../../src/domain/history.ts'
import type { ListKind, NetworkFacts } from '../../../../src/domain/network.ts'
import { RULES } from '../../../../src/domain/score/score-model.ts'
import { fittingInput } from '../../../../src/domain/score/rules/seen.ts'
import type { VisitFacts, VisitSeen } from '../../../../src/domain/score/score-rule.ts'
import type { RequestFacts, Signals } from '../../../../src/domain/score/signals.ts'
import { CHROMIUM, CHROMIUM_REQUEST } from '../../../support/seen-request.ts'

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0'
const WINDOWS = CHROMIUM.replace('X11; Linux x86_64', 'Windows NT 10.0; Win64; x64')
const ANDROID = CHROMIUM.replace('X11; Linux x86_64', 'Linux; Android 16; K')
const MACOS = CHROMIUM.replace('X11; Linux x86_64', 'Macintosh; Intel Mac OS X 10_15_7')
const CHROME_OS = CHROMIUM.replace('X11; Linux x86_64', 'X11; CrOS x86_64 14541.0.0')
const SAFARI = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0'

type More = Partial<Omit<VisitFacts, 'request'>> & { readonly request?: Partial<RequestFacts> }
function strength(name: string, more: More): number {
  const facts: VisitFacts = { signals: {}, units: 1000, ...more, request: { ...CHROMIUM_REQUEST, ...more.request } }
  return Number(RULES.find((rule) => rule.name === name)!.when(facts))
}
const by = (signals: Signals, userAgent = CHROMIUM): More => ({ signals, request: { userAgent } })
const input = (of: Record<string, number>, userAgent?: string): More => by({ input: of }, userAgent)
/** A summary that says nothing of itself fires nothing: what is absent is no sign. */
const NOTHING_SAID: readonly More[] = [
  { signals: {} },
  { signals: { automation: {}, input: {}, page: {}, environment: {}, work: {} } },
]

test.each(RULES.filter(({ family }) => family !== 'request').map(({ name }) => name))(
  '%s says nothing of a visit that says nothing',
  (name) => {
    for (const nothing of NOTHING_SAID) expect(Math.max(0, strength(name, nothing))).toBe(0)
  },
)

const unpausing = (of: Record<string, number>, userAgent?: string): More =>
  input({ keys: 30, keyGap: 100, ...of }, userAgent)
const onX11 = (samePhase: number, environment: Record<string, number>, userAgent?: string): More =>
  by({ input: { timed: 12, samePhase }, environment }, userAgent)

describe('a curve', () => {
  test.each<readonly [name: string, more: More, strength: number]>([
    ['natives-altered', by({ automation: { altered: 1 } }), 0.25],
    ['natives-altered', by({ automation: { altered: 4 } }), 1],
    ['scripts-without-address', by({ automation: { scripted: 3 } }), 1],
    ['summary-contradicts-itself', by({ work: { ms: 1 } }), 0.5],
    ['summary-contradicts-itself', by({ work: { ms: 1 }, page: { filling: 1 } }), 1],
    ['much-trusted-input', input({ trusted: 1 }), 0.1],
    ['much-trusted-input', input({ trusted: 10 }), 1],
    ['coalesced-moves', input({ coalesced: 1 }), 0.2],
    ['coalesced-moves', input({ coalesced: 4, moves: 40 }), 0.8],
    ['coalesced-moves', input({ coalesced: 4, moves: 41 }), 0],
    ['presses-without-way', input({ jumps: 1 }), 0],
    ['presses-without-way', input({ jumps: 2 }), 0.5],
    ['presses-without-way', input({ jumps: 3 }), 1],
    ['presses-in-the-middle', input({ centred: 2, presses: 3 }), 2 / 3],
    ['presses-in-the-middle', input({ centred: 3, presses: 5 }), 1],
    ['keys-barely-held', input({ keys: 8, keyHold: 25 }), 1],
    ['keys-barely-held', input({ keys: 8, keyHold: 34 }), 0.55],
    ['keys-barely-held', input({ keys: 8, keyHold: 20, keyGap: 50 }), 1],
    ['keys-barely-held', input({ keys: 8, keyHold: 20, keyGap: 45 }), 0.3],
    ['keys-very-close', input({ keys: 12, keyHold: 25, keyGap: 45 }), 1],
    ['keys-very-close', input({ keys: 12, keyHold: 20, keyGap: 45 }), 0.3],
    ['keys-very-close', input({ keys: 12, keyGap: 45 }), 1],
    ['even-typing', input({ keys: 16, keyGap: 100, keyGapSpread: 20 }), 0.5],
    ['even-typing', input({ keys: 16, keyGap: 100, keyGapSpread: 20, keyHold: 100, keyHoldSpread: 10 }), 1],
    ['capitals-without-shift', input({ keys: 1, bareCapitals: 1 }), 0.5],
    ['typing-without-pauses', unpausing({ keyGapLong: 175 }), 0.5],
    ['typing-without-pauses', unpausing({ keyGapLong: 160 }), 1],
    ['whole-texts', input({ wholeTexts: 1 }), 0.5],
    ['whole-texts', input({ bareTexts: 4 }), 0.25],
    ['whole-texts', input({ wholeTexts: 1, bareTexts: 8 }), 1],
    ['keys-without-focus', input({ unfocused: 1 }), 0.2],
    ['focus-by-nobody', by({ page: { loneFocus: 3 } }), 0],
    ['focus-by-nobody', by({ page: { loneFocus: 5 } }), 0.5],
    ['focus-by-nobody', by({ page: { loneFocus: 7 } }), 1],
    ['no-move-coalesced', input({ moves: 40, moveGap: 14 }), 1],
    ['no-move-coalesced', input({ moves: 40, moveGap: 14 }, WINDOWS), 0.7],
    ['no-move-coalesced', input({ moves: 100, moveGap: 14, coalesced: 4 }), 0.5],
    ['moves-one-by-one', input({ moves: 40, moveGap: 14, rawRatio: 100 }), 1],
    ['moves-one-by-one', input({ moves: 40, moveGap: 14, rawRatio: 100 }, WINDOWS), 0.6],
    ['moves-within-a-frame', input({ moves: 200, sameFrame: 6 }), 0],
    ['moves-within-a-frame', input({ moves: 200, sameFrame: 11 }), 0.5],
    ['moves-within-a-frame', input({ moves: 40, sameFrame: 40 }), 1],
    ['moves-within-a-frame', input({ moves: 40, sameFrame: 40 }, WINDOWS), 0.7],
    ['balanced-reaches', input({ balanced: 2, reaches: 4 }), 0],
    ['balanced-reaches', input({ balanced: 13, reaches: 20 }), 0.5],
    ['balanced-reaches', input({ balanced: 2, reaches: 2 }), 0.625],
    ['scattered-times', onX11(75, { placed: 1 }), 0.5],
    ['scattered-times', onX11(0, { placed: 1 }), 1],
    ['scattered-times', onX11(0, {}), 0.4],
    ['scattered-times', onX11(0, { placed: 0, linuxEngine: 1 }, WINDOWS), 0.6],
    ['work-in-part', { part: { done: 0.5, early: false } }, 0.5],
    ['work-in-part', { part: { done: 0.25, early: false } }, 1],
    ['work-in-part', { part: { done: 0.25, early: true } }, 0],
  ])('of %s for %j is at %d', (name, more, at) => expect(strength(name, more)).toBeCloseTo(at, 9))
})

type Sign = readonly [name: string, fires: More, near: readonly More[]]
const typing = (of: Record<string, number>, userAgent?: string): More =>
  input({ keys: 16, keyGap: 100, keyGapSpread: 20, ...of }, userAgent)
const moving = (of: Record<string, number>, userAgent?: string): More =>
  input({ moves: 40, moveGap: 14, rawRatio: 100, ...of }, userAgent)
const scattered = (of: Record<string, number>, userAgent?: string): More =>
  input({ timed: 12, samePhase: 59, ...of }, userAgent)

describe('a sign', () => {
  test.each<Sign>([
    ['trusted-input', input({ trusted: 1 }), [input({ trusted: 0 })]],
    ['untrusted-input-only', input({ untrusted: 1 }), [input({ untrusted: 1, trusted: 1 }), input({ untrusted: 0 })]],
    ['flat-presses', input({ flatPresses: 1 }), [input({ flatPresses: 0 })]],
    [
      'scattered-times',
      scattered({}),
      [
        scattered({ timed: 11 }),
        scattered({ samePhase: 90 }),
        scattered({}, WINDOWS),
        scattered({}, ANDROID),
        scattered({}, `${CHROMIUM} Mobile`),
        scattered({}, FIREFOX),
        input({ timed: 12 }),
      ],
    ],
    [
      'scattered-times',
      onX11(59, { placed: 1, linuxEngine: 1 }, `${ANDROID} Mobile`),
      [
        onX11(59, { placed: 1 }, `${ANDROID} Mobile`),
        onX11(59, { placed: 1, linuxEngine: 1 }, CHROME_OS),
        onX11(59, { placed: 0, linuxEngine: 1 }),
        onX11(59, { placed: 1, linuxEngine: 1 }, FIREFOX),
      ],
    ],
    [
      'no-move-coalesced',
      input({ moves: 40 }),
      [input({ moves: 40, coalesced: 4 }), input({ moves: 40, moveGap: 13 })],
    ],
    [
      'moves-one-by-one',
      moving({}),
      [
        moving({ moves: 39 }),
        moving({ moveGap: 13 }),
        moving({ rawRatio: 108 }),
        moving({ touches: 1 }),
        moving({}, FIREFOX),
      ],
    ],
    [
      'moves-within-a-frame',
      input({ moves: 40, sameFrame: 3 }),
      [
        input({ moves: 39, sameFrame: 3 }),
        input({ moves: 40, sameFrame: 3, touches: 1 }),
        input({ moves: 40, sameFrame: 3 }, FIREFOX),
        input({ moves: 40 }),
      ],
    ],
    [
      'presses-in-the-middle',
      input({ centred: 2, presses: 3 }),
      [
        input({ centred: 1, presses: 1 }),
        input({ centred: 2, presses: 4 }),
        // The press of a finger is none of a mouse.
        input({ centred: 2, presses: 3, touches: -1 }),
      ],
    ],
    ['presses-in-the-middle', input({ centred: 2, presses: 5, touches: 2 }), [input({ centred: 2, presses: 5 })]],
    ['presses-in-the-middle', input({ centred: 2 }), []],
    [
      'straight-reaches',
      input({ straight: 2, reaches: 3 }),
      [input({ straight: 1, reaches: 1 }), input({ straight: 3, reaches: 5 }), input({ straight: 2, reaches: 4 })],
    ],
    ['straight-reaches', input({ straight: 2 }), []],
    [
      'even-reaches',
      input({ even: 2, reaches: 3 }),
      [input({ even: 1, reaches: 1 }), input({ even: 3, reaches: 5 }), input({ even: 2, reaches: 4 })],
    ],
    ['even-reaches', input({ even: 2 }), []],
    [
      'presses-barely-held',
      input({ pressHold: 24, presses: 2 }),
      [
        input({ pressHold: 25, presses: 2 }),
        input({ pressHold: 24, presses: 1 }),
        input({ pressHold: 24, presses: 3, touches: 2 }),
        input({ presses: 2 }),
      ],
    ],
    [
      'presses-barely-held',
      input({ pressHold: 44, pressHoldSpread: 10, presses: 4 }),
      [
        input({ pressHold: 45, pressHoldSpread: 10, presses: 4 }),
        input({ pressHold: 44, pressHoldSpread: 11, presses: 4 }),
        input({ pressHold: 44, pressHoldSpread: 10, presses: 3 }),
        input({ pressHold: 44, presses: 4 }),
        input({ pressHoldSpread: 10, presses: 4 }),
      ],
    ],
    [
      'balanced-reaches',
      input({ balanced: 2, reaches: 3 }),
      [input({ balanced: 1, reaches: 1 }), input({ balanced: 1 }), input({ reaches: 3 })],
    ],
    [
      'keys-barely-held',
      input({ keys: 8, keyHold: 34 }),
      [
        input({ keys: 7, keyHold: 34 }),
        input({ keys: 8, keyHold: 35 }),
        input({ keys: 8 }),
        input({ keys: 8, timedKeys: 7, keyHold: 34 }),
        input({ keys: 8, keyHold: 34, touches: 1 }),
        input({ keys: 8, keyHold: 34 }, ANDROID),
      ],
    ],
    ['keys-barely-held', input({ keys: 1, timedKeys: 8, keyHold: 34 }), []],
    [
      'keys-very-close',
      input({ keys: 12, keyGap: 49 }),
      [input({ keys: 11, keyGap: 49 }), input({ keys: 12, keyGap: 50 }), input({ keys: 12 })],
    ],
    [
      'even-typing',
      typing({}),
      [
        typing({ keys: 15 }),
        typing({ keyGapSpread: 21 }),
        input({ keys: 16, keyGap: 100 }),
        input({ keys: 16, keyGapSpread: 5 }),
      ],
    ],
    ['even-typing', typing({ keyGap: 20, keyGapSpread: 10 }), [typing({ keyGap: 20, keyGapSpread: 11 })]],
    ['even-typing', typing({ keyGapSpread: 50, keyHoldSpread: 5 }), [typing({ keyGapSpread: 50, keyHoldSpread: 6 })]],
    [
      'even-typing',
      typing({ keyGapSpread: 50, keyHold: 90, keyHoldSpread: 9 }),
      [typing({ keyGapSpread: 50, keyHold: 90, keyHoldSpread: 10 })],
    ],
    [
      'keys-never-overlap',
      input({ timedKeys: 50 }),
      [input({ timedKeys: 49 }), input({ timedKeys: 50, overlaps: 1 }), input({ keys: 50 })],
    ],
    [
      'typing-without-pauses',
      unpausing({ keyGapLong: 185 }),
      [
        unpausing({ keyGapLong: 190 }),
        unpausing({ keyGapLong: 185, keys: 29 }),
        unpausing({ keyGapLong: 185, overlaps: 1 }),
        unpausing({ keyGapLong: 185 }, ANDROID),
        unpausing({}),
        input({ keys: 30, keyGap: 0, keyGapLong: 0 }),
        input({ keys: 30, keyGapLong: 185 }),
      ],
    ],
    ['capitals-without-shift', input({ keys: 1, bareCapitals: 1 }), [input({ bareCapitals: 1 })]],
    ['whole-texts', input({ wholeTexts: 1 }), [input({ wholeTexts: 1 }, ANDROID)]],
    ['whole-texts', input({ bareTexts: 1 }), [input({ bareTexts: 1 }, ANDROID)]],
    [
      'page-focused',
      by({ page: { focused: 1, visible: 1 } }),
      [by({ page: { focused: 1, visible: 0 } }), by({ page: { focused: 0, visible: 1 } })],
    ],
    ['never-visible', by({ page: { visible: 0 } }), [by({ page: { visible: 1 } })]],
    [
      'filled-at-once',
      by({ page: { filling: 499 }, input: { keys: 2 } }),
      [
        by({ page: { filling: 500 }, input: { keys: 2 } }),
        by({ page: { filling: 499 }, input: { keys: 2, autofills: 1 } }),
        by({ page: { filling: 499 }, input: { keys: 1 } }),
        by({ page: { filling: 499 } }),
      ],
    ],
    [
      'window-is-screen',
      by({ environment: { windowed: 0 } }),
      [by({ environment: { windowed: 1 } }), by({ environment: { windowed: 0, touchPoints: 1 } })],
    ],
    [
      'system-is-another',
      by({ environment: { linuxEngine: 1 } }, MACOS),
      [
        by({ environment: { linuxEngine: 0 } }, MACOS),
        by({ environment: {} }, MACOS),
        by({ environment: { linuxEngine: 1 } }),
        by({ environment: { linuxEngine: 1 } }, CHROME_OS),
        by({ environment: { linuxEngine: 1 } }, SAFARI),
        by({ environment: { linuxEngine: 1 } }, 'Haiku Chrome/156.0.0.0'),
      ],
    ],
    ['system-is-another', by({ environment: { linuxEngine: 1 } }, WINDOWS), []],
    ['system-is-another', by({ environment: { linuxEngine: 1 } }, ANDROID), []],
    [
      'nothing-but-the-page',
      by({ environment: { framed: 0, touchPoints: 0 } }),
      [
        by({ environment: { framed: 1, touchPoints: 0 } }),
        by({ environment: { framed: 0, touchPoints: 1 } }),
        by({ environment: { framed: 0 } }),
        by({ environment: { framed: 0, touchPoints: 0 } }, ANDROID),
      ],
    ],
    [
      'no-pointing-device',
      by({ environment: { pointers: 0 }, input: { moves: 1 } }),
      [
        by({ environment: { pointers: 1 }, input: { moves: 1 } }),
        by({ environment: { pointers: 0 }, input: { moves: 1, touches: 1 } }),
        by({ environment: { pointers: 0 } }),
        by({ environment: { pointers: 0 }, input: { touches: 1 } }),
      ],
    ],
    [
      'engine-is-another',
      by({ environment: { engine: 2 } }),
      [
        by({ environment: { engine: 1 } }),
        by({ environment: { engine: 0 } }),
        by({ environment: { engine: 3 } }, SAFARI),
      ],
    ],
    ['engine-is-another', by({ environment: { engine: 1 } }, FIREFOX), [by({ environment: { engine: 2 } }, FIREFOX)]],
    ['headless-agent', { request: { userAgent: 'HeadlessChrome/156' } }, [{ request: { clientHints: undefined } }]],
    ['headless-agent', { request: { clientHints: '"HeadlessChrome";v="156"' } }, []],
    [
      'worker-console-listener',
      by({ automation: { workerConsole: 1 } }),
      [by({ automation: { workerConsole: 1, console: 1 } })],
    ],
    ['work-too-fast', { units: 8000, signals: { work: { ms: 3 } } }, [{ units: 8000, signals: { work: { ms: 4 } } }]],
    ['work-by-fallback', { fallback: true }, [{ fallback: false }, {}]],
    ['work-in-part-early', { part: { done: 0.5, early: true } }, [{ part: { done: 0.5, early: false } }]],
    ['proof-missing', { proof: { is: 'missing' } }, [{ proof: { is: 'answered', wrong: 0 } }]],
    ['proof-missing', { proof: { is: 'unasked' } }, []],
    [
      'proof-one-wrong',
      { proof: { is: 'answered', wrong: 1 } },
      [{ proof: { is: 'answered', wrong: 0 } }, { proof: { is: 'answered', wrong: 2 } }],
    ],
    [
      'proof-wrong',
      { proof: { is: 'answered', wrong: 2 } },
      [{ proof: { is: 'answered', wrong: 1 } }, { proof: { is: 'missing' } }],
    ],
  ])('%s fires for %j, and for nothing near it', (name, fires, near) => {
    expect(strength(name, fires)).toBeGreaterThan(0)
    for (const other of near) expect([other, Math.max(0, strength(name, other))]).toEqual([other, 0])
  })
})

describe('of the request', () => {
  const of = (change: Partial<RequestFacts>): More => ({ request: change })
  test.each<Sign>([
    ['tool-agent', of({ userAgent: 'curl/8.5.0' }), [of({})]],
    [
      'fetch-metadata',
      of({}),
      [
        of({ fetchMode: 'navigate' }),
        of({ fetchDest: 'document' }),
        of({ fetchSite: 'none' }),
        of({ fetchSite: undefined }),
        of({ fetchSite: 'x-same-site' }),
        of({ fetchSite: 'same-site-x' }),
      ],
    ],
    ['fetch-metadata', of({ fetchSite: 'same-site' }), []],
    ['fetch-metadata', of({ fetchSite: 'same-origin' }), []],
    [
      'fetch-metadata-wrong',
      of({ fetchMode: 'no-cors' }),
      [of({}), of({ fetchMode: 'no-cors', fetchSite: undefined })],
    ],
    ['fetch-metadata-wrong', of({ fetchDest: 'document' }), []],
    ['fetch-metadata-wrong', of({ fetchSite: 'none' }), []],
    [
      'fetch-metadata-missing',
      of({ fetchSite: undefined }),
      [of({}), of({ fetchSite: undefined, trustworthy: false }), of({ fetchSite: undefined, userAgent: SAFARI })],
    ],
    ['fetch-metadata-missing', of({ fetchSite: undefined, userAgent: FIREFOX }), []],
    ['language-missing', of({ acceptLanguage: undefined }), [of({})]],
    [
      'client-hints-differ',
      of({ clientPlatform: 'Windows' }),
      [of({}), of({ clientPlatform: undefined }), of({ clientPlatform: 'Windows', userAgent: 'Haiku' })],
    ],
    [
      'client-hints-missing',
      of({ clientHints: undefined }),
      [
        of({}),
        of({ clientHints: undefined, trustworthy: false }),
        of({ clientHints: undefined, userAgent: FIREFOX }),
        of({ clientHints: undefined, userAgent: 'Chrome/99.0' }),
      ],
    ],
    ['client-hints-missing', of({ clientHints: undefined, userAgent: 'Chrome/100.0' }), []],
    [
      'client-hints-of-another',
      of({ clientHints: '"Chromium";v="155"' }),
      [of({}), of({ clientHints: undefined }), of({ userAgent: SAFARI })],
    ],
    ['client-hints-of-another', of({ userAgent: FIREFOX }), [of({ userAgent: FIREFOX, clientHints: undefined })]],
    ['client-hints-of-another', of({ clientHints: '"Chromium";v="1560"' }), []],
    ['mobile-hint-differs', of({ clientMobile: '?1' }), [of({}), of({ clientMobile: '?1', userAgent: ANDROID })]],
    [
      'mobile-hint-differs',
      of({ clientMobile: '?0', userAgent: `${ANDROID} Mobile` }),
      [of({ clientMobile: '?0', userAgent: ANDROID }), of({ clientMobile: '?1', userAgent: `${ANDROID} Mobile` })],
    ],
    ['accept-not-of-fetch', of({ accept: 'text/html' }), [of({}), of({ accept: '*/*' })]],
    [
      'encodings-not-of-browser',
      of({ acceptEncoding: 'gzip' }),
      [of({}), of({ acceptEncoding: 'gzip', trustworthy: false })],
    ],
    ['encodings-not-of-browser', of({ acceptEncoding: undefined }), []],
    ['encodings-not-of-browser', of({ acceptEncoding: 'br' }), []],
    ['encodings-not-of-browser', of({ acceptEncoding: 'br', trustworthy: false }), []],
  ])('%s fires for %j, and for nothing near it', (name, fires, near) => {
    expect(strength(name, fires)).toBeGreaterThan(0)
    for (const other of near) expect([other, Math.max(0, strength(name, other))]).toEqual([other, 0])
  })

  describe('the order of the headers', () => {
    const [SITE, MODE, DEST] = ['sec-fetch-site', 'sec-fetch-mode', 'sec-fetch-dest']
    const [ENCODING, LANGUAGE] = ['accept-encoding', 'accept-language']
    const fires = (userAgent: string, ...headerOrder: string[]): boolean =>
      strength('header-order-of-another', of({ userAgent, headerOrder })) > 0

    test.each<[string, string[], boolean, boolean]>([
      ['as Chromium writes', ['host', SITE, MODE, DEST, 'accept', ENCODING, LANGUAGE], false, true],
      ['as Firefox writes', ['host', LANGUAGE, ENCODING, DEST, MODE, SITE], true, false],
      ['two of Chromium’s', [SITE, MODE], false, true],
      ['two of Firefox’s, which are sorted too', [MODE, SITE], false, false],
      ['mode and dest, as Chromium', [ENCODING, LANGUAGE, MODE, DEST], false, true],
      ['dest and mode, as Firefox', [LANGUAGE, ENCODING, DEST, MODE], true, false],
      ['languages first', ['x', LANGUAGE, ENCODING], false, false],
      ['one of each pair', [SITE, LANGUAGE], false, false],
      ['none of them', ['host', 'accept'], false, false],
      // Sorted by a proxy, with or without some of them.
      ['sorted', ['accept', ENCODING, LANGUAGE, 'host', DEST, MODE, SITE], false, false],
      ['sorted, and fewer', [ENCODING, LANGUAGE, DEST, MODE], false, false],
      ['sorted, and two', [DEST, MODE], false, false],
    ])('%s', (_what, order, ofChromium, ofFirefox) => {
      expect([fires(CHROMIUM, ...order), fires(FIREFOX, ...order)]).toEqual([ofChromium, ofFirefox])
      expect(fires(SAFARI, ...order)).toBe(false)
    })
    test('that is not known says nothing', () => expect(strength('header-order-of-another', of({}))).toBe(0))
  })
})

describe('of the network', () => {
  const on = (...kinds: ListKind[]): NetworkFacts => ({
    asn: undefined,
    country: undefined,
    lists: kinds.map((kind) => ({ name: kind, kind })),
  })
  const EXCLUSIVE = ['tor-exit', 'proxy', 'data-centre', 'vpn'] as const
  test.each(EXCLUSIVE.map((kind, i) => ({ kind, weaker: EXCLUSIVE.slice(i) })))(
    '$kind alone counts, of itself and all that are weaker, in any order',
    ({ kind, weaker }) => {
      for (const lists of [weaker, weaker.toReversed()]) {
        for (const name of EXCLUSIVE) expect(strength(name, { network: on(...lists) })).toBe(Number(name === kind))
      }
    },
  )
  test('the operator’s own list counts beside them', () => {
    expect(strength('abuse-list', { network: on('vpn', 'abuse') })).toBe(1)
    expect(strength('vpn', { network: on('vpn', 'abuse') })).toBe(1)
    expect(strength('abuse-list', { network: on('vpn') })).toBe(0)
  })
})

describe('of the record', () => {
  const site = { solves: 0, verified: 0, parts: 0, usualParts: 0.05 }
  const known = (change: Partial<HistoryFacts>, shows: 'much' | 'little' = 'much'): More => ({
    shows,
    history: { ...STRANGER, here: NOTHING, again: 0, alike: [], site, ...change },
  })
  const crowd = (change: Partial<typeof NOTHING>) => ({ ...NOTHING, ...change })
  const verifying = { ...site, solves: 100, verified: 90 }
  test.each<readonly [name: string, change: Partial<HistoryFacts>, strength: number]>([
    ['same-behaviour-again', { again: 1 }, 0],
    ['same-behaviour-again', { again: 2.5 }, 0.5],
    ['same-behaviour-again', { again: 4 }, 1],
    ['same-behaviour-again', { again: 4, site: { ...site, solves: 300 } }, 0.5],
    ['alike-behaviour-again', { alike: [2] }, 0],
    ['alike-behaviour-again', { alike: [2, 2] }, 1],
    ['alike-behaviour-again', { alike: [2, 1.9] }, 0],
    ['alike-behaviour-again', { alike: [2, 2, 2], site: { ...site, solves: 5000 } }, 0],
    ['troubled-address', { here: crowd({ failed: 9 }) }, 0.5],
    ['troubled-address', { address: crowd({ failed: 15 }) }, 0.25],
    ['troubled-address', { network: crowd({ low: 40 }) }, 0],
    ['troubled-network', { network: crowd({ low: 40 }) }, 0.5],
    ['troubled-network', { network: crowd({ failed: 400 }) }, 0],
    ['busy-address', { address: crowd({ solves: 200 }) }, 0],
    ['busy-address', { address: crowd({ solves: 400 }) }, 0.5],
    ['busy-address', { network: crowd({ solves: 400 }) }, 0],
    ['never-verified', { here: crowd({ solves: 10 }), site: verifying }, 0],
    ['never-verified', { here: crowd({ solves: 19 }), site: verifying }, 0.5],
    ['never-verified', { here: crowd({ solves: 22, verified: 1 }), site: verifying }, 0.5],
    ['never-verified', { here: crowd({ solves: 400 }) }, 0],
  ])('%s at %j: %d', (name, change, at) => expect(strength(name, known(change))).toBeCloseTo(at, 9))

  test.each<readonly [change: Partial<HistoryFacts>, strength: number]>([
    [{}, 0],
    [{ address: crowd({ parts: 2 }) }, 0],
    [{ address: crowd({ parts: 3 }) }, 1],
    [{ network: crowd({ parts: 11 }) }, 0],
    [{ network: crowd({ parts: 12 }) }, 1],
    [{ site: { ...site, solves: 50, parts: 10 } }, 0],
    [{ site: { ...site, solves: 50, parts: 11 } }, 1],
    [{ site: { ...site, solves: 1000, parts: 150 } }, 0],
    [{ site: { ...site, solves: 1000, parts: 151 } }, 1],
  ])('a part of the work, again, at %j: %d', (change, at) => {
    const part = { done: 0.25, early: false }
    expect(strength('work-in-part-again', { ...known(change), part })).toBe(at)
    expect(strength('work-in-part-again', known(change))).toBe(0)
  })
})

describe('of what the server saw itself', () => {
  const seen = { age: 30, distance: 'same', sameAgent: true } as const
  test.each<readonly [name: string, change: Partial<VisitSeen>, strength: number]>([
    ['solved-elsewhere', { distance: 'near' }, 0],
    ['solved-elsewhere', { distance: 'other-family' }, 0.25],
    ['solved-elsewhere', { distance: 'elsewhere' }, 1],
    ['solved-elsewhere-at-once', { distance: 'elsewhere', age: 4 }, 1],
    ['solved-elsewhere-at-once', { distance: 'elsewhere', age: 5 }, 0],
    ['solved-elsewhere-at-once', { age: 0 }, 0],
    ['another-browser', { sameAgent: false }, 1],
    ['another-browser', {}, 0],
  ])('%s at %j: %d', (name, change, at) => expect(strength(name, { observation: { ...seen, ...change } })).toBe(at))

  test.each([
    { filling: 33_000, at: 0 },
    { filling: 35_000, at: 0.5 },
    { filling: 37_000, at: 1 },
  ])('$filling ms of filling in a visit of 30 s: $at', ({ filling, at }) => {
    expect(strength('minutes-made-up', { observation: seen, signals: { page: { filling } } })).toBe(at)
    expect(strength('minutes-made-up', { signals: { page: { filling } } })).toBe(0)
  })
  test('input earns credit for what fits into the time of the visit', () => {
    const signals = { input: { trusted: 90, moves: 10, moveGap: 16, keys: 40, keyGap: 200 } }
    expect(fittingInput({ signals, observation: { ...seen, age: 30 } } as never).trusted).toBe(90)
    expect(fittingInput({ signals, observation: { ...seen, age: 0 } } as never).trusted).toBeCloseTo(
      (90 * 1000) / 8160,
      5,
    )
  })
})
