/**
 * The browser's summary of a visit: counts, flags and rounded times, but no raw movement and no typed text.
 *
 * This table is the only place that defines a signal: its family, maximum and meaning. The request schema, the widget's types
 * and the privacy page are generated from it. Every value is an integer from 0 to `max`; every member is optional, and
 * missing ones do not affect the score.
 */

interface SignalKind {
  readonly max: number
  readonly says: string
}

export const SIGNALS = {
  automation: {
    webdriver: { max: 1, says: '`navigator.webdriver`: 1 true' },
    headless: { max: 1, says: '1: the User-Agent or the client hints say "Headless"' },
    artefacts: { max: 99, says: 'how many known driver artefacts were found (`cdc_…`, `__pw…`)' },
    console: { max: 1, says: '1: the console is read (by a driver, or by open developer tools)' },
  },
  input: {
    trusted: { max: 999, says: 'pointer, key, click, paste and drop events with `isTrusted`' },
    untrusted: { max: 999, says: 'input events without `isTrusted`' },
    moves: { max: 999, says: 'pointer moves' },
    coalesced: { max: 999, says: 'of the moves, those that carried coalesced events' },
    sameFrame: {
      max: 999,
      says: 'of the moves, those by mouse that came less than 2.5 ms after the last one',
    },
    moveGap: { max: 100, says: 'median milliseconds between two moves' },
    presses: { max: 999, says: 'pointer presses' },
    flatPresses: {
      max: 999,
      says: 'mouse presses with `pressure` 0 though a device is named, or with a `mozPressure` of 0.5: input of a debugger',
    },
    touches: { max: 999, says: 'of the presses, those by touch or pen' },
    centred: { max: 999, says: 'mouse presses within 1 % of the dead centre of what was pressed' },
    reaches: { max: 999, says: 'ways of 50 pixels or more to a mouse press' },
    balanced: {
      max: 999,
      says: 'of the reaches, how many covered half the distance in half the time',
    },
    pressHold: { max: 1000, says: 'median milliseconds the mouse was pressed, rounded to 5' },
    pressHoldSpread: {
      max: 1000,
      says: 'milliseconds between the shortest and the longest of that, rounded to 5',
    },
    timed: { max: 999, says: 'moments of device events' },
    samePhase: {
      max: 100,
      says: 'per cent of these moments that share two neighbouring tenths of a millisecond',
    },
    keys: { max: 999, says: 'keys of a keyboard pressed, without modifiers' },
    overlaps: { max: 999, says: 'of the keys, those pressed before the last one was released' },
    keyGap: {
      max: 1000,
      says: 'median milliseconds from key to key, rounded to 5; without pauses of a second, and missing where half of the gaps are such',
    },
    keyGapLong: {
      max: 1000,
      says: 'milliseconds that nine in ten of these stay below, rounded to 5',
    },
    insertions: {
      max: 999,
      says: 'text fields whose whole text came in one insertion: no key, no paste, no composition',
    },
    scripted: {
      max: 999,
      says: 'text fields that a script filled in; missing where any text was typed, pasted or composed',
    },
  },
  step: {
    pressed: { max: 1, says: '1: the button of the step was pressed, with a trusted event' },
    waited: {
      max: 600_000,
      says: 'milliseconds from the appearance of that button to the press, rounded to 100',
    },
  },
  page: {
    visible: { max: 1, says: '1: the page was visible when the work started' },
    focused: { max: 1, says: '1: the page had the focus when the work started' },
  },
  environment: {
    engine: {
      max: 3,
      says: 'what the engine can do that others cannot: 1 Blink, 2 Gecko, 3 WebKit; 0: unclear',
    },
    placed: { max: 1, says: '1: the window knows a place on the screen; on Wayland none does' },
    desktop: { max: 1, says: '1: a Blink that has what it has on desktops only' },
    linuxEngine: { max: 1, says: '1: a Blink that lacks what it lacks on Linux desktops only' },
  },
  work: {
    ms: {
      max: 3_600_000,
      says: 'milliseconds the work took, rounded to 10; for the metrics, not for the score',
    },
  },
} as const satisfies Record<string, Record<string, SignalKind>>

type SignalFamily = keyof typeof SIGNALS

/** The summary as it is sent; version 1 of this shape. */
export type Signals = {
  readonly v?: 1
  /** Answers of the browser proof, a list per task. */
  readonly proof?: readonly (readonly number[])[]
} & {
  readonly [F in SignalFamily]?: { readonly [S in keyof (typeof SIGNALS)[F]]?: number }
}

/** Facts that the server reads from the headers of `solve`, never from the summary. */
export interface RequestFacts {
  readonly userAgent: string
  /** `sec-fetch-site`, `sec-fetch-mode`, `sec-fetch-dest`; undefined if missing. */
  readonly fetchSite: string | undefined
  readonly fetchMode: string | undefined
  readonly fetchDest: string | undefined
  /** `sec-ch-ua`, Chromium's client hint. */
  readonly clientHints: string | undefined
  /** `origin`, the page's. */
  readonly origin: string | undefined
  /** JA4 of the visitor's TLS from a trusted proxy, for rules of a site; never logged or stored. */
  readonly ja4?: string | undefined
}
