/**
 * A browser's account of a visit: a summary of counts, flags and rounded times. No raw movement, no typed text.
 *
 * This table is the one place that names a signal: its family, its largest value and what it says. The request schema,
 * the widget's types and the privacy page come from here. Every value is a whole number from 0 to `max`; every member
 * is optional, and what is left out adds nothing to the score. docs/design/risk.md, "What separates".
 */

interface SignalKind {
  readonly max: number
  readonly says: string
}

export const SIGNALS = {
  automation: {
    webdriver: { max: 2, says: '`navigator.webdriver`: 0 false, 1 true, 2 missing where this engine has it' },
    headless: { max: 1, says: '1: the agent string or the client hints say "Headless"' },
    artefacts: { max: 99, says: 'how many known driver artefacts were found (`cdc_…`, `__pw…`)' },
    altered: { max: 99, says: 'native functions, of a dozen looked at, that were replaced' },
    console: { max: 1, says: '1: somebody listens to the console (a driver, or open developer tools)' },
    workerConsole: { max: 1, says: "1: somebody listens to the console of the widget's worker" },
    ownWebdriver: { max: 1, says: '1: `webdriver` stands on the navigator itself instead of its prototype' },
    scripted: { max: 999, says: 'events raised by scripts without an address (drivers, user scripts)' },
    granted: { max: 1, says: '1: the page may read the position, which it need not have asked for' },
  },
  input: {
    trusted: { max: 999, says: 'pointer, key, click, paste and drop events with `isTrusted`' },
    untrusted: { max: 999, says: 'input events without `isTrusted`' },
    moves: { max: 999, says: 'pointer moves' },
    coalesced: { max: 999, says: 'of the moves, those that carried coalesced events' },
    sameFrame: { max: 999, says: 'of the moves, those by mouse that came less than 2.5 ms after the last one' },
    moveGap: { max: 100, says: 'median milliseconds between two moves' },
    rawRatio: { max: 9999, says: 'raw updates for each hundred moves (`pointerrawupdate`)' },
    presses: { max: 999, says: 'pointer presses' },
    flatPresses: { max: 999, says: 'mouse presses with `pressure` 0 though a device is named: input of a debugger' },
    touches: { max: 999, says: 'of the presses, those by touch or pen' },
    jumps: {
      max: 999,
      says: 'mouse presses elsewhere than the last, with fewer than 3 moves before, or than 6 for 100 pixels',
    },
    centred: { max: 999, says: 'mouse presses within 1 % of the dead centre of what was pressed' },
    reaches: { max: 999, says: 'ways of 100 pixels or more to a mouse press' },
    straight: { max: 999, says: 'of the reaches, those in one straight line' },
    even: { max: 999, says: 'of the reaches, those in steps of one length' },
    balanced: { max: 999, says: 'of the reaches, those with half of the way in half of the time, in no hurry' },
    pressHold: { max: 1000, says: 'median milliseconds the mouse was pressed, rounded to 5' },
    pressHoldSpread: { max: 1000, says: 'milliseconds between the shortest and the longest of that, rounded to 5' },
    timed: { max: 999, says: 'moments of device events' },
    samePhase: { max: 100, says: 'per cent of these moments that share two neighbouring tenths of a millisecond' },
    keys: { max: 999, says: 'keys pressed' },
    timedKeys: { max: 999, says: 'of the keys, those of a keyboard, modifiers left out' },
    overlaps: { max: 999, says: 'of the timed keys, those pressed before the last one was released' },
    bareCapitals: { max: 999, says: 'capital letters without Shift or Caps Lock' },
    unfocused: { max: 999, says: 'keys that came while the page had no focus' },
    pastes: { max: 999, says: 'texts pasted or dropped' },
    autofills: { max: 999, says: 'fields filled without key, paste or inputType: password managers and autofill' },
    bareTexts: { max: 999, says: 'shorter texts that came without key, paste or input method' },
    wholeTexts: { max: 999, says: 'texts of more than 8 characters that came in one piece, without key or paste' },
    keyHold: { max: 1000, says: 'median milliseconds a key was held, rounded to 5' },
    keyHoldSpread: { max: 1000, says: 'milliseconds between the quartiles of that, rounded to 5' },
    keyGap: { max: 1000, says: 'median milliseconds from key to key, rounded to 5; pauses left out' },
    keyGapSpread: { max: 1000, says: 'milliseconds between the quartiles of that, rounded to 5' },
    keyGapLong: { max: 1000, says: 'milliseconds that nine in ten of these stay below, rounded to 5' },
  },
  step: {
    pressed: { max: 1, says: '1: the button of the step was pressed, with a trusted event' },
    waited: { max: 600_000, says: 'milliseconds from the appearance of that button to the press, rounded to 100' },
  },
  page: {
    visible: { max: 1, says: '1: the page was visible when the work started' },
    focused: { max: 1, says: '1: the page had the focus when the work started' },
    firstTouch: { max: 600_000, says: 'milliseconds from load to the first touch of the form, rounded to 100' },
    loneFocus: { max: 999, says: 'moves of the focus that no input and no script preceded' },
    honeypot: { max: 1, says: '1: the field of `data-honeypot` holds something that the browser did not fill in' },
    bare: { max: 1, says: '1: the second script could not be loaded, so nothing was observed' },
    filling: {
      max: 3_600_000,
      says: 'milliseconds from the first touch, or from the challenge where that came later, to the submit, rounded to 100',
    },
  },
  environment: {
    languages: { max: 32, says: 'number of preferred languages' },
    languageAgrees: { max: 1, says: '1: the first preferred language is the language of the browser' },
    cores: { max: 32, says: 'logical processors, capped' },
    touchPoints: { max: 32, says: 'touch points of the screen' },
    platformAgrees: { max: 1, says: "1: the agent string's system and `navigator.platform` agree; 0: they do not" },
    workerAgrees: { max: 1, says: "1: the worker's navigator says what the window's says; 0: it does not" },
    framed: { max: 1, says: '1: the window has more than the page in it (tabs, an address bar)' },
    pointers: { max: 2, says: 'pointing devices, by media query: 0 none, 1 coarse, 2 fine' },
    engine: { max: 3, says: 'what the engine can do that others cannot: 1 Blink, 2 Gecko, 3 WebKit; 0: unclear' },
    zoneAgrees: { max: 1, says: "1: the clock's offset is that of the time zone it names" },
    placed: { max: 1, says: '1: the window knows a place on the screen; on Wayland none does' },
    linuxEngine: { max: 1, says: '1: a Blink that lacks what it lacks on Linux desktops only' },
    windowed: {
      max: 1,
      says: '1: the window is smaller than the screen or the screen has bars; 0: window and screen are one',
    },
  },
  work: {
    ms: { max: 3_600_000, says: 'milliseconds the work took, rounded to 10' },
    workers: { max: 16, says: 'workers that did it; 0: the main thread' },
  },
} as const satisfies Record<string, Record<string, SignalKind>>

