/**
 * What a browser tells about a visit: a summary of counts, flags and rounded times. No raw movement, no typed text.
 *
 * This table is the one place that names a signal: its family, its largest value and what it says. The request schema,
 * the widget's types and the privacy page come from here. Every value is a whole number from 0 to `max`; every member
 * is optional, and what is left out adds nothing to the score. RISK.md, section 1.
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
    altered: { max: 1, says: '1: a native function among those looked at was replaced' },
    console: { max: 1, says: '1: somebody listens to the console (a driver, or open developer tools)' },
  },
  input: {
    trusted: { max: 999, says: 'events with `isTrusted`' },
    untrusted: { max: 999, says: 'input events without `isTrusted`' },
    moves: { max: 999, says: 'pointer moves' },
    coalesced: { max: 999, says: 'of the moves, those that carried coalesced events' },
    presses: { max: 999, says: 'pointer presses' },
    flatPresses: { max: 999, says: 'mouse presses with `pressure` 0 though a device is named: input of a debugger' },
    touches: { max: 999, says: 'of the presses, those by touch or pen' },
    keys: { max: 999, says: 'keys pressed' },
    pastes: { max: 999, says: 'texts pasted or dropped' },
    autofills: { max: 999, says: 'fields filled without key, paste or inputType: password managers and autofill' },
    keyHold: { max: 1000, says: 'median milliseconds a key was held, rounded to 5' },
  },
  page: {
    visible: { max: 1, says: '1: the page was visible when the work started' },
    focused: { max: 1, says: '1: the page had the focus when the work started' },
    firstTouch: { max: 600_000, says: 'milliseconds from load to the first touch of the form, rounded to 100' },
    filling: { max: 3_600_000, says: 'milliseconds from the first touch to the submit, rounded to 100' },
  },
  environment: {
    languages: { max: 32, says: 'number of preferred languages' },
    cores: { max: 32, says: 'logical processors, capped' },
    touchPoints: { max: 32, says: 'touch points of the screen' },
    platformAgrees: { max: 1, says: "1: the agent string's system and `navigator.platform` agree; 0: they do not" },
    workerAgrees: { max: 1, says: "1: the worker's navigator says what the window's says; 0: it does not" },
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
export type Signals = { readonly v?: 1 } & {
  readonly [F in SignalFamily]?: { readonly [S in keyof (typeof SIGNALS)[F]]?: number }
}

/** What the request itself tells; read by the server from the headers of `solve`, never from the summary. */
export interface RequestFacts {
  /** Whether browsers treat our address as trustworthy (https, or loopback): only there they send Sec-Fetch-* and hints. */
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
}