export type SignalFamily = keyof typeof SIGNALS

/** The summary as it travels; version 1 of this shape. */
export type Signals = {
  readonly v?: 1
  /** Answers of the browser proof, a list per task; domain/proof/proof.ts judges them. */
  readonly proof?: readonly (readonly number[])[]
} & {
  readonly [F in SignalFamily]?: { readonly [S in keyof (typeof SIGNALS)[F]]?: number }
}

/** Facts of the request itself; read by the server from the headers of `solve`, never from the summary. */
export interface RequestFacts {
  /** True if browsers treat our address as trustworthy (https, or loopback): only there they send Sec-Fetch-* and hints. */
  readonly trustworthy: boolean
  readonly userAgent: string
  /** `sec-fetch-site`, `sec-fetch-mode`, `sec-fetch-dest`; undefined when the header is missing. */
  readonly fetchSite: string | undefined
  readonly fetchMode: string | undefined
  readonly fetchDest: string | undefined
  readonly acceptLanguage: string | undefined
  readonly acceptEncoding: string | undefined
  /** `sec-ch-ua`, Chromium's client hint. */
  readonly clientHints: string | undefined
  /** `sec-ch-ua-platform`, quotes removed. */
  readonly clientPlatform: string | undefined
  /** `sec-ch-ua-mobile`: `?0` or `?1`. */
  readonly clientMobile?: string | undefined
  readonly accept?: string | undefined
  /** JA4 of the visitor's TLS, as a proxy of ours measured it; never logged, never kept. */
  readonly ja4?: string | undefined
  /** Names of the headers in the order they came in, lower case; a proxy may have sorted them. */
  readonly headerOrder?: readonly string[]
}
